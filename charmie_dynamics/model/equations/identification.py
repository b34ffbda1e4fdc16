# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inertial parameters and the regressor, the basis of identification."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.core.equations.records import RegressorRoom, RegressorTerms
from charmie_dynamics.core.equations.regressor import run_regressor
from charmie_dynamics.numerics.vectors import Floats

from .equations_of_motion import EquationsOfMotion
from .evaluation import KernelCall, evaluate

REGRESSOR = KernelCall(run_regressor, RegressorTerms, RegressorRoom, adds=True)
PARAMETERS = ("m", "mx", "my", "mz", "xx", "xy", "yy", "xz", "yz", "zz")


def parameters_of(mass: Floats, p_body_com: Floats, inertia: Floats) -> Floats:
    """Return the ten inertial parameters of each body, (n, 10).

    Parameters
    ----------
    mass, p_body_com, inertia : (n,), (n, 3), (n, 3, 3) array
        As in `core.arrays.Tree`: the inertia is about the centre of mass.
    """
    c = p_body_com
    square = np.sum(c * c, axis=-1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :]
    about_origin = inertia + mass[:, None, None] * square
    rows, columns = np.tril_indices(3)  # xx, xy, yy, xz, yz, zz
    return np.column_stack((mass, mass[:, None] * c, about_origin[:, rows, columns]))


class Identification(EquationsOfMotion):
    """The part of a `Model` that shows the efforts as linear in the inertial parameters."""

    @property
    def inertial_parameters(self) -> Floats:
        """Inertial parameters (10 n,) of the n links, payloads included, link by link.

        Ten of each, in its own axes: mass m (kg), m c (3) with its centre of mass c, and the
        inertia about its origin xx, xy, yy, xz, yz, zz (kg m^2).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> parameters = model.inertial_parameters
        >>> bool(abs(parameters[::10].sum() - model.total_mass) < 1e-12)
        True
        """
        tree: Tree = self.flat.tree
        return parameters_of(tree.mass, tree.p_body_com, tree.inertia).ravel()

    @property
    def inertial_parameter_names(self) -> tuple[str, ...]:
        """Names of the inertial parameters: those of the link and of the parameter.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> names = load_model().inertial_parameter_names
        >>> [name for name in names if name.startswith("head ")][:4]
        ['head m', 'head mx', 'head my', 'head mz']
        """
        return tuple(f"{link} {name}" for link in self.flat.body_names for name in PARAMETERS)

    def regressor(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> Floats:
        """Return how the efforts depend on the inertial parameters, in which they are linear.

        Parameters
        ----------
        position, velocity, acceleration : (..., p), (..., v) and (..., v) array_like
            As for `Model.compute`.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        (..., v, 10 n) array
            Efforts less those of springs, wrenches and friction, and less those that accelerate
            rotors (`Model.rotor_effort`) = regressor @ inertial_parameters.

        Raises
        ------
        InputError, OutOfReachError
            As `Model.compute`.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> effort = model.regressor(position) @ model.inertial_parameters
        >>> effort += model.equations(position).spring_effort
        >>> bool(np.allclose(effort, model.compute(position).actuator_effort))
        True
        """
        out, _ = evaluate(self, REGRESSOR, (position, velocity, acceleration), workers)
        return out.reshape(*out.shape[:-1], *self._regressor_shape)

    @property
    def _regressor_shape(self) -> tuple[int, int]:
        return len(self.velocity_names), len(PARAMETERS) * len(self.flat.body_names)
