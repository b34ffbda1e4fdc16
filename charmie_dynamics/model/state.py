# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""State of a robot: the result of one computed cycle, or of many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

import numpy as np

from charmie_dynamics.core.arrays import Dynamics, Kinematics
from charmie_dynamics.errors import CharmieError, choices
from charmie_dynamics.numerics.blocks import Place
from charmie_dynamics.numerics.vectors import Floats, Ints

from .equations.moving import Moving
from .flat.block_layout import BlockLayout
from .flat.flatten import FlatRobot
from .loop_reactions import LoopReactions


class Arrays:
    """Some arrays of a state by their names, each made when it is asked for."""

    def __init__(self, state: State, names: tuple[str, ...]) -> None:
        self._state = state
        self._names = names

    def __getattr__(self, name: str) -> Floats:
        if name not in self._names:
            raise AttributeError(f"there is no array '{name}'{choices(name, self._names)}")
        return self._state._array(name)

    def __iter__(self) -> Iterator[Floats]:
        """Yield all arrays in the order of the block."""
        for name in self._names:
            yield self._state._array(name)


class State(Moving, LoopReactions):
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
        """All numbers of one cycle (k,), where `BlockLayout` says.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> len(state.block) == model.layout.size
        True
        """
        self._block.flags.writeable = False
        return self._block

    def columns(self, index: Ints) -> Floats:
        """Return numbers of the block of each state, (..., k), at the places `index` (k,)."""
        return self.block[index]

    @property
    def has_dynamics(self) -> bool:
        """Whether forces were computed, not kinematics alone.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> model.kinematics(model.zero_position()).has_dynamics
        False
        """
        return self._has_dynamics

    @property
    def robot(self) -> FlatRobot:
        """The robot as the kernels see it, with all names.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> state.robot.actuator_names[3]
        'lift_actuator'
        """
        return self._layout.robot

    @property
    def position(self) -> Floats:
        """Positions (p,), as given.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> print(state.position[3:5].round(4))  # m, lift and torso actuator
        [0.5813 0.4324]
        """
        return self._with_scalars("position", "scalar")

    @property
    def velocity(self) -> Floats:
        """Velocities (v,), as given.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> bool(state.velocity.any())  # at rest
        False
        """
        return self._array("velocity")

    @property
    def acceleration(self) -> Floats:
        """Accelerations (v,), as given.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> bool(state.acceleration.any())  # at rest
        False
        """
        return self._array("acceleration")

    @property
    def kinematics(self) -> Kinematics:
        """Raw results of steps 3 to 5, those of mechanisms too, each made when asked for.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> state.kinematics.p_world_frame.shape == (len(model.frame_names), 3)
        True
        """
        return cast(Kinematics, Arrays(self, self._layout.kinematics))

    @property
    def dynamics(self) -> Dynamics | None:
        """Raw results of steps 6 and 7; None after a purely kinematic computation.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> state.dynamics.link_force.shape == (len(model.tree.links), 3)
        True
        """
        return cast(Dynamics, Arrays(self, self._layout.dynamics)) if self._has_dynamics else None

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the q independent joints, in the order of the URDF.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> state.joint_names[3:5]
        ('lift_joint', 'torso_joint')
        """
        return self._layout.robot.joint_names

    @property
    def joint_position(self) -> Floats:
        """Joint positions (p,), in rad or m, converted from the actuators.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> bool(abs(state.joint_position).max() < 1e-9)  # every joint at zero
        True
        """
        return self._with_scalars("joint_position", "joint_scalar")

    @property
    def joint_velocity(self) -> Floats:
        """Joint velocities (v,), in rad/s or m/s.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> state.joint_velocity.shape
        (21,)
        """
        return self._array("joint_velocity")

    @property
    def joint_acceleration(self) -> Floats:
        """Joint accelerations (v,), in rad/s^2 or m/s^2.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> state.joint_acceleration.shape
        (21,)
        """
        return self._array("joint_acceleration")

    @property
    def actuator_effort(self) -> Floats:
        """Force or torque (a,) of each actuator, positive along its increasing position.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> effort = dict(zip(model.actuator_names, state.actuator_effort.tolist()))
        >>> round(effort["lift_actuator"], 2)  # N
        74.21
        """
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

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> force = dict(zip(state.joint_names, state.generalized_force.tolist()))
        >>> round(force["lift_joint"], 2)  # N, the springs not counted
        -292.53
        """
        return self._load("generalized_force")

    @property
    def base_wrench(self) -> tuple[Floats, Floats]:
        """Force (3,) and torque (3,) on the base body from its support, its axes and origin.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> force, torque = state.base_wrench
        >>> print(force.round(2))  # N, the weight
        [  0.    -0.   567.21]
        """
        self._require_dynamics()
        row, i = self._row, self._layout.base_body
        return row("link_force", i), row("link_torque", i)

    @property
    def spring_length(self) -> dict[str, Floats]:
        """Length (m) of each spring and of each balance mechanism's spring, by name.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> round(float(state.spring_length["torso_spring"]), 4)  # m
        0.2
        """
        lengths = self._array("spring_length")
        return {name: lengths[..., k] for k, name in enumerate(self._layout.robot.spring_names)}

    @property
    def spring_tension(self) -> dict[str, Floats]:
        """Tension (N) of each spring and of each balance mechanism's spring, by name.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> round(float(state.spring_tension["torso_spring"]), 1)  # N
        264.0
        """
        tensions = self._load("spring_tension")
        return {name: tensions[..., k] for k, name in enumerate(self._layout.robot.spring_names)}

    @property
    def joint_spring_effort(self) -> dict[str, Floats]:
        """Effort (N m or N) of each joint spring on its joint, damping included, by name.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> model.compute(model.zero_position()).joint_spring_effort  # CHARMIE has none
        {}
        """
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

    def _inputs(self) -> tuple[Floats, ...]:
        # copies, since kernels may write to them
        inputs = self.position, self.velocity, self.acceleration
        return tuple(array[None].copy() for array in inputs)

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
