# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pairs of ellipsoids and tori: Newton's method on the four conditions of seed eq. 33.

A surface has a point s with tangents t, b and the outward normal n (eq. 31) at two parameters. At
the points of contact of surfaces i and j

    d.t_i = d.b_i = 0,   n_i.t_j = n_i.b_j = 0,   d = s_j - s_i.

The second two replace d.t_j = d.b_j = 0. With these, all four conditions would be dependent where d
vanishes, so that the solution at touch could not be computed reliably. The distance is d.n_i with
its sign (eq. 32), the normal that of the surface, not d / |d| (eq. 30). A sphere is treated as an
ellipsoid. The parameters of an ellipsoid are small rotations of a unit vector, which restart from
zero after each step, so that there are no poles.

Newton's method starts from the last solution of the pair; with a torus, from points that are
nearest to each other, computed alternately; otherwise from the supports in the direction in which
the convex hulls are furthest apart. From these, solutions with a smaller distance than the hulls
are rejected; the last solution is followed without this test. If no start converges within
`ENOUGH`, or 100 times this where round-off allows no less, the status is NOT_CONVERGED.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.core.linear_equations import factorise_matrix, solve_with_factors
from charmie_dynamics.numerics.elementary import atan2, cos, sin, sqrt
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Vector,
    add,
    cross,
    dot,
    norm,
    rotate,
    rotate_back,
    scale,
    store,
    subtract,
)

from .planes import support
from .records import ELLIPSOID, NOT_CONVERGED, TORUS, Detection, Newton
from .writing import across, add_nearest, unit, write_nearest

MOST_STEPS = 30
ENOUGH = 1e-13
DIRECTIONS = 48
TURNS = 24
GOLDEN_ANGLE = 2.399963229728653  # rad
PI = 3.141592653589793
NEAR = 0.02  # rad: the accuracy at which Newton's method takes over


@compiled
def write_surface(detection: Detection, i: int, which: int, state: Any) -> None:
    """Write point, derivatives and normal of a surface.

    Parameters
    ----------
    detection : Detection
        Output: row `which` of `newton`.
    i : int
        Ellipsoid, sphere or torus.
    which : int
        0 or 1.
    state : (3,)
        Of an ellipsoid the unit vector y of the point diag(size) y; of a torus the angles about its
        axis and about the tube.
    """
    newton = detection.newton
    kind, size = detection.shapes.shape_type[i], detection.shapes.shape_size[i]
    R, p = detection.placed.R_world_shape[i], detection.placed.p_world_shape[i]
    if kind == TORUS:
        c, s, cc, ss = cos(state[0]), sin(state[0]), cos(state[1]), sin(state[1])
        r = size[1]
        reach = size[0] + r * cc
        point = (reach * c, reach * s, r * ss)
        t, b = (-reach * s, reach * c, 0.0), (-r * ss * c, -r * ss * s, r * cc)
        tt = (-reach * c, -reach * s, 0.0)
        tb = (r * ss * s, -r * ss * c, 0.0)
        bb = (-r * cc * c, -r * cc * s, -r * ss)
    else:
        y = (state[0], state[1], state[2])
        u = across(y)
        v = cross(y, u)
        second = size[1] if kind == ELLIPSOID else size[0]
        third = size[2] if kind == ELLIPSOID else size[0]
        point = (size[0] * y[0], second * y[1], third * y[2])
        t = (size[0] * u[0], second * u[1], third * u[2])
        b = (size[0] * v[0], second * v[1], third * v[2])
        tt = scale(-1.0, point)
        tb = (0.0, 0.0, 0.0)
        bb = tt
    store(newton.surface_point[which], add(p, rotate(R, point)))
    store(newton.surface_tangent[which, 0], rotate(R, t))
    store(newton.surface_tangent[which, 1], rotate(R, b))
    store(newton.surface_second[which, 0], rotate(R, tt))
    store(newton.surface_second[which, 1], rotate(R, tb))
    store(newton.surface_second[which, 2], rotate(R, bb))
    store(newton.surface_normal[which], unit(rotate(R, cross(t, b))))  # eq. 31


@compiled
def write_conditions(newton: Newton) -> float:
    """Write the four conditions, and return the largest, for tangents of length one."""
    d = subtract(newton.surface_point[1], newton.surface_point[0])
    n = newton.surface_normal[0]
    most = 0.0
    for e in range(2):
        t, b = newton.surface_tangent[0, e], newton.surface_tangent[1, e]
        newton.newton_rest[e] = dot(d, t)  # eq. 33
        newton.newton_rest[2 + e] = dot(n, b)
        size = newton.newton_size[0]
        most = max(most, max(abs(dot(d, t)) / (norm(t) * size), abs(dot(n, b)) / norm(b)))
    return most


