# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bounds on the time until two shapes touch, and steps in which they would pass undetected.

No point of a shape is faster than the middle of the shape plus the angular velocity times the
largest distance of a point from the middle. Two shapes at the distance d, whose points are not
faster than s and t, do not touch before d / (s + t) (conservative advancement; Mirtich,
*Impulse-based Dynamic Simulation of Rigid Body Systems*, 1996, section 2.3). Rotations that do not
change a shape count as zero: all of a sphere, those about the axis of a cylinder or capsule.

A fixed step is rejected if a pair passes through each other, or meets and separates, within it. A
pair that approaches by less than `SHARE` of the sum of its half thicknesses cannot do so
undetected, except for grazing. The motion of all other pairs is traced with the initial twists.
"""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.numerics.elementary import cos, sin, sqrt
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    Ints,
    Vector,
    add,
    cross,
    dot,
    norm,
    scale,
    store,
    subtract,
)

from .body_motion import velocity_at
from .detection.methods import detect
from .detection.records import (
    CAPSULE,
    CYLINDER,
    FOUND,
    PLANE,
    SPHERE,
    Detection,
    DetectionAddresses,
)
from .records import BodyMotion

SHARE = 0.25  # of the sum of the half thicknesses
MARGIN = 1.0 / 32.0  # of the same: a smaller distance counts as touch while a motion is traced
DEEPEST = 0.9  # of the same: a deeper shape leaves on the other side
PLACES = 100  # largest number of positions of a traced motion


class Placement(NamedTuple):
    """The pose of a shape: the axes of its frame, and its middle."""

    x: Vector
    y: Vector
    z: Vector
    middle: Vector


@compiled
def write_speeds(detection: Detection, last_freedom: Ints, motion: BodyMotion) -> None:
    """Write the velocities of the placed shapes."""
    moving, placed = detection.moving, detection.placed
    moving.fastest_turn[0] = 0.0
    for d in range(motion.contact_angular.shape[0]):
        moving.fastest_turn[0] = max(moving.fastest_turn[0], norm(motion.contact_angular[d]))
    for i in range(detection.shapes.shape_type.shape[0]):
        kind = detection.shapes.shape_type[i]
        freedom = last_freedom[detection.shapes.shape_body[i]]
        turning = (0.0, 0.0, 0.0)
        if freedom >= 0 and kind != SPHERE:
            omega = motion.contact_angular[freedom]
            turning = (omega[0], omega[1], omega[2])
            if kind == CYLINDER or kind == CAPSULE:
                R = placed.R_world_shape[i]
                axis = (R[0, 2], R[1, 2], R[2, 2])
                turning = subtract(turning, scale(dot(turning, axis), axis))
        arm = subtract(placed.p_world_shape[i], motion.motion_reference)
        velocity = velocity_at(motion, freedom, arm)
        store(moving.shape_velocity[i], velocity)
        store(moving.shape_turning[i], turning)
        turn_speed = sqrt(dot(turning, turning)) * moving.shape_reach[i]
        moving.turn_speed[i] = turn_speed
        moving.point_speed[i] = sqrt(dot(velocity, velocity)) + turn_speed


@compiled
def inflate_boxes(detection: Detection, horizon: float) -> None:
    """Extend the bounding boxes to all positions that the shapes can reach within a time (s)."""
    moving, placed = detection.moving, detection.placed
    for i in range(detection.shapes.shape_type.shape[0]):
        if detection.shapes.shape_type[i] != PLANE:
            reach = max(moving.point_speed[i], moving.speed_floor[i]) * horizon
            for k in range(3):
                placed.box_low[i, k] -= reach
                placed.box_high[i, k] += reach


@compiled
def free_time(detection: Detection, k: int, horizon: float) -> float:
    """Return the time (s) within which a pair cannot touch, or meet and separate undetected.

    The speeds are at least the `speed_floor` of the shapes. -1: they overlap too deeply.
    """
    contacts, moving = detection.contacts, detection.moving
    i, j = contacts.pair_first[k], contacts.pair_second[k]
    speed = max(moving.point_speed[i], moving.speed_floor[i])
    speed += max(moving.point_speed[j], moving.speed_floor[j])
    thickness = moving.half_thickness[i] + moving.half_thickness[j]
    if contacts.pair_distance[k] < -DEEPEST * thickness:
        return -1.0
    way = max(contacts.pair_distance[k], SHARE * thickness)
    return horizon if way >= speed * horizon else way / speed


@compiled
def passes_unseen(
    detection: Detection, at: DetectionAddresses, methods: Ints, k: int, h: float
) -> float:
    """Return the speed (m/s) at which a pair would pass undetected in a step.

    0: it would not; -1: the shapes overlap too deeply.

    Parameters
    ----------
    detection : Detection
        With pair k at the beginning of the step.
    at, methods
        As of `detect`.
    k : int
    h : float
        Step (s).
    """
    contacts, moving = detection.contacts, detection.moving
    i, j = contacts.pair_first[k], contacts.pair_second[k]
    thickness = moving.half_thickness[i] + moving.half_thickness[j]
    relative = subtract(moving.shape_velocity[i], moving.shape_velocity[j])
    turn_speed = moving.turn_speed[i] + moving.turn_speed[j]
    speed = max(0.0, dot(relative, contacts.pair_normal[k])) + turn_speed
    distance = contacts.pair_distance[k]
    if distance < -DEEPEST * thickness:
        return -1.0
    if not speed * h > SHARE * thickness:
        return 0.0
    if distance <= 0.0:
        # a shape must not reach the other side of the shape that it overlaps
        return speed if speed * h > thickness + distance else 0.0
    margin = MARGIN * thickness + bend(detection, i, h) + bend(detection, j, h)
    if distance > speed * h + margin:
        return 0.0
    place_i, place_j = placement_of(detection, i), placement_of(detection, j)
    fastest, time, found = speed, 0.0, True
    for _ in range(PLACES):
        if not distance > margin:
            break
        time += (distance - 0.5 * margin) / max(speed, 1e-300)
        if time >= h:
            found = False
            break
        move_shape(detection, i, place_i, time)
        move_shape(detection, j, place_j, time)
        detect(detection, at, methods, k)
        if contacts.pair_status[k] != FOUND:
            break
        distance = contacts.pair_distance[k]
        speed = max(0.0, dot(relative, contacts.pair_normal[k])) + turn_speed
        fastest = max(fastest, speed)
    move_shape(detection, i, place_i, 0.0)
    move_shape(detection, j, place_j, 0.0)
    detect(detection, at, methods, k)
    return fastest if found else 0.0


@compiled
def bend(detection: Detection, i: int, h: float) -> float:
    """Return the largest deviation of a shape's path in a step from a straight line (m)."""
    moving = detection.moving
    way: float = 0.5 * h * h * moving.fastest_turn[0] * moving.point_speed[i]
    return way


