# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of the efforts of a robot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy.typing as npt

from charmie_dynamics.core.equations.derivatives import run_derivatives
from charmie_dynamics.core.equations.records import DerivativeTerms, EquationsRoom
from charmie_dynamics.numerics.vectors import Floats

from .equations.equations_of_motion import terms_of
from .equations.evaluation import KernelCall, Rows, evaluate, rows_of
from .equations.identification import Identification
from .equations.number_derivatives import NumberDerivatives
from .equations.numbers import numbers_of
from .equations.results import Derivatives
from .equations.rotors import JointMotion, rotor_efforts
from .friction import add_joint_slopes
from .state import Arrays, State

DERIVATIVES = KernelCall(run_derivatives, DerivativeTerms, EquationsRoom, with_loops=True)


class Differentiation(Identification, ABC):
    """The part of a `Model` that gives derivatives."""

    @abstractmethod
    def compute(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> State:
        """Return the states of inverse dynamics."""

    @abstractmethod
    def kinematics(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> State:
        """Return the states of kinematics."""

    @abstractmethod
    def open_tree(self) -> Differentiation:
        """Return the bare tree."""

    def rotor_effort(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> Floats:
        """Return the efforts of the actuators that accelerate the rotors of motors.

        The regressor does not contain them: actuator efforts = regressor @ inertial_parameters +
        rotor_effort + spring_effort + external_effort + friction_effort.

        Parameters
        ----------
        position, velocity, acceleration : (..., p), (..., v) and (..., v) array_like
            As for `Model.compute`.

        Returns
        -------
        (..., v) array
            N m or N.

        Raises
        ------
        InputError, OutOfReachError
            As `Model.compute`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model("scara")
        >>> model.rotor_effort(model.zero_position()).tolist()  # no rotors
        [0.0, 0.0, 0.0, 0.0, 0.0]
        """
        inputs, leading = rows_of(self, (position, velocity, acceleration))
        rotors = self.flat.mechanisms.rotors
        joints = joint_motion(self.kinematics(*inputs))
        found = rotor_efforts(self.flat, rotors, inputs, joints)
        return found.reshape(*leading, found.shape[1])

    @abstractmethod
    def without_friction(self) -> Differentiation:
        """Return this robot without friction."""

    @property
    def parameters(self) -> dict[str, float]:
        """Values of all parameters of the files by which there are derivatives, by their names.

        Those of the mechanisms file that efforts depend on, by their paths in it, those of the
        links' inertials: mass, centre of mass ``com``, inertia about it along the link's axes, and
        ``damping`` and ``friction`` of joints.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> parameters = load_model().parameters
        >>> parameters["springs.torso_spring.stiffness"], parameters["inertials.head.mass"]
        (4200.0, 1.2)
        """
        return {name: number.value for name, number in numbers_of(self).items()}

    def derivatives(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        parameters: Sequence[str] = (),
        friction: bool = True,
        workers: int | None = None,
    ) -> Derivatives:
        """Return the derivatives of the efforts of the actuators, exact but for round-off.

        Parameters
        ----------
        position, velocity, acceleration : (..., p), (..., v) and (..., v) array_like
            As for `Model.compute`.
        parameters : sequence of str
            Names of `Model.parameters` by which there are derivatives, too.
        friction : bool
            As for `Model.compute`. Its slope is the one below the transition speed where a
            velocity is smaller than that, zero included.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        Derivatives
            ``effort_by_position``, ``effort_by_velocity``, ``effort_by_acceleration`` (..., v, v),
            ``effort_by_parameter`` (..., v, k).

        Raises
        ------
        InputError, OutOfReachError
            As `Model.compute`; InputError for a number that cannot change by itself, too.
        UnknownNameError
            If there is no number of a name.
        UnsupportedError
            If there are loop joints.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> derivatives = model.derivatives(position, parameters=["springs.torso_spring.stiffness"])
        >>> print(derivatives.effort_by_position[4, 4].round(1))  # N/m, torso actuator
        -4949.9
        >>> print(derivatives.effort_by_parameter[4].round(4))  # N by N/m
        [-0.0044]
        """
        self.require_no_loop_joints("derivatives")
        if not friction and self.has_friction:
            return self.without_friction().derivatives(
                position, velocity, acceleration, parameters=parameters, workers=workers
            )
        given = position, velocity, acceleration
        block, places = terms_of(evaluate(self, DERIVATIVES, given, workers))
        if not parameters:
            return Derivatives(block, places)
        inputs, leading = rows_of(self, given)
        found = self._by_number(parameters, inputs, self.compute(*inputs, workers=workers))
        return Derivatives(block, places, found.reshape(*leading, *found.shape[1:]))

    def _by_number(self, names: Sequence[str], inputs: Rows, states: State) -> Floats:
        """Return the derivatives (N, v, k) of the efforts of some states by parameters."""
        prepared = self.flat.blocks.prepared
        key = tuple(names)
        if key not in prepared:
            prepared[key] = NumberDerivatives(self, names), self.open_tree()
        by_numbers, tree = prepared[key]
        effort = Arrays(states, ("joint_effort",)).joint_effort
        joints = states.joint_position, states.joint_velocity, states.joint_acceleration
        of_tree = tree.derivatives(*joints, workers=1)
        motion = joint_motion(states)
        add_joint_slopes(self.flat.mechanisms.friction, joints[1], of_tree.effort_by_velocity)
        found: Floats = by_numbers.of_states(inputs, motion, effort, of_tree)
        return found


def joint_motion(states: State) -> JointMotion:
    """Return what the efforts of rotors depend on."""
    lever = Arrays(states, ("actuator_lever",)).actuator_lever
    return JointMotion(states.joint_acceleration, lever)
