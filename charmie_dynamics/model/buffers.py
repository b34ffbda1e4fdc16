"""The arrays that the kernels write: allocated in one place, read-only once they are filled."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Dynamics, Kinematics, Record
from .flatten import FlatRobot

Lead = tuple[int, ...]


def allocate_kinematics(robot: FlatRobot, lead: Lead) -> Kinematics:
    """Return uninitialised arrays for steps 3 to 5, with the leading axes `lead`."""
    q, f = len(robot.joint_names), len(robot.frame_names)
    m, b = len(robot.member_names), len(robot.balance_names)
    return Kinematics(
        joint_position=np.empty((*lead, q)),
        joint_velocity=np.empty((*lead, q)),
        joint_acceleration=np.empty((*lead, q)),
        R_parent_frame=np.empty((*lead, f, 3, 3)),
        p_parent_frame=np.empty((*lead, f, 3)),
        R_world_frame=np.empty((*lead, f, 3, 3)),
        p_world_frame=np.empty((*lead, f, 3)),
        member_length=np.empty((*lead, m)),
        u_world_member=np.empty((*lead, m, 3)),
        balance_tip=np.empty((*lead, b, 3)),
        balance_spring_point=np.empty((*lead, b, 3)),
        spring_length=np.empty((*lead, len(robot.spring_names))),
    )


def allocate_dynamics(robot: FlatRobot, lead: Lead) -> Dynamics:
    """Return uninitialised arrays for steps 6 and 7, with the leading axes `lead`."""
    q, n = len(robot.joint_names), len(robot.body_names)
    a, b = len(robot.mechanisms.actuators.side), len(robot.balance_names)
    return Dynamics(
        angular_velocity=np.empty((*lead, n, 3)),
        angular_acceleration=np.empty((*lead, n, 3)),
        linear_acceleration=np.empty((*lead, n, 3)),
        open_force=np.empty((*lead, n, 3)),
        open_torque=np.empty((*lead, n, 3)),
        link_force=np.empty((*lead, n, 3)),
        link_torque=np.empty((*lead, n, 3)),
        joint_force=np.empty((*lead, n, 3)),
        joint_torque=np.empty((*lead, n, 3)),
        generalized_force=np.empty((*lead, q)),
        joint_effort=np.empty((*lead, q)),
        actuator_effort=np.empty((*lead, q)),
        spring_tension=np.empty((*lead, len(robot.spring_names))),
        load_force=np.empty((*lead, n, 3)),
        load_torque=np.empty((*lead, n, 3)),
        actuator_pin_force=np.empty((*lead, a, 3)),
        actuator_pin_torque=np.empty((*lead, a, 3)),
        balance_force=np.empty((*lead, b)),
        balance_pivot_force=np.empty((*lead, b, 3)),
        balance_torque=np.empty((*lead, b)),
    )


def sample_of(record: Record, n: int) -> Record:
    """Return views of sample `n` of arrays with a leading axis."""
    return type(record)(*(array[n] for array in record))