@compiled
def write_jacobian(newton: Newton) -> None:
    """Write the derivatives of the four conditions by the two parameters of each surface."""
    d = subtract(newton.surface_point[1], newton.surface_point[0])
    n = newton.surface_normal[0]
    J = newton.newton_matrix
    t, b = newton.surface_tangent[0, 0], newton.surface_tangent[0, 1]
    area = norm(cross(t, b))
    for e in range(2):
        for by in range(2):
            tangent = newton.surface_tangent[0, e]
            second = newton.surface_second[0, e + by]
            J[4 * e + by] = dot(d, second) - dot(newton.surface_tangent[0, by], tangent)
            J[4 * e + 2 + by] = dot(newton.surface_tangent[1, by], tangent)
            # of n = t x b / |t x b|
            change = add(
                cross(newton.surface_second[0, by], b), cross(t, newton.surface_second[0, 1 + by])
            )
            change = scale(1.0 / area, subtract(change, scale(dot(n, change), n)))
            J[4 * (2 + e) + by] = dot(change, newton.surface_tangent[1, e])
            J[4 * (2 + e) + 2 + by] = dot(n, newton.surface_second[1, e + by])


@compiled
def moved(kind: int, state: Any, a: float, b: float) -> Vector:
    """Return the state of a surface after a step of its two parameters."""
    if kind == TORUS:
        return state[0] + a, state[1] + b, 0.0
    y = (state[0], state[1], state[2])
    u = across(y)
    return unit(add(y, add(scale(a, u), scale(b, cross(y, u)))))


@compiled
def state_of_support(detection: Detection, i: int, n: Any) -> Vector:
    """Return the state of a surface at its furthest point along a direction."""
    kind, size = detection.shapes.shape_type[i], detection.shapes.shape_size[i]
    R = detection.placed.R_world_shape[i]
    x, y, z = rotate_back(R, n)
    if kind == TORUS:
        return atan2(y, x), atan2(z, sqrt(x * x + y * y)), 0.0
    if kind == ELLIPSOID:
        return unit((size[0] * x, size[1] * y, size[2] * z))
    return x, y, z


@compiled
def state_near(detection: Detection, i: int, point: Any) -> Vector:
    """Return the state of a surface nearest to a point, approximate for an ellipsoid."""
    kind, size = detection.shapes.shape_type[i], detection.shapes.shape_size[i]
    R, p = detection.placed.R_world_shape[i], detection.placed.p_world_shape[i]
    x, y, z = rotate_back(R, subtract(point, p))
    if kind == TORUS:
        return atan2(y, x), atan2(z, sqrt(x * x + y * y) - size[0]), 0.0
    if kind == ELLIPSOID:
        x, y, z = x / size[0], y / size[1], z / size[2]
    return unit((x, y, z)) if norm((x, y, z)) > 0.0 else (0.0, 0.0, 1.0)


@compiled
def begin_at_nearest(detection: Detection, i: int, j: int) -> None:
    """Write start points of two surfaces, alternately computed as nearest to each other."""
    newton = detection.newton
    p = detection.placed.p_world_shape[j]
    point = (p[0], p[1], p[2])
    for turn in range(TURNS):
        e = turn % 2
        one = j if e else i
        store(newton.newton_state[e], state_near(detection, one, point))
        write_surface(detection, one, e, newton.newton_state[e])
        here = newton.surface_point[e]
        point = (here[0], here[1], here[2])


@compiled
def gap_along(detection: Detection, i: int, j: int, n: Any) -> float:
    """Return the distance of the convex hulls of two surfaces along a direction."""
    shapes, placed = detection.shapes, detection.placed
    total = dot(n, subtract(placed.p_world_shape[j], placed.p_world_shape[i]))
    for e in range(2):
        one = j if e else i
        side = scale(1.0 - 2.0 * e, n)
        point = support(
            shapes.shape_type[one], shapes.shape_size[one], placed.R_world_shape[one], side
        )
        total -= dot(side, point)
    return total


@compiled
def best_direction(detection: Detection, i: int, j: int) -> tuple[float, Vector]:
    """Return the approximate distance of the convex hulls of two surfaces, and its direction.

    The search takes the best of some directions all over the sphere and refines it. It is repeated
    from the opposite direction, since either may be the better one for shapes that overlap deeply.
    """
    placed = detection.placed
    between = subtract(placed.p_world_shape[j], placed.p_world_shape[i])
    found = unit(between) if norm(between) > 0.0 else (0.0, 0.0, 1.0)
    best = gap_along(detection, i, j, found)
    for s in range(DIRECTIONS):  # evenly over the sphere, along a spiral
        z = 1.0 - (2.0 * s + 1.0) / DIRECTIONS
        r = sqrt(1.0 - z * z)
        n = (r * cos(GOLDEN_ANGLE * s), r * sin(GOLDEN_ANGLE * s), z)
        f = gap_along(detection, i, j, n)
        if f > best:
            best, found = f, n
    first = refine_direction(detection, i, j, found)
    if first[0] > 0.0:
        return first
    opposite = refine_direction(detection, i, j, scale(-1.0, first[1]))
    return first if first[0] > opposite[0] else opposite


