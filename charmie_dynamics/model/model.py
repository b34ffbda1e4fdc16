"""Facade of the package: a robot that computes cycles."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core import arrays
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.core.inverse.linear_actuators import linear_actuator_of_joint
from charmie_dynamics.errors import InputError, OutOfReachError, UnknownNameError, choices
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .batch import INPUTS, BatchState
from .block_layout import BlockLayout
from .census import Census, take_census
from .checks import (
    checked,
    converted,
    refusal,
    require_finite,
    require_limits_within_reach,
    require_rest_pose_within_limits,
)
from .description.description_warnings import DescriptionWarning
from .description.mechanisms import MechanismSet
from .description.package_robots import DEFAULT, PACKAGE_ROBOTS
from .description.robot import Limit, RobotTree
from .flatten import flatten
from .loads import Payload, Wrench, load
from .reach import reach_of
from .state import State

DEFAULT_URDF, DEFAULT_MECHANISMS = PACKAGE_ROBOTS[DEFAULT]


class Model:
    """A robot, ready to compute.

    Parameters
    ----------
    tree : RobotTree
        Links and joints.
    mechanisms : MechanismSet
        Linear actuators, springs and other mechanisms; may be empty.
    source : str
        Name of the mechanisms file, for messages.

    Attributes
    ----------
    tree, mechanisms : RobotTree, MechanismSet
        The description, step 1.
    flat : FlatRobot
        The kernels' arrays, step 2.
    layout : BlockLayout
        Where each array of a state stands in its block.
    blocks : tuple of array
        Those of `flat`: all integers and all floats, as kernels of `core` take them.
    """

    def __init__(
        self, tree: RobotTree, mechanisms: MechanismSet, source: str = "mechanisms"
    ) -> None:
        self.tree = tree
        self.mechanisms = mechanisms
        self.flat = self._unloaded = flatten(tree, mechanisms, source)
        self._driver_of = {
            actuator.joint: k for k, actuator in enumerate(mechanisms.linear_actuators)
        }
        self.layout = BlockLayout(self.flat, mechanisms.base_body or tree.root)
        # what each cycle needs at once
        self._run: Any = None
        self.blocks = self.flat.ints, self.flat.floats
        self._at_rest = np.zeros(len(self.actuator_names))
        require_limits_within_reach(self.flat, tree, mechanisms, source)
        require_rest_pose_within_limits(
            self.actuator_names, self.actuator_limits(), mechanisms, source
        )

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.tree.name

    @property
    def actuator_names(self) -> tuple[str, ...]:
        """Names of the q actuators; the order of all arrays of actuators."""
        return self.flat.actuator_names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the q independent joints, each in the place of its actuator."""
        return self.flat.joint_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames: the links, parents first, then the auxiliary bodies."""
        return self.flat.frame_names

    @property
    def spring_names(self) -> tuple[str, ...]:
        """Names of the springs, those of the balance mechanisms included."""
        return self.flat.spring_names

    @property
    def warnings(self) -> tuple[DescriptionWarning, ...]:
        """What cannot be right in the URDF and is computed as it is written, in its order.

        Links with moments of inertia that no body has, and mimic joints without a leader. With
        such a link the mass matrix need not be positive definite, so that what inverts it may fail.
        """
        return self.tree.warnings

    @property
    def total_mass(self) -> float:
        """Mass of all bodies (kg)."""
        return float(self.flat.tree.mass.sum())

    def loaded(
        self,
        payloads: Mapping[str, Payload] | None = None,
        wrenches: Mapping[str, Wrench] | None = None,
    ) -> Model:
        """Return this robot with loads; they replace those that it may have already.

        Parameters
        ----------
        payloads : mapping of str to Payload, optional
            Bodies that links hold, by the names of the links.
        wrenches : mapping of str to Wrench, optional
            Loads from outside on links, by the names of the links.

        Raises
        ------
        UnknownNameError
            If there is no such link.
        """
        result = copy.copy(self)
        result.flat = load(self._unloaded, payloads or {}, wrenches or {})
        result.layout = BlockLayout(result.flat, self.frame_names[self.layout.base_body])
        result.blocks = result.flat.ints, result.flat.floats
        return result

    def census(self) -> Census:
        """Count rigid bodies and joints, auxiliary ones included."""
        return take_census(self.tree, self.mechanisms)

    def actuator_limits(self) -> tuple[Limit, ...]:
        """Return range, rated effort and rated velocity of each actuator."""
        joints = {joint.name: joint.limit for joint in self.tree.joints}
        lengths = {a.joint: a.limit for a in self.mechanisms.linear_actuators}
        return tuple(lengths.get(name, joints[name]) for name in self.joint_names)

    def reach(self, actuator: str) -> tuple[float, float]:
        """Return the shortest and longest length (m) at which a linear actuator's loop closes.

        The mechanisms on the body that it moves count as parts of the loop.

        Raises
        ------
        UnknownNameError
            If there is no linear actuator of that name.
        """
        k = self._linear_actuator(actuator)
        return reach_of(self.flat, self.tree, self.mechanisms, k)

    def actuator_from_joint(
        self, joint: str, position: float, velocity: float = 0.0, acceleration: float = 0.0
    ) -> tuple[float, float, float]:
        """Return the state of the linear actuator that puts its joint into a given state.

        Parameters
        ----------
        joint : str
            A joint that is moved by a linear actuator.
        position, velocity, acceleration : float
            Of the joint (rad or m, per s, per s^2).

        Returns
        -------
        length, rate, acceleration : float
            Of the actuator (m, m/s, m/s^2).

        Raises
        ------
        UnknownNameError
            If no linear actuator moves such a joint.
        OutOfReachError
            If the joint stands at or beyond a dead centre of the loop, where the length would
            mean another joint position.
        """
        k = self._driver_of.get(joint)
        if k is None:
            raise UnknownNameError(
                f"joint '{joint}' is not moved by a linear actuator"
                f"{choices(joint, self._driver_of)}"
            )
        convert = ready(linear_actuator_of_joint)
        on_branch, *state = convert(*self.blocks, k, position, velocity, acceleration)
        if not on_branch:
            name = self.mechanisms.linear_actuators[k].name
            raise OutOfReachError(
                name,
                f"linear actuator '{name}': joint '{joint}' at {position:.6g} is at or beyond a "
                "dead centre of its loop, expected a position between the dead centres",
            )
        length, rate, acceleration = state
        return length, rate, acceleration

    def zero_position(self) -> Floats:
        """Return the actuator positions (q,) that put every joint at zero."""
        position = np.zeros(len(self.actuator_names))
        for joint in self._driver_of:
            length, _, _ = self.actuator_from_joint(joint, 0.0)
            position[self.joint_names.index(joint)] = length
        return position

    def compute(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        dynamics: bool = True,
    ) -> State:
        """Run the steps 3 to 7 once.

        Parameters
        ----------
        position : (q,) array_like
            Of the actuators in the order of `actuator_names`: rad, m, or pin-to-pin length.
        velocity, acceleration : (q,) array_like, optional
            Their time derivatives, zero if omitted.
        dynamics : bool
            False: kinematics only (steps 3 to 5).

        Returns
        -------
        State
            Owns its arrays; no reference to the arguments is kept.

        Raises
        ------
        InputError
            For an array of the wrong shape, values that are not finite, or loads that overflow.
        OutOfReachError
            If a length closes no loop; names actuator, length and reach.
        """
        block = np.empty(self.layout.size)
        rest = self._at_rest
        run = self._run or self._make_ready()
        try:
            status = run(
                *self.blocks,
                position,
                rest if velocity is None else velocity,
                rest if acceleration is None else acceleration,
                block,
                dynamics,
            )
        except Exception:  # whatever is no array of floats, or read-only: copies are tried below
            status = arrays.WRONG_SHAPE
        if status != arrays.REACHED:
            names = self.actuator_names
            inputs = (
                checked("position", position, names),
                checked("velocity", velocity, names),
                checked("acceleration", acceleration, names),
            )
            status = run(*self.blocks, *inputs, block, dynamics)
            if status != arrays.REACHED:
                raise refusal(self.flat, self.tree, self.mechanisms, status, inputs)
        return State(self.layout, block, dynamics)

    def _make_ready(self) -> Any:
        """Compile the kernel or load it from the cache."""
        self._run = ready(run_cycle)
        return self._run

    def compute_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        dynamics: bool = True,
        workers: int | None = None,
    ) -> BatchState:
        """Run the steps 3 to 7 for N samples; as `compute`, with a leading axis of N.

        The efforts, joints, springs and the base wrench are kept; whatever else is asked of the
        state is computed then.

        Parameters
        ----------
        position : (N, q) array_like
        velocity, acceleration : (N, q) array_like, optional
        dynamics : bool
            As for `compute`.
        workers : int, optional
            Number of threads; all cores if omitted.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`, naming the sample.
        """
        names = self.actuator_names
        shape = np.shape(position)
        if len(shape) != 2:
            raise InputError(f"position: expected shape (N, {len(names)}), got {shape}")
        shape = (shape[0], len(names))
        given = (
            converted("position", position, shape),
            None if velocity is None else converted("velocity", velocity, shape),
            None if acceleration is None else converted("acceleration", acceleration, shape),
        )
        batch = BatchState(self.layout, given, dynamics, workers)
        if batch.is_unfit:
            for subject, array in zip(INPUTS, batch.inputs, strict=True):
                require_finite(subject, array, names)
        if batch.failure is not None:
            n, status = batch.failure
            sample = (batch.inputs[0][n], batch.inputs[1][n], batch.inputs[2][n])
            error = refusal(self.flat, self.tree, self.mechanisms, status, sample)
            message = f"sample {n}: {error}"
            if isinstance(error, OutOfReachError):
                raise OutOfReachError(error.name, message)
            raise InputError(message)
        return batch

    def _linear_actuator(self, name: str) -> int:
        names = [actuator.name for actuator in self.mechanisms.linear_actuators]
        if name not in names:
            raise UnknownNameError(f"linear actuator '{name}' is unknown{choices(name, names)}")
        return names.index(name)