@compiled
def placement_of(detection: Detection, i: int) -> Placement:
    """Return the pose of a shape."""
    R, p = detection.placed.R_world_shape[i], detection.placed.p_world_shape[i]
    return Placement(
        (R[0, 0], R[1, 0], R[2, 0]), (R[0, 1], R[1, 1], R[2, 1]), (R[0, 2], R[1, 2], R[2, 2]),
        (p[0], p[1], p[2]),
    )  # fmt: skip


@compiled
def move_shape(detection: Detection, i: int, start: Placement, time: float) -> None:
    """Move a shape to its pose after a time (s) with its present twist."""
    moving, placed = detection.moving, detection.placed
    velocity = moving.shape_velocity[i]
    store(placed.p_world_shape[i], add(start.middle, scale(time, velocity)))
    omega = moving.shape_turning[i]
    R = placed.R_world_shape[i]
    rate = sqrt(dot(omega, omega))
    axis = scale(1.0 / rate, omega) if rate > 0.0 else (0.0, 0.0, 0.0)
    store_axis(R, 0, turned(start.x, axis, rate * time))
    store_axis(R, 1, turned(start.y, axis, rate * time))
    store_axis(R, 2, turned(start.z, axis, rate * time))


@compiled
def turned(v: Vector, axis: Vector, angle: float) -> Vector:
    """Return a vector after a rotation about a unit axis (Rodrigues)."""
    if angle == 0.0:
        return v
    c, s = cos(angle), sin(angle)
    along = scale((1.0 - c) * dot(axis, v), axis)
    return add(add(scale(c, v), scale(s, cross(axis, v))), along)


@compiled
def store_axis(R: Floats, column: int, v: Vector) -> None:
    """Write a column of a matrix (3, 3)."""
    R[0, column], R[1, column], R[2, column] = v[0], v[1], v[2]
