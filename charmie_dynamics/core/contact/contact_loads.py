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
from charmie_dynamics.core.equations.kernels import RobotAddresses
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at, number_at, vectors_at
from charmie_dynamics.numerics.blocks import first_numbers, floats_of, lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Vector, dot, scale, subtract

from .body_motion import gather_efforts, push, velocity_at, write_motion
from .detection.methods import detect
from .detection.placement import place_shape
from .detection.records import FOUND, Detection, DetectionAddresses, DetectionSizes
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
    WATCHED_FIRST,
    WATCHED_FORCE,
    WATCHED_SECOND,
    BodyMotion,
    ContactRoom,
    ContactSizes,
    SceneAddresses,
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


class ContactSystem(NamedTuple):
    """The robot, its moving bodies and their shapes."""

    robot: Robot
    laws: ShapeLaws
    detection: Detection
    detection_at: DetectionAddresses
    motion: BodyMotion


@compiled_for(
    *("int", "int"),
    *("floats", "floats", "floats"),
    *("floats", "floats", "floats", "floats2"),
    "floats",
    *("bool", "bool", "float"),
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
    begins: bool,
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
    begins : bool
        Whether contacts begin and end here, so that the memory is written.
    with_energy : bool
        Whether the energy stored in contacts is computed.
    horizon : float
        The step (s), if contacts begin and end here; else the upper limit of the total FREE_TIME.
        0: neither.

    Returns
    -------
    int
        As `run_cycle`; CONTACTS_TOO_MANY, PAIRS_TOO_MANY, or PASSES_UNSEEN if a pair of shapes
        would meet and part within the step.
    """
    robot_at = first_numbers(RobotAddresses, robot_addresses)
    scene_at = first_numbers(SceneAddresses, scene_addresses)
    sizes = sizes_in(robot_at.ints)
    robot = lay_out(Robot, robot_at.ints, robot_at.floats, sizes)
    work = lay_out(ContactRoom, robot_at.ints, workspace, sizes)
    for c in range(sizes.q):
        work.contact_at_rest[c] = 0.0
    status = call_at(
        robot_at.run_cycle, robot_at.ints, robot_at.floats,
        position, velocity, work.contact_at_rest, floats_of(work.contact_cycle), False,
    )  # fmt: skip
    if status != REACHED:
        return status
    kinematics, motion = work.contact_cycle.kinematics, work.motion
    write_motion(robot, kinematics, motion)
    counts = first_numbers(ContactSizes, scene_at.laws_ints)
    laws = lay_out(ShapeLaws, scene_at.laws_ints, scene_at.laws_floats, counts)
    detection_at = DetectionAddresses(scene_at.detection_ints, scene_at.detection_floats)
    shape_counts = first_numbers(DetectionSizes, detection_at.ints)
    detection = lay_out(Detection, detection_at.ints, detection_at.floats, shape_counts)
    scene = ContactSystem(robot, laws, detection, detection_at, motion)
    place_shapes(detection, kinematics)
    if horizon > 0.0:
        write_speeds(detection, robot.freedoms.last_freedom, motion)
        inflate_boxes(detection, horizon)
    pairs = find_contacts(scene)
    if pairs < 0:
        return PAIRS_TOO_MANY
    for k in range(memory_rate.shape[0]):
        memory_rate[k] = 0.0
    for k in range(WATCHED_FORCE):
        totals[k] = 0.0
    if horizon > 0.0 and watch_pairs(scene, pairs, totals, begins, horizon):
        return PASSES_UNSEEN
    full = begins and renew_memory(scene, pairs, memory)
    react_to_all(scene, pairs, memory, memory_rate, totals, table, with_energy)
    gather_efforts(robot, motion, work.contact_effort)
    add_to_actuators(robot, work, effort)
    return CONTACTS_TOO_MANY if full else REACHED


@compiled
def react_to_all(
    scene: ContactSystem,
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
    scene : ContactSystem
    pairs : int
        Number of pairs of shapes near each other.
    memory, memory_rate, totals, table, with_energy
        As of `run_contact_loads`.
    """
    laws, detection = scene.laws, scene.detection
    count = 0
    for k in range(pairs):
        law = law_of(scene, k)
        for n in range(detection.contacts.point_count[k]):
            if detection.contacts.point_distance[k, n] < 0.0:
                point = touching_point(scene, k, n)
                load = load_of(laws, law, point, memory, memory_rate)
                react(scene, k, point, load)
                totals[CONTACT_POWER] += load.power
                watch_force(scene, k, load.normal, totals)
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
def watch_force(scene: ContactSystem, k: int, force: float, totals: Floats) -> None:
    """Write the normal force of a point if it is the largest of watched pairs."""
    if force > totals[WATCHED_FORCE]:
        first = scene.detection.contacts.pair_first[k]
        second = scene.detection.contacts.pair_second[k]
        groups = scene.laws.shape_group
        if scene.laws.is_watched[groups[first], groups[second]] == 1:
            totals[WATCHED_FORCE] = force
            totals[WATCHED_FIRST], totals[WATCHED_SECOND] = first, second


@compiled
def place_shapes(detection: Detection, kinematics: Kinematics) -> None:
    """Place all shapes and their bounding boxes."""
    for i in range(detection.shapes.shape_type.shape[0]):
        body = detection.shapes.shape_body[i]
        place_shape(detection, i, kinematics.R_world_frame[body], kinematics.p_world_frame[body])


@compiled
def watch_pairs(
    scene: ContactSystem, pairs: int, totals: Floats, refuses: bool, horizon: float
) -> bool:
    """Write FREE_TIME, or return whether a pair would pass undetected in a step, and write it."""
    detection, contacts, speed = scene.detection, scene.detection.contacts, 0.0
    totals[FREE_TIME] = horizon
    for k in range(pairs):
        if contacts.pair_status[k] != FOUND:
            continue
        if refuses:
            methods = scene.laws.method_address
            speed = passes_unseen(detection, scene.detection_at, methods, k, horizon)
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
def find_contacts(scene: ContactSystem) -> int:
    """Compute distances and contact points of pairs of placed shapes.

    Returns
    -------
    int
        Number of pairs near each other; -1: more than the workspace can hold.
    """
    detection = scene.detection
    count = sweep(detection, 0.0)
    if count > detection.contacts.pair_first.shape[0]:
        return -1
    for k in range(count):
        detect(detection, scene.detection_at, scene.laws.method_address, k)
        if detection.contacts.pair_status[k] != FOUND:
            detection.contacts.point_count[k] = 0
    return count


@compiled
def law_of(scene: ContactSystem, k: int) -> int:
    """Return the law of a pair of shapes."""
    contacts, groups = scene.detection.contacts, scene.laws.shape_group
    first, second = groups[contacts.pair_first[k]], groups[contacts.pair_second[k]]
    return int(scene.laws.law_of_groups[first, second])


@compiled
def touching_point(scene: ContactSystem, k: int, n: int) -> TouchingPoint:
    """Return a point of contact: its position, and the relative motion of the bodies there."""
    detection, laws, motion = scene.detection, scene.laws, scene.motion
    contacts, shapes = detection.contacts, detection.shapes
    first, second = contacts.pair_first[k], contacts.pair_second[k]
    at, normal = contacts.point_position[k, n], contacts.pair_normal[k]
    position, u = (at[0], at[1], at[2]), (normal[0], normal[1], normal[2])
    arm = subtract(position, motion.motion_reference)
    last = scene.robot.freedoms.last_freedom
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
def react(scene: ContactSystem, k: int, point: TouchingPoint, load: ContactLoad) -> None:
    """Apply the force at a point to both bodies."""
    detection, motion = scene.detection, scene.motion
    contacts, shapes = detection.contacts, detection.shapes
    arm = subtract(point.position, motion.motion_reference)
    # the normal points out of the first body, which the normal force pushes back
    force = subtract(load.friction, scale(load.normal, point.normal))
    last = scene.robot.freedoms.last_freedom
    push(motion, last[shapes.shape_body[contacts.pair_first[k]]], arm, force)
    push(motion, last[shapes.shape_body[contacts.pair_second[k]]], arm, scale(-1.0, force))


@compiled
def renew_memory(scene: ContactSystem, pairs: int, memory: Floats) -> bool:
    """Free the slots of separated points, and assign slots to points that begin to touch.

    Returns
    -------
    bool
        Whether there were too few slots.
    """
    detection = scene.detection
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
                point = touching_point(scene, k, n)
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
