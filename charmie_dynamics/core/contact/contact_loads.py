# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contacts at one state: forces by the laws, and their efforts on the coordinates.

Forward dynamics needs only the efforts on the coordinates. So contacts work in the same way for
robots with and without loops, and for single bodies.
"""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.core.arrays import (
    CONTACTS_TOO_MANY,
    PAIRS_TOO_MANY,
    PASSES_UNSEEN,
    REACHED,
    Kinematics,
)
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at, number_at, vectors_at
from charmie_dynamics.numerics.blocks import first_numbers, float_count, lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Vector, dot, scale, store, subtract

from .body_motion import gather_efforts, push, velocity_at, write_motion
from .detection.methods import detect
from .detection.placement import place_shape
from .detection.records import FOUND, Detection, DetectionSizes
from .detection.sweep import sweep
from .evaluation import normal_energy
from .memory import free_slot, key_of, slot_of, take_slot
from .passing import free_time, inflate_boxes, passes_unseen, write_speeds
from .records import (
    CONTACT_COUNT,
    CONTACT_POWER,
    CONTACT_STORED,
    DEPTH,
    DEPTH_RATE,
    DISPLACEMENT,
    FIRST,
    FREE_TIME,
    FRICTION_FORCE,
    KEY,
    MEMORY,
    NORMAL,
    NORMAL_FORCE,
    PASSING_FIRST,
    PASSING_SECOND,
    PASSING_SPEED,
    POINT,
    POINT_KEY,
    SECOND,
    TOUCH_RATE,
    BodyMotion,
    ContactRoom,
    ContactSizes,
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


Seen = tuple[Robot, ShapeLaws, Detection, BodyMotion]


@compiled_for(
    "(int, int, int)",
    "(int, int, int, int)",
    "(floats2, floats2)",
    "(floats, floats, floats, floats, floats)",
    "floats",
    "floats2",
    "(bool, bool)",
    "float",
)
def run_contact_loads(
    robot_addresses: tuple[Address, Address, Address],
    scene_addresses: tuple[Address, Address, Address, Address],
    parameters: tuple[Floats, Floats],
    arrays: tuple[Floats, Floats, Floats, Floats, Floats],
    room: Floats,
    table: Floats,
    how: tuple[bool, bool],
    horizon: float,
) -> int:
    """Add the efforts of all contacts.

    Parameters
    ----------
    robot_addresses : tuple of Address
        The two blocks of a `Robot`, and `run_cycle`.
    scene_addresses : tuple of Address
        The two blocks of a `ShapeLaws`, and those of a `Detection`.
    parameters : tuple of (laws, k) array
        Of the normal laws and of the friction laws.
    arrays : tuple of array
        States (x,): positions, then the memory of the contacts; velocities (v,); rates (x,), of
        which those of the memory are written; efforts (v,), to which is added; totals
        (CONTACT_TOTALS,), which are written.
    room : array
        The floats of a `ContactRoom`.
    table : (rows, COLUMNS) array
        Output: the contacts, up to the number of rows.
    how : tuple of bool
        Whether contacts begin and end here, so that their memory is written; and whether the stored
        energy is requested.
    horizon : float
        The step (s), if contacts begin and end here; else the upper limit of the total FREE_TIME.
        0: neither.

    Returns
    -------
    int
        As `run_cycle`; CONTACTS_TOO_MANY, PAIRS_TOO_MANY, or PASSES_UNSEEN if a pair of shapes
        would meet and part within the step.
    """
    ints, floats, run_cycle = robot_addresses
    states, velocity, rates, effort, totals = arrays
    begins, with_energy = how
    sizes = sizes_in(ints)
    p = sizes.q + sizes.w
    robot = lay_out(Robot, ints, floats, sizes)
    work = lay_out(ContactRoom, ints, room, sizes)
    for c in range(sizes.q):
        work.contact_at_rest[c] = 0.0
    block = room[float_count(ContactRoom, sizes) - float_count(CycleRecord, sizes) :]
    at_rest = room[: sizes.q]
    status = call_at(run_cycle, ints, floats, states[:p], velocity, at_rest, block, False)
    if status != REACHED:
        return status
    kinematics = work.contact_cycle.kinematics
    write_motion(robot, kinematics, work.motion)
    counts = first_numbers(ContactSizes, scene_addresses[0])
    scene = lay_out(ShapeLaws, scene_addresses[0], scene_addresses[1], counts)
    shape_counts = first_numbers(DetectionSizes, scene_addresses[2])
    detection = lay_out(Detection, scene_addresses[2], scene_addresses[3], shape_counts)
    blocks = scene_addresses[2], scene_addresses[3]
    place_shapes(detection, kinematics)
    if horizon > 0.0:
        write_speeds(detection, robot.freedoms.last_freedom, work.motion)
        inflate_boxes(detection, horizon)
    pairs = find_contacts(scene, detection, blocks)
    if pairs < 0:
        return PAIRS_TOO_MANY
    memory, memory_rate = states[p:], rates[p:]
    for k in range(memory_rate.shape[0]):
        memory_rate[k] = 0.0
    for k in range(totals.shape[0]):
        totals[k] = 0.0
    if horizon > 0.0 and watch_pairs(scene, detection, blocks, pairs, totals, begins, horizon):
        return PASSES_UNSEEN
    seen = (robot, scene, detection, work.motion)
    full = begins and renew_memory(seen, pairs, memory)
    react_to_all(seen, pairs, parameters, (memory, memory_rate, totals), table, with_energy)
    gather_efforts(robot, work.motion, work.contact_effort)
    add_to_actuators(robot, work, effort)
    return CONTACTS_TOO_MANY if full else REACHED


@compiled
def react_to_all(
    seen: Seen,
    pairs: int,
    parameters: tuple[Floats, Floats],
    out: tuple[Floats, Floats, Floats],
    table: Floats,
    with_energy: bool,
) -> None:
    """Apply the forces at all points; write the rates of the memory, totals and the table.

    Parameters
    ----------
    seen, pairs, parameters
        As in `run_contact_loads`.
    out : tuple of array
        Memory, its rates, and totals.
    table
        As in `run_contact_loads`.
    with_energy : bool
        Whether the stored energy is computed.
    """
    _, scene, detection, _ = seen
    memory, memory_rate, totals = out
    count = 0
    for k in range(pairs):
        law = law_of(scene, detection, k)
        for n in range(detection.contacts.point_count[k]):
            if detection.contacts.point_distance[k, n] < 0.0:
                point = touching_point(seen, k, n)
                load = load_of(scene, law, parameters, point, memory, memory_rate)
                react(seen, k, point, load)
                totals[CONTACT_POWER] += load.power
                if with_energy:
                    stored = normal_energy(
                        scene.normal_address[law], parameters[0][law], point.depth
                    )
                    totals[CONTACT_STORED] += point.share * stored + load.stored
                if count < table.shape[0]:
                    write_contact(detection, k, point, load, table[count])
                count += 1
    totals[CONTACT_COUNT] = count


@compiled
def place_shapes(detection: Detection, kinematics: Kinematics) -> None:
    """Place all shapes and their bounding boxes."""
    for i in range(detection.shapes.shape_type.shape[0]):
        body = detection.shapes.shape_body[i]
        place_shape(detection, i, kinematics.R_world_frame[body], kinematics.p_world_frame[body])


@compiled
def watch_pairs(
    scene: ShapeLaws,
    detection: Detection,
    blocks: tuple[Address, Address],
    pairs: int,
    totals: Floats,
    refuses: bool,
    horizon: float,
) -> bool:
    """Write FREE_TIME, or return whether a pair would pass undetected in a step, and write it."""
    contacts, speed = detection.contacts, 0.0
    totals[FREE_TIME] = horizon
    for k in range(pairs):
        if contacts.pair_status[k] != FOUND:
            continue
        if refuses:
            speed = passes_unseen(detection, blocks, scene.method_address, k, horizon)
        else:
            free = free_time(detection, k, horizon)
            totals[FREE_TIME] = min(totals[FREE_TIME], free)
            speed = min(0.0, free)
        if speed != 0.0:
            totals[PASSING_FIRST] = contacts.pair_first[k]
            totals[PASSING_SECOND] = contacts.pair_second[k]
            totals[PASSING_SPEED] = speed
            if refuses:
                return True
    return False


@compiled
def find_contacts(scene: ShapeLaws, detection: Detection, blocks: tuple[Address, Address]) -> int:
    """Compute distances and contact points of pairs of placed shapes.

    Returns
    -------
    int
        Number of pairs near each other; -1: more than the workspace can hold.
    """
    count = sweep(detection, 0.0)
    if count > detection.contacts.pair_first.shape[0]:
        return -1
    for k in range(count):
        detect(detection, blocks, scene.method_address, k)
        if detection.contacts.pair_status[k] != FOUND:
            detection.contacts.point_count[k] = 0
    return count


@compiled
def law_of(scene: ShapeLaws, detection: Detection, k: int) -> int:
    """Return the law of a pair of shapes."""
    contacts = detection.contacts
    first = scene.shape_group[contacts.pair_first[k]]
    return int(scene.law_of_groups[first, scene.shape_group[contacts.pair_second[k]]])


@compiled
def touching_point(seen: Seen, k: int, n: int) -> TouchingPoint:
    """Return a point of contact: its position, and the relative motion of the bodies there."""
    robot, scene, detection, motion = seen
    contacts, shapes = detection.contacts, detection.shapes
    first, second = contacts.pair_first[k], contacts.pair_second[k]
    at, normal = contacts.point_position[k, n], contacts.pair_normal[k]
    position, u = (at[0], at[1], at[2]), (normal[0], normal[1], normal[2])
    arm = subtract(position, motion.motion_reference)
    last = robot.freedoms.last_freedom
    velocity = subtract(
        velocity_at(motion, last[shapes.shape_body[first]], arm),
        velocity_at(motion, last[shapes.shape_body[second]], arm),
    )
    # both bodies move towards each other: the normal leads from the first to the second
    rate = dot(velocity, u)
    sliding = subtract(velocity, scale(rate, u))
    R = detection.placed.R_world_shape
    axis, has_rollers = NONE, True
    if scene.has_rollers[first] == 1:
        axis = roller_axis(scene, first, R[first], scale(-1.0, u))
    elif scene.has_rollers[second] == 1:
        axis = roller_axis(scene, second, R[second], u)
    else:
        has_rollers = False
    if has_rollers:
        sliding = along(axis, sliding)
    key = key_of(first, second, shapes.shape_type.shape[0], contacts.point_feature[k, n])
    depth, share = -contacts.point_distance[k, n], contacts.point_share[k, n]
    return TouchingPoint(key, position, u, depth, rate, sliding, share, axis, has_rollers)


@compiled
def load_of(
    scene: ShapeLaws,
    law: int,
    parameters: tuple[Floats, Floats],
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
        scene.normal_address[law], parameters[0][law], point.depth, point.rate, touch_rate
    )
    friction, rate, stored = vectors_at(
        scene.friction_address[law], parameters[1][law], normal, point.sliding, displacement
    )
    if slot >= 0:
        store(memory_rate[slot + DISPLACEMENT : slot + DISPLACEMENT + 3], rate)
    share = point.share
    power = normal * point.rate - dot(friction, point.sliding)
    return ContactLoad(share * normal, scale(share, friction), share * power, share * stored)


@compiled
def react(seen: Seen, k: int, point: TouchingPoint, load: ContactLoad) -> None:
    """Apply the force at a point to both bodies."""
    robot, _, detection, motion = seen
    contacts, shapes = detection.contacts, detection.shapes
    arm = subtract(point.position, motion.motion_reference)
    # the normal points out of the first body, which the normal force pushes back
    force = subtract(load.friction, scale(load.normal, point.normal))
    last = robot.freedoms.last_freedom
    push(motion, last[shapes.shape_body[contacts.pair_first[k]]], arm, force)
    push(motion, last[shapes.shape_body[contacts.pair_second[k]]], arm, scale(-1.0, force))


@compiled
def renew_memory(seen: Seen, pairs: int, memory: Floats) -> bool:
    """Free the slots of separated points, and assign slots to points that begin to touch.

    Returns
    -------
    bool
        Whether there were too few slots.
    """
    detection = seen[2]
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
                point = touching_point(seen, k, n)
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
def add_to_actuators(robot: Robot, work: ContactRoom, effort: Floats) -> None:
    """Add the efforts on the joints to those of the actuators that move them."""
    cycle, actuators = work.contact_cycle, robot.mechanisms.actuators
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        ratio = cycle.inputs.position[c] / cycle.kinematics.actuator_lever[k]
        work.contact_effort[c] = work.contact_effort[c] * ratio
    for c in range(effort.shape[0]):
        effort[c] += work.contact_effort[c]
