# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot, its shapes and their pairs at one state."""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.core.arrays import PAIRS_TOO_MANY, REACHED
from charmie_dynamics.core.equations.kernels import RobotAddresses
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, floats_of, lay_out
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats

from .body_motion import write_motion
from .detection.methods import detect
from .detection.placement import place_shape
from .detection.records import FOUND, Detection, DetectionAddresses, DetectionSizes
from .detection.sweep import sweep
from .passing import free_time, inflate_boxes, passes_unseen, write_speeds
from .records import (
    FREE_TIME,
    PASSING_FIRST,
    PASSING_SECOND,
    PASSING_SPEED,
    BodyMotion,
    ContactRoom,
    ContactSizes,
    SceneAddresses,
    ShapeLaws,
)


class ContactSystem(NamedTuple):
    """The robot, its moving bodies and their shapes."""

    robot_at: RobotAddresses
    robot: Robot
    laws: ShapeLaws
    detection: Detection
    detection_at: DetectionAddresses
    motion: BodyMotion
    work: ContactRoom


@compiled
def system_at(
    robot_addresses: Address, scene_addresses: Address, workspace: Floats
) -> ContactSystem:
    """Return the records at some addresses, see `run_contact_loads`."""
    robot_at = first_numbers(RobotAddresses, robot_addresses)
    scene_at = first_numbers(SceneAddresses, scene_addresses)
    sizes = sizes_in(robot_at.ints)
    robot = lay_out(Robot, robot_at.ints, robot_at.floats, sizes)
    work = lay_out(ContactRoom, robot_at.ints, workspace, sizes)
    counts = first_numbers(ContactSizes, scene_at.laws_ints)
    laws = lay_out(ShapeLaws, scene_at.laws_ints, scene_at.laws_floats, counts)
    detection_at = DetectionAddresses(scene_at.detection_ints, scene_at.detection_floats)
    shape_counts = first_numbers(DetectionSizes, detection_at.ints)
    detection = lay_out(Detection, detection_at.ints, detection_at.floats, shape_counts)
    return ContactSystem(robot_at, robot, laws, detection, detection_at, work.motion, work)


@compiled
def find_pairs(
    system: ContactSystem, position: Floats, velocity: Floats, horizon: float
) -> tuple[int, int]:
    """Place all bodies and shapes; compute distances and contact points of pairs near each other.

    Parameters
    ----------
    system : ContactSystem
    position, velocity : array
        Of the actuators (p,) and (v,).
    horizon : float
        If above zero, pairs are found that can touch within this time (s).

    Returns
    -------
    status : int
        As `run_cycle`, or PAIRS_TOO_MANY.
    pairs : int
        Their number.
    """
    robot_at, work, detection = system.robot_at, system.work, system.detection
    for c in range(work.contact_at_rest.shape[0]):
        work.contact_at_rest[c] = 0.0
    status = call_at(
        robot_at.run_cycle, robot_at.ints, robot_at.floats,
        position, velocity, work.contact_at_rest, floats_of(work.contact_cycle), False,
    )  # fmt: skip
    if status != REACHED:
        return status, 0
    kinematics = work.contact_cycle.kinematics
    actuators = system.robot.mechanisms.actuators
    for c in range(work.joint_ratio.shape[0]):
        work.joint_ratio[c] = 1.0
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        work.joint_ratio[c] = work.contact_cycle.inputs.position[c] / kinematics.actuator_lever[k]
    write_motion(system.robot, kinematics, system.motion)
    for i in range(detection.shapes.shape_type.shape[0]):
        body = detection.shapes.shape_body[i]
        place_shape(detection, i, kinematics.R_world_frame[body], kinematics.p_world_frame[body])
    if horizon > 0.0:
        write_speeds(detection, system.robot.freedoms.last_freedom, system.motion)
        inflate_boxes(detection, horizon)
    pairs = sweep(detection, 0.0)
    if pairs > detection.contacts.pair_first.shape[0]:
        return PAIRS_TOO_MANY, 0
    for k in range(pairs):
        detect(detection, system.detection_at, system.laws.method_address, k)
        if detection.contacts.pair_status[k] != FOUND:
            detection.contacts.point_count[k] = 0
    return REACHED, pairs


@compiled
def write_free_time(system: ContactSystem, pairs: int, totals: Floats, horizon: float) -> None:
    """Write FREE_TIME, and the pair that overlaps too deeply."""
    contacts = system.detection.contacts
    totals[FREE_TIME] = horizon
    for k in range(pairs):
        if contacts.pair_status[k] == FOUND:
            free = free_time(system.detection, k, horizon)
            totals[FREE_TIME] = min(totals[FREE_TIME], free)
            if free < 0.0:
                write_passing(system, k, free, totals)


@compiled
def any_passes(system: ContactSystem, pairs: int, totals: Floats, h: float) -> bool:
    """Return whether a pair would pass undetected in a step, and write it."""
    detection, methods = system.detection, system.laws.method_address
    for k in range(pairs):
        if detection.contacts.pair_status[k] == FOUND:
            speed = passes_unseen(detection, system.detection_at, methods, k, h)
            if speed != 0.0:
                write_passing(system, k, speed, totals)
                return True
    return False


@compiled
def write_passing(system: ContactSystem, k: int, speed: float, totals: Floats) -> None:
    """Write a pair and its speed."""
    totals[PASSING_FIRST] = system.detection.contacts.pair_first[k]
    totals[PASSING_SECOND] = system.detection.contacts.pair_second[k]
    totals[PASSING_SPEED] = speed