@compiled
def refine_direction(detection: Detection, i: int, j: int, start: Vector) -> tuple[float, Vector]:
    """Return the largest gap and its direction, from the best of eight around the one before."""
    found, best = start, gap_along(detection, i, j, start)
    radius, since = 0.5, 0
    while radius > NEAR:
        u = across(found)
        angle = 0.25 * PI * since
        aside = add(scale(cos(angle), u), scale(sin(angle), cross(found, u)))
        n = unit(add(found, scale(radius, aside)))
        f = gap_along(detection, i, j, n)
        since += 1
        if f > best:
            best, found, since = f, n, 0
        elif since == 8:
            radius, since = 0.5 * radius, 0
    return best, found


@compiled
def run_newton(detection: Detection, i: int, j: int) -> bool:
    """Take Newton steps from the states in `newton`; return whether the conditions hold."""
    newton = detection.newton
    kinds = (detection.shapes.shape_type[i], detection.shapes.shape_type[j])
    for e in range(2):
        write_surface(detection, j if e else i, e, newton.newton_state[e])
    rest = write_conditions(newton)
    for _ in range(MOST_STEPS):
        if rest <= ENOUGH:
            return True
        write_jacobian(newton)
        if not factorise_matrix(newton.newton_matrix, newton.newton_rows, 4):
            return False
        solve_with_factors(
            newton.newton_matrix, newton.newton_rows, newton.newton_rest, newton.newton_step
        )
        part, last = -1.0, rest
        most = 0.0
        for e in range(4):
            most = max(most, abs(newton.newton_step[e]))
        if most > 0.5:  # rad
            part = -0.5 / most
        for e in range(2):
            store(newton.newton_kept[e], newton.newton_state[e])
        for _ in range(8):
            for e in range(2):
                a, b = newton.newton_step[2 * e], newton.newton_step[2 * e + 1]
                state = moved(kinds[e], newton.newton_kept[e], part * a, part * b)
                store(newton.newton_state[e], state)
                write_surface(detection, j if e else i, e, newton.newton_state[e])
            rest = write_conditions(newton)
            if rest < last or rest <= ENOUGH:
                break
            part *= 0.5
        if not rest < last:
            return rest <= 100.0 * ENOUGH  # round-off allows no smaller residual
    return rest <= ENOUGH


@compiled
def is_contact(newton: Newton, least: float) -> bool:
    """Return whether a solution is a contact: not one of equal normals or of the far sides.

    Two surfaces are at least as far apart as their convex hulls are along any direction.
    """
    n = newton.surface_normal[0]
    if dot(n, newton.surface_normal[1]) >= 0.0:
        return False
    return dot(n, subtract(newton.surface_point[1], newton.surface_point[0])) >= least


@compiled
def smooth_and_smooth(detection: Detection, i: int, j: int, k: int) -> None:
    """Compute the contact of ellipsoids, spheres or tori i and j; output: pair k."""
    newton, contacts = detection.newton, detection.contacts
    size = 0.0
    for e in range(3):
        size = max(size, detection.shapes.shape_size[i][e])
        size = max(size, detection.shapes.shape_size[j][e])
    newton.newton_size[0] = size
    has_torus = detection.shapes.shape_type[j] == TORUS
    is_found = False
    least, along = -math.inf, (0.0, 0.0, 1.0)
    for attempt in range(3):
        if attempt == 0:
            if not contacts.is_warm[k]:
                continue
            for e in range(3):
                newton.newton_state[0, e] = contacts.warm_start[k, e]
                newton.newton_state[1, e] = contacts.warm_start[k, 3 + e]
        elif attempt == 1:
            least, along = best_direction(detection, i, j)
            if not has_torus:  # which is not convex
                continue
            begin_at_nearest(detection, i, j)
        else:
            store(newton.newton_state[0], state_of_support(detection, i, along))
            store(newton.newton_state[1], state_of_support(detection, j, scale(-1.0, along)))
        is_found = run_newton(detection, i, j) and is_contact(newton, least - 1e-12 * size)
        if is_found:
            break
    first, n = newton.surface_point[0], newton.surface_normal[0]
    distance = dot(n, subtract(newton.surface_point[1], first))  # eq. 32
    write_nearest(contacts, k, distance, (n[0], n[1], n[2]), (first[0], first[1], first[2]))
    contacts.is_warm[k] = 1 if is_found else 0
    if is_found:
        for e in range(3):
            contacts.warm_start[k, e] = newton.newton_state[0, e]
            contacts.warm_start[k, 3 + e] = newton.newton_state[1, e]
        add_nearest(contacts, k, 0, 1.0)
    else:
        contacts.pair_status[k] = NOT_CONVERGED
