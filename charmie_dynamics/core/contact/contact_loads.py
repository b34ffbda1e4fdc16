# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contacts at one state: forces by the laws, and their efforts on the coordinates.

Forward dynamics needs only the efforts on the coordinates. So contacts work in the same way for
robots with and without loops, and for single bodies.
"""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.core.arrays import CONTACTS_TOO_MANY, PASSES_UNSEEN, REACHED
from charmie_dynamics.numerics.addresses import Address, number_at, vectors_at
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Vector, dot, scale, subtract

from .body_motion import gather_efforts, push, velocity_at
from .contact_system import ContactSystem, any_passes, find_pairs, system_at, write_free_time
from .detection.records import Detection
from .evaluation import normal_energy
from .mean_motion import keep_start, may_deviate
from .memory import free_slot, key_of, slot_of, take_slot
from .records import (
    CONTACT_COUNT,
    CONTACT_POWER,
    CONTACT_STORED,
    DEPTH,
    DEPTH_RATE,
    DISPLACEMENT,
    FIRST,
    FRICTION_FORCE,
    KEY,
    MEMORY,
    NORMAL,
    NORMAL_FORCE,
    POINT,
    POINT_KEY,
    SECOND,
    STEP_BEGINS,
    STEP_ENDS,
    TOUCH_RATE,
    WATCHED_FIRST,
    WATCHED_FORCE,
    WATCHED_SECOND,
    WITHIN_STEP,
    ShapeLaws,
)
from .rollers import along, roller_axis

NONE = (0.0, 0.0, 0.0)


class TouchingPoint(NamedTuple):
    """A point of contact, in world axes.

    The depth is the indentation (m), its rate positive while the bodies approach; the normal that
    of the first body, outward; sliding the tangential velocity of the first body relative to the
    second (m/s), along the axis of the roller if the wheel has rollers; the share is the weight of
    the point's force.
    """

    key: float
    position: Vector
    normal: Vector
    depth: float
    rate: float
    sliding: Vector
    share: float
    roller: Vector
    has_rollers: bool


class ContactLoad(NamedTuple):
    """Normal force (N), friction on the first body (N), power taken (W), energy in friction (J)."""

    normal: float
    friction: Vector
    power: float
    stored: float


@compiled_for(
    *("int", "int"),
    *("floats", "floats", "floats"),
    *("floats", "floats", "floats", "floats2"),
    "floats",
    *("int", "bool", "float"),
)
def run_contact_loads(
    robot_addresses: Address,
    scene_addresses: Address,
    # state
    position: Floats,
    velocity: Floats,
    memory: Floats,
    # results
    memory_rate: Floats,
    effort: Floats,
    totals: Floats,
    table: Floats,
    workspace: Floats,
    # options
    phase: int,
    with_energy: bool,
    horizon: float,
) -> int:
    """Add the efforts of all contacts.

    Parameters
    ----------
    robot_addresses, scene_addresses : Address
        Of blocks of `RobotAddresses` and of `SceneAddresses`.
    position, velocity, memory : array
        Of the actuators (p,) and (v,); of the contacts, see `records`.
    memory_rate : array
        Output: the rates of the memory.
    effort : (v,) array
        Output: the efforts of the contacts are added.
    totals : (CONTACT_TOTALS,) array
        Output; that of watched pairs only grows.
    table : (rows, COLUMNS) array
        Output: the contacts, up to the number of rows.
    workspace : array
        The floats of a `ContactRoom`.
    phase : int
        WITHIN_STEP, STEP_BEGINS or STEP_ENDS.
    with_energy : bool
        Whether the energy stored in contacts is computed.
    horizon : float
        The step (s); within a step the upper limit of the total FREE_TIME. 0: neither.

    Returns
    -------
    int
        As `run_cycle`; CONTACTS_TOO_MANY, PAIRS_TOO_MANY, or PASSES_UNSEEN if a pair of shapes
        would meet and part within the step.
    """
    system = system_at(robot_addresses, scene_addresses, workspace)
    if phase == STEP_ENDS and not may_deviate(system, velocity, horizon):
        return REACHED
    status, pairs = find_pairs(system, position, velocity, horizon)
    if status != REACHED:
        return status
    if phase != WITHIN_STEP and horizon > 0.0 and any_passes(system, pairs, totals, horizon):
        return PASSES_UNSEEN
    if phase == STEP_ENDS:
        return REACHED
    for k in range(memory_rate.shape[0]):
        memory_rate[k] = 0.0
    for k in range(WATCHED_FORCE):
        totals[k] = 0.0
    if phase == WITHIN_STEP and horizon > 0.0:
        write_free_time(system, pairs, totals, horizon)
    if phase == STEP_BEGINS:
        keep_start(system, velocity)
    full = phase == STEP_BEGINS and renew_memory(system, pairs, memory)
    react_to_all(system, pairs, memory, memory_rate, totals, table, with_energy)
    gather_efforts(system.robot, system.motion, system.work.contact_effort)
    add_to_actuators(system, effort)
    return CONTACTS_TOO_MANY if full else REACHED


@compiled
def react_to_all(
    system: ContactSystem,
    pairs: int,
    memory: Floats,
    memory_rate: Floats,
    totals: Floats,
    table: Floats,
    with_energy: bool,
) -> None:
    """Apply the forces at all points; write the rates of the memory, totals and the table.

    Parameters
    ----------
    system : ContactSystem
    pairs : int
        Number of pairs of shapes near each other.
    memory, memory_rate, totals, table, with_energy
        As of `run_contact_loads`.
    """
    laws, detection = system.laws, system.detection
    count = 0
    for k in range(pairs):
        law = law_of(system, k)
        for n in range(detection.contacts.point_count[k]):
            if detection.contacts.point_distance[k, n] < 0.0:
                point = touching_point(system, k, n)
                load = load_of(laws, law, point, memory, memory_rate)
                react(system, k, point, load)
                totals[CONTACT_POWER] += load.power
                watch_force(system, k, load.normal, totals)
                if with_energy:
                    stored = normal_energy(
                        laws.normal_address[law], laws.normal_parameters[law], point.depth
                    )
                    totals[CONTACT_STORED] += point.share * stored + load.stored
                if count < table.shape[0]:
                    write_contact(detection, k, point, load, table[count])
                count += 1
    totals[CONTACT_COUNT] = count


@compiled
def watch_force(system: ContactSystem, k: int, force: float, totals: Floats) -> None:
    """Write the normal force of a point if it is the largest of watched pairs."""
    if force > totals[WATCHED_FORCE]:
        first = system.detection.contacts.pair_first[k]
        second = system.detection.contacts.pair_second[k]
        groups = system.laws.shape_group
        if system.laws.is_watched[groups[first], groups[second]] == 1:
            totals[WATCHED_FORCE] = force
            totals[WATCHED_FIRST], totals[WATCHED_SECOND] = first, second


@compiled
def law_of(system: ContactSystem, k: int) -> int:
    """Return the law of a pair of shapes."""
    contacts, groups = system.detection.contacts, system.laws.shape_group
    first, second = groups[contacts.pair_first[k]], groups[contacts.pair_second[k]]
    return int(system.laws.law_of_groups[first, second])


@compiled
def touching_point(system: ContactSystem, k: int, n: int) -> TouchingPoint:
    """Return a point of contact: its position, and the relative motion of the bodies there."""
    detection, laws, motion = system.detection, system.laws, system.motion
    contacts, shapes = detection.contacts, detection.shapes
    first, second = contacts.pair_first[k], contacts.pair_second[k]
    at, normal = contacts.point_position[k, n], contacts.pair_normal[k]
    position, u = (at[0], at[1], at[2]), (normal[0], normal[1], normal[2])
    arm = subtract(position, motion.motion_reference)
    last = system.robot.freedoms.last_freedom
    velocity = subtract(
        velocity_at(motion, last[shapes.shape_body[first]], arm),
        velocity_at(motion, last[shapes.shape_body[second]], arm),
    )
    # both bodies move towards each other: the normal leads from the first to the second
    rate = dot(velocity, u)
    sliding = subtract(velocity, scale(rate, u))
    R = detection.placed.R_world_shape
    axis, has_rollers = NONE, True
    if laws.has_rollers[first] == 1:
        axis = roller_axis(laws, first, R[first], scale(-1.0, u))
    elif laws.has_rollers[second] == 1:
        axis = roller_axis(laws, second, R[second], u)
    else:
        has_rollers = False
    if has_rollers:
        sliding = along(axis, sliding)
    key = key_of(first, second, shapes.shape_type.shape[0], contacts.point_feature[k, n])
    depth, share = -contacts.point_distance[k, n], contacts.point_share[k, n]
    return TouchingPoint(key, position, u, depth, rate, sliding, share, axis, has_rollers)


@compiled
def load_of(
    laws: ShapeLaws,
    law: int,
    point: TouchingPoint,
    memory: Floats,
    memory_rate: Floats,
) -> ContactLoad:
    """Return the force at a point by its law, and write the rate of its memory.

    A point without a slot began to touch during this step: its rate at touch is the present rate.
    """
    slot = slot_of(memory, point.key)
    touch_rate, displacement = max(point.rate, 0.0), NONE
    if slot >= 0:
        touch_rate = memory[slot + TOUCH_RATE]
        d = slot + DISPLACEMENT
        displacement = (memory[d], memory[d + 1], memory[d + 2])
        # the tangential plane has turned since
        displacement = subtract(displacement, scale(dot(displacement, point.normal), point.normal))
        if point.has_rollers:
            displacement = along(point.roller, displacement)
    normal = number_at(
        laws.normal_address[law], laws.normal_parameters[law], point.depth, point.rate, touch_rate
    )
    friction, rate, stored = vectors_at(
        laws.friction_address[law],
        laws.friction_parameters[law],
        normal,
        point.sliding,
        displacement,
    )
    if slot >= 0:
        for i in range(3):
            memory_rate[slot + DISPLACEMENT + i] = rate[i]
    share = point.share
    power = normal * point.rate - dot(friction, point.sliding)
    return ContactLoad(share * normal, scale(share, friction), share * power, share * stored)


@compiled
def react(system: ContactSystem, k: int, point: TouchingPoint, load: ContactLoad) -> None:
    """Apply the force at a point to both bodies."""
    detection, motion = system.detection, system.motion
    contacts, shapes = detection.contacts, detection.shapes
    arm = subtract(point.position, motion.motion_reference)
    # the normal points out of the first body, which the normal force pushes back
    force = subtract(load.friction, scale(load.normal, point.normal))
    last = system.robot.freedoms.last_freedom
    push(motion, last[shapes.shape_body[contacts.pair_first[k]]], arm, force)
    push(motion, last[shapes.shape_body[contacts.pair_second[k]]], arm, scale(-1.0, force))


@compiled
def renew_memory(system: ContactSystem, pairs: int, memory: Floats) -> bool:
    """Free the slots of separated points, and assign slots to points that begin to touch.

    Returns
    -------
    bool
        Whether there were too few slots.
    """
    detection = system.detection
    contacts, shapes = detection.contacts, detection.shapes.shape_type.shape[0]
    for slot in range(0, memory.shape[0], MEMORY):
        if memory[slot + KEY] != 0.0:
            found = False
            for k in range(pairs):
                first, second = contacts.pair_first[k], contacts.pair_second[k]
                for n in range(contacts.point_count[k]):
                    if contacts.point_distance[k, n] < 0.0:
                        key = key_of(first, second, shapes, contacts.point_feature[k, n])
                        found = found or key == memory[slot + KEY]
            if not found:
                free_slot(memory, slot)
    for k in range(pairs):
        for n in range(contacts.point_count[k]):
            if contacts.point_distance[k, n] < 0.0:
                point = touching_point(system, k, n)
                if slot_of(memory, point.key) < 0:
                    if take_slot(memory, point.key, max(point.rate, 0.0)) < 0:
                        return True
    return False


@compiled
def write_contact(
    detection: Detection, k: int, point: TouchingPoint, load: ContactLoad, row: Floats
) -> None:
    """Write a row of the table of contacts."""
    row[FIRST] = detection.contacts.pair_first[k]
    row[SECOND] = detection.contacts.pair_second[k]
    for i in range(3):
        row[POINT + i] = point.position[i]
        row[NORMAL + i] = point.normal[i]
        row[FRICTION_FORCE + i] = load.friction[i]
    row[DEPTH] = point.depth
    row[DEPTH_RATE] = point.rate
    row[NORMAL_FORCE] = load.normal
    row[POINT_KEY] = point.key


@compiled
def add_to_actuators(system: ContactSystem, effort: Floats) -> None:
    """Add the efforts on the joints to those of the actuators that move them."""
    contact_effort = system.work.contact_effort
    for c in range(effort.shape[0]):
        effort[c] += contact_effort[c] * system.work.joint_ratio[c]
