# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""State of a robot: the result of one computed cycle, or of many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import Dynamics, Kinematics
from charmie_dynamics.errors import CharmieError, UnknownNameError, choices
from charmie_dynamics.numerics.blocks import Place
from charmie_dynamics.numerics.vectors import Floats, Ints

from .equations.point_motion import DirectionMotion, PointMotion, moved_point
from .flat.block_layout import BlockLayout
from .flat.checks import finite_numbers, unit_vector
from .flat.flat_robot import FlatRobot
from .flat.load_sharing import CylinderLoads, Levers, cylinder_loads, levers


class Arrays:
    """Some arrays of a state by their names, each made when it is asked for."""

    def __init__(self, state: State, names: tuple[str, ...]) -> None:
        self._state = state
        self._names = names

    def __getattr__(self, name: str) -> Floats:
        if name not in self._names:
            raise AttributeError(f"there is no array '{name}'{choices(name, self._names)}")
        return self._state._array(name)

    def __dir__(self) -> list[str]:
        """Return the names of the arrays, for tab completion."""
        return [*super().__dir__(), *self._names]

    def __iter__(self) -> Iterator[Floats]:
        """Yield all arrays in the order of the block."""
        for name in self._names:
            yield self._state._array(name)


class State:
    """Everything that `Model.compute` found out; arrays are read-only and stay valid.

    The arrays of many states have their leading axes. World and body frames are those of the URDF;
    units are SI. Arrays are made, and for many states computed, on request.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> state = model.compute(model.zero_position())
    >>> state.position.shape, state.actuator_effort.shape
    ((21,), (21,))
    >>> print(state.frame("head")[0].round(3))  # m
    [ 0.015 -0.005  1.32 ]
    """

    __slots__ = ("_block", "_has_dynamics", "_layout")
    _workers: int | None = 1  # threads for the motion of points

    def __init__(self, layout: BlockLayout, block: Floats, has_dynamics: bool) -> None:
        self._layout = layout
        self._block = block
        self._has_dynamics = has_dynamics

    def _array(self, name: str) -> Floats:
        return self._view(self._layout.places[name])

    def _row(self, name: str, index: int) -> Floats:
        return self._view(self._layout.row_of(name, index))

    def _view(self, place: Place) -> Floats:
        first, shape = place
        view = self._block[first : first + math.prod(shape)]
        view.flags.writeable = False
        return view if len(shape) == 1 else view.reshape(shape)

    @property
    def block(self) -> Floats:
        """All numbers of one cycle (k,), where `BlockLayout` says."""
        self._block.flags.writeable = False
        return self._block

    def columns(self, index: Ints) -> Floats:
        """Return numbers of the block of each state, (..., k), at the places `index` (k,)."""
        return self.block[index]

    @property
    def has_dynamics(self) -> bool:
        """Whether forces were computed, not kinematics alone."""
        return self._has_dynamics

    @property
    def robot(self) -> FlatRobot:
        """The robot as the kernels see it, with all names."""
        return self._layout.robot

    @property
    def position(self) -> Floats:
        """Positions (p,), as given."""
        return self._with_scalars("position", "scalar")

    @property
    def velocity(self) -> Floats:
        """Velocities (v,), as given."""
        return self._array("velocity")

    @property
    def acceleration(self) -> Floats:
        """Accelerations (v,), as given."""
        return self._array("acceleration")

    @property
    def kinematics(self) -> Kinematics:
        """Raw results of steps 3 to 5, those of mechanisms too, each made when asked for."""
        return cast(Kinematics, Arrays(self, self._layout.kinematics))

    @property
    def dynamics(self) -> Dynamics | None:
        """Raw results of steps 6 and 7, such as the reactions of joints; None without dynamics.

        Row i of `joint_force` and `joint_torque` is the load of the joint on link i of
        `frame_names` of the model, in the axes of this link, at its origin. Loads of linear
        actuators, springs and balance mechanisms have arrays of their own; ``dir`` lists all.
        """
        return cast(Dynamics, Arrays(self, self._layout.dynamics)) if self._has_dynamics else None

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the q independent joints, in the order of the URDF."""
        return self._layout.robot.joint_names

    @property
    def joint_position(self) -> Floats:
        """Joint positions (p,), in rad or m, converted from the actuators."""
        return self._with_scalars("joint_position", "joint_scalar")

    @property
    def joint_velocity(self) -> Floats:
        """Joint velocities (v,), in rad/s or m/s."""
        return self._array("joint_velocity")

    @property
    def joint_acceleration(self) -> Floats:
        """Joint accelerations (v,), in rad/s^2 or m/s^2."""
        return self._array("joint_acceleration")

    @property
    def actuator_effort(self) -> Floats:
        """Force or torque (a,) of each actuator, positive along its increasing position."""
        effort = self._load("actuator_effort")
        index = self._layout.robot.actuator_index
        if len(index) == effort.shape[-1]:
            return effort
        own = effort[..., index]
        own.flags.writeable = False
        return own

    @property
    def generalized_force(self) -> Floats:
        """Inverse dynamics (v,) of the open tree: without springs, balances and actuators.

        Rotors of joints are part of the open tree, rotors of linear actuators are not.
        """
        return self._load("generalized_force")

    @property
    def base_wrench(self) -> tuple[Floats, Floats]:
        """Force (3,) and torque (3,) on the base body from its support, its axes and origin."""
        self._require_dynamics()
        row, i = self._row, self._layout.base_body
        return row("link_force", i), row("link_torque", i)

    @property
    def linear_actuator_length(self) -> dict[str, Floats]:
        """Length (m) of each linear actuator, by name, also of several on one joint."""
        return self._by_linear_actuator(self._levers().length)

    @property
    def linear_actuator_velocity(self) -> dict[str, Floats]:
        """Rate of the length (m/s) of each linear actuator, by name."""
        bodies = self.robot.mechanisms.actuators.joint_body
        rates = self._array("joint_velocity")[..., self.robot.tree.coordinate[bodies]]
        return self._by_linear_actuator(self._levers().ratio * rates)

    @property
    def cylinder_loads(self) -> CylinderLoads:
        """Length, velocity and force (b,) of all linear actuators, in the order of the dicts."""
        motion = self._array("joint_position"), self._array("joint_velocity")
        return cylinder_loads(self.robot, *motion, self._load("actuator_effort"))

    @property
    def linear_actuator_effort(self) -> dict[str, Floats]:
        """Force (N) of each linear actuator, by name: its share of the load of its joint.

        `actuator_effort` of several on one joint is the force of the first if it were alone.
        """
        return self._by_linear_actuator(self.cylinder_loads.effort)

    def _levers(self) -> Levers:
        return levers(self.robot, self._array("joint_position"))

    def _by_linear_actuator(self, values: Floats) -> dict[str, Floats]:
        names = self.robot.linear_actuator_names
        return {name: values[..., k] for k, name in enumerate(names)}

    @property
    def spring_length(self) -> dict[str, Floats]:
        """Length (m) of each spring and of each balance mechanism's spring, by name."""
        lengths = self._array("spring_length")
        return {name: lengths[..., k] for k, name in enumerate(self._layout.robot.spring_names)}

    @property
    def spring_tension(self) -> dict[str, Floats]:
        """Tension (N) of each spring and of each balance mechanism's spring, by name."""
        tensions = self._load("spring_tension")
        return {name: tensions[..., k] for k, name in enumerate(self._layout.robot.spring_names)}

    @property
    def joint_spring_effort(self) -> dict[str, Floats]:
        """Effort (N m or N) of each joint spring on its joint, damping included, by name."""
        efforts = self._load("joint_spring_effort")
        names = self._layout.robot.mechanism_names["joint_springs"]
        return {name: efforts[..., k] for k, name in enumerate(names)}

    def frame(self, name: str) -> tuple[Floats, Floats]:
        """Return where a frame is in the world.

        Parameters
        ----------
        name : str
            A link of the URDF or an auxiliary body, see `Model.frame_names`.

        Returns
        -------
        p_world_frame : (3,) array
        R_world_frame : (3, 3) array

        Raises
        ------
        UnknownNameError
            If there is no such frame.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> p_world_tool, R_world_tool = state.frame("left_tool")
        >>> print(p_world_tool.round(3))  # m
        [-0.964  0.003  1.221]
        """
        i, row = self._layout.row_of_frame(name), self._row
        return row("p_world_frame", i), row("R_world_frame", i)

    def motion(self, frame: str, point: npt.ArrayLike = (0.0, 0.0, 0.0)) -> PointMotion:
        """Return how a point moves that is fixed in a frame (kinematics of points, eq. 21 to 24).

        Parameters
        ----------
        frame : str
            A link of the URDF or an auxiliary body, see `Model.frame_names`.
        point : (3,) array_like
            The point in this frame (m); its origin if omitted.

        Returns
        -------
        PointMotion
            Position, velocity and acceleration of the point, angular velocity and acceleration and
            rotation of the frame, all in world axes.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        InputError
            If the point is not three finite numbers, or the motion is too fast to be finite.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> velocity = 0.0 * model.zero_position()
        >>> velocity[3] = 0.1  # m/s, the lift actuator
        >>> state = model.compute(model.zero_position(), velocity)
        >>> print(state.motion("left_tool").velocity.round(4))  # m/s
        [0.     0.     0.1014]
        """
        return PointMotion.of(self.motion_numbers(frame, point))

    def direction(self, frame: str, direction: npt.ArrayLike) -> DirectionMotion:
        """Return how a direction moves that is fixed in a frame (eq. 25 to 27).

        Parameters
        ----------
        frame : str
            A link of the URDF or an auxiliary body, see `Model.frame_names`.
        direction : (3,) array_like
            In this frame, of any length; the result is the unit vector along it.

        Returns
        -------
        DirectionMotion
            The unit vector in world axes, its rate and acceleration.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        InputError
            If the direction is not three finite numbers, or zero.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> velocity = 0.0 * model.zero_position()
        >>> velocity[2] = 0.5  # rad/s, the base turns
        >>> state = model.compute(model.zero_position(), velocity)
        >>> print(state.direction("base", (2.0, 0.0, 0.0)).rate)  # 1/s
        [0.  0.5 0. ]
        """
        row = self._layout.row_of_frame(frame)
        unit = unit_vector("direction", direction)
        return DirectionMotion.of(PointMotion.of(self._moved(row, np.zeros(3))), unit)

    def motion_numbers(self, frame: str, point: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Return the motion of a point as the kernels write it, see `core.equations.point_motion`.

        Parameters and errors are those of `motion`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> model.compute(model.zero_position()).motion_numbers("left_tool").shape
        (24,)
        """
        row = self._layout.row_of_frame(frame)
        return self._moved(row, finite_numbers("point", point, (3,)))

    def _moved(self, frame: int, p_frame_point: Floats) -> Floats:
        return self._per_sample(
            moved_point(self._layout, self._inputs(), frame, p_frame_point, self._workers)
        )

    def loop_force(self, name: str) -> Floats:
        """Return the load of a loop joint: (6,) force (N), then torque (N m), world axes.

        The first body applies it on the second; the torque is about the second body's point. Where
        equilibrium does not determine it, since constraints depend on each other
        (`Model.constraints`), it has the least sum of squares of all constraint forces.

        Raises
        ------
        UnknownNameError
            If there is no such loop joint.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> state = model.compute(model.zero_position())
        >>> print((state.loop_force("pin") + 0.0).round(2))  # N, N m
        [ 1.75  0.   -8.65  0.    0.    0.  ]
        """
        names = self._layout.robot.mechanism_names["loop_joints"]
        if name not in names:
            raise UnknownNameError(f"loop joint '{name}' is unknown{choices(name, names)}")
        force: Floats = self._load("loop_force")[..., names.index(name), :]
        return force

    def _inputs(self) -> tuple[Floats, ...]:
        # copies, since kernels may write to them
        inputs = self.position, self.velocity, self.acceleration
        return tuple(array[None].copy() for array in inputs)

    def _per_sample(self, numbers: Floats) -> Floats:
        """Return results of samples (N, k) in the shape of the state: one sample."""
        sample: Floats = numbers[0]
        return sample

    def _with_scalars(self, name: str, scalars: str) -> Floats:
        """Return positions in the order of `Model.position_names`."""
        robot = self._layout.robot
        own = self._array(name)
        if len(robot.freedoms.scalar_entry) == 0:
            return own
        position = np.empty((*own.shape[:-1], len(robot.position_names)))
        position[..., robot.freedoms.position_entry] = own
        position[..., robot.freedoms.scalar_entry] = self._array(scalars)
        position.flags.writeable = False
        return position

    def _load(self, name: str) -> Floats:
        self._require_dynamics()
        return self._array(name)

    def _require_dynamics(self) -> None:
        if not self._has_dynamics:
            raise CharmieError("this state holds kinematics only; expected one from Model.compute")
