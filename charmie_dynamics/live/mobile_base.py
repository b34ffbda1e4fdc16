# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motion of the base before a cycle, and the forces of the floor after it."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.model.contact_forces import ContactForces, ContactLoads
from charmie_dynamics.model.description.world.robot_contacts import RobotContacts
from charmie_dynamics.model.flat.loop_following import FollowedMotion
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.robots import with_own_gravity, without_loops
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .estimation.base_motion import GRAVITY_PERIOD, BaseCoordinates, MeasuredBase
from .wire.scatter import MessageRecords, copy_numbers


class MobileBase:
    """Prepares each cycle of a robot whose base moves or is inclined, and completes it.

    Parameters
    ----------
    model : Model
    motion : MeasuredBase
    followed : FollowedMotion or None
        Of the same robot.
    contacts : RobotContacts or None
    """

    def __init__(
        self,
        model: Model,
        motion: MeasuredBase,
        followed: FollowedMotion | None,
        contacts: RobotContacts | None,
    ) -> None:
        self._motion, self._followed, self._contacts = motion, followed, contacts
        self._R_world_imu: Floats | None = None  # in the first cycle after gravity was computed
        self._is_outdated = False  # that rotation
        # whether a contact bore anything since the last report; None: contacts were not known
        self._is_borne: bool | None = None
        self._lowest = ""
        base = motion.base
        if base is not None and followed is not None:
            start = followed.arrays.start[base.positions]
            self._rest = BaseCoordinates(start, np.zeros(6), np.zeros(6))
        self._gravity: Floats | None = None  # of the copy of the model that is used
        self.carry(model)

    def carry(self, model: Model) -> Model:
        """Replace the loads; return the robot that is used: `model` with the measured gravity."""
        if self._gravity is not None:
            robot, gravity = with_own_gravity(model.robot)
            gravity[:] = self._gravity
            model, self._gravity = Model.of(robot), gravity
        self._model = model
        self._computed: int | None = None  # stamp of the last direction of gravity
        self._forces: ContactForces | None = None
        if self._contacts is None:
            return model
        self._forces = ContactForces.of(model, self._contacts)
        # rows of the actuators that are joints, and these joints
        rows = [k for k, name in enumerate(model.actuator_names) if name in model.joint_names]
        self._rows = np.array(rows, dtype=np.int64)
        index = model.layout.index
        self._efforts = index("actuator_effort")[model.actuator_index]
        joints = [model.joint_names.index(model.actuator_names[k]) for k in rows]
        self._joints = index("generalized_force")[np.array(joints, dtype=np.int64)]
        return model

    def move(self, stamp: int, now: float) -> Model | None:
        """Set the motion of a floating base, or gravity, for a cycle; as at the start if stale.

        Parameters
        ----------
        stamp : int
            Of the cycle (ns).
        now : float
            On a steady clock (s).

        Returns
        -------
        Model or None
            The same robot, to be used from now on: its gravity changes. None: no change.
        """
        motion, base = self._motion, self._motion.base
        if base is not None and self._followed is not None:
            found = motion.coordinates(stamp, now) or self._rest
            self._followed.hold(base.velocities, base.positions, found)
            return None
        last = self._computed
        if last is not None and 0 <= stamp - last < GRAVITY_PERIOD:
            return None
        self._computed = stamp
        # until the next cycle: this sample may start none
        self._is_outdated = True
        if self._R_world_imu is None:
            tree = Model.of(without_loops(self._model.robot))
            zero = tree.kinematics(tree.zero_position())
            self._R_world_imu = zero.frame(motion.link)[1]
        gravity = motion.gravity(stamp, now, self._R_world_imu)
        made = None
        if self._gravity is None:
            robot, self._gravity = with_own_gravity(self._model.robot)
            made = self._model = Model.of(robot)
        self._gravity[:] = self._model.mechanisms.gravity if gravity is None else gravity
        return made

    def with_contacts(
        self, state: State, messages: MessageRecords
    ) -> tuple[State, ContactLoads | None]:
        """Return a state whose efforts include the forces of the floor, and these forces.

        The messages of the cycle are changed, too. Without odometry, the state is returned. Joints
        that linear actuators move keep their generalised force. With odometry in the plane, the
        lowest points are on the floor.
        """
        if self._is_outdated:
            self._R_world_imu = state.frame(self._motion.link)[1].copy()
            self._is_outdated = False
        if self._forces is None or self._contacts is None or not self._motion.has_odometry:
            return state, None
        if not state.has_dynamics:
            return state, None
        found = self._forces.on_floor(state, self._contacts, from_lowest=self._motion.is_planar)
        loads = ContactLoads(*(array[0] for array in found))
        self._note(loads, self._contacts)
        block = state.block.copy()
        change = loads.effort - block[self._efforts]
        block[self._efforts] = loads.effort
        block[self._joints] += change[self._rows]
        copy_numbers(block, messages)
        return State(self._model.layout, block, True), loads

    def take_unborne(self) -> str | None:
        """Return the lowest contact if none bore anything since the last call, although known."""
        is_borne, self._is_borne = self._is_borne, None
        return self._lowest if is_borne is False else None

    def _note(self, loads: ContactLoads, contacts: RobotContacts) -> None:
        if loads.normal_force.any():
            self._is_borne = True
        elif not self._is_borne:
            self._is_borne = False
            n = np.array(contacts.normal) / np.linalg.norm(contacts.normal)
            heights = loads.point @ n - contacts.floor
            k = int(heights.argmin())
            height = f"{heights[k]:.4f} m above the floor"
            self._lowest = f"the lowest, '{contacts.contacts[k].name}', is {height}"
