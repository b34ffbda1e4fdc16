# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inertial parameters and the regressor, the basis of identification."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.core.equations.records import RegressorRoom, RegressorTerms
from charmie_dynamics.core.equations.regressor import run_regressor
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.numerics.vectors import Floats

from .evaluation import Inputs, KernelCall, evaluate
from .reduction import reduced_columns

REGRESSOR = KernelCall(run_regressor, RegressorTerms, RegressorRoom)
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


def inertial_parameters(robot: PreparedRobot) -> Floats:
    """Return the inertial parameters of all links; see `Model.inertial_parameters`."""
    tree: Tree = robot.flat.tree
    return parameters_of(tree.mass, tree.p_body_com, tree.inertia).ravel()


def inertial_parameter_names(robot: PreparedRobot) -> tuple[str, ...]:
    """Return the names of the inertial parameters: those of the link and of the parameter."""
    return tuple(f"{link} {name}" for link in robot.flat.body_names for name in PARAMETERS)


def regressor(robot: PreparedRobot, inputs: Inputs, workers: int | None = None) -> Floats:
    """Return the efforts by the inertial parameters; see `Model.regressor`."""
    columns, _ = evaluate(robot, REGRESSOR, inputs, workers)
    shape = robot.flat.sizes.q, len(PARAMETERS) * robot.flat.sizes.n
    return reduced_columns(robot, inputs, columns.reshape(*columns.shape[:-1], *shape))
