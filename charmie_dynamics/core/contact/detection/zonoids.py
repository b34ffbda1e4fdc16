# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Signed distance of a point from a sum of segments and discs.

Boxes, cylinders and the axes of capsules are sums of segments and discs about their centres. So is
the Minkowski difference K of two such shapes, which is symmetric. The signed distance of the shapes
equals that of the vector c between their centres from K, less their radii:

    d = max over unit vectors n of f(n) = c.n - h(n),   h(n) = sum |g.n| + sum r |n - (n.a) a|

with half segments g, and discs of radius r across a (Schneider, *Convex Bodies*, section 1.7,
3.5). Any n gives a lower bound, so that trying any direction is safe. Outside of K there is one
local maximum; inside there are several, near the normals of flat faces of K.

`ascend` climbs to a local maximum by an active set: f is smooth but for kinks where n is across a
segment (an edge of K) or along the axis of a disc (a flat face). Among the directions of steepest
ascent that the kinks allow (the element of least length of the superdifferential) it takes Newton
steps on the sphere, each no further than the next kink and none that descends. At its kink, the
part that a segment or disc adds to the nearest point of K is not determined by n, but fitted. For
segments alone the ascent ends after a finite number of kinks at the normal of a face, which is a
vector product of two segments, exact to round-off; with discs the steps between kinks converge
quadratically. Since n is the unknown, and not the difference of two nearest points, no accuracy is
lost where the shapes just touch.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.numerics.elementary import atan2, cos, sin, sqrt
from charmie_dynamics.numerics.jit import compiled, compiled_apart
from charmie_dynamics.numerics.vectors import (
    Vector,
    add,
    cross,
    dot,
    norm,
    scale,
    store,
    subtract,
)

from .records import DISCS, SEGMENTS, Zonoid
from .writing import across, unit

PARALLEL = 1e-9  # sine of the angle that counts as zero; bounds the relative error of the distance
PARALLEL_PAIR = 1e-14  # squared sine of two segments: below, their 2 x 2 equations are singular
SAME_KINK = 1e-6  # n . (g_i x g_j) of unit vectors: below, n is not where the two kinks meet
LONGEST_STEP = 0.5  # rad; further away the second derivatives at n do not predict f
SHORTEST_STEP = 1e-17  # rad
PROBE_ANGLE = 1e-5  # rad; its square, by which f grows beside a ridge, is far above `ROUND_OFF`
MOST_STEPS = 60
MOST_SHORT_STEPS = 2  # after these the ascent ends
MOST_SWEEPS = 100  # limits the time: sweeps converge linearly, slowly where parts nearly align
LEAST_DECREASE = 1e-4  # of the squared remainder in a sweep, relative
# relative to the size of the sum and the point
ENOUGH = 1e-15  # smaller slopes, and increases of f in a step, count as zero
ROUND_OFF = 1e-14  # of f
RIDGE = 1e-12  # a smaller slope with a step of the greatest length is that of a ridge
# of the thinnest part: for a smaller overlap one ascent is enough, since the other local maxima
# belong to faces that are further away
SHALLOW = 0.1

NO_KINK = -1  # instead of the index of a segment


@compiled
def height(zonoid: Zonoid, n: Any) -> float:
    """Return f(n)."""
    c = zonoid.zonoid_point
    f = dot(c, n)
    for j in range(zonoid.zonoid_counts[SEGMENTS]):
        f -= abs(dot(zonoid.generator[j], n))
    for e in range(zonoid.zonoid_counts[DISCS]):
        a = zonoid.disc_axis[e]
        f -= zonoid.disc_radius[e] * norm(cross(a, n))
    return f


@compiled
def consider(zonoid: Zonoid, n: Any, best: float) -> float:
    """Keep a direction or its opposite if its height exceeds the best; return the larger height."""
    if dot(zonoid.zonoid_point, n) < 0.0:
        n = scale(-1.0, n)
    f = height(zonoid, n)
    if f > best:
        store(zonoid.zonoid_normal, n)
        return f
    return best


@compiled
def fit_pair(zonoid: Zonoid, i: int, j: int, rest: Vector) -> Vector:
    """Write the parts of two segments for which the remainder is shortest, and return that.

    The least |rest - s g_i - t g_j| with |s|, |t| <= 1 is in the interior or on a side. The given
    remainder is that with the present parts.
    """
    a, b = zonoid.generator[i], zonoid.generator[j]
    aa, ab, bb = dot(a, a), dot(a, b), dot(b, b)
    determinant = aa * bb - ab * ab
    if determinant < PARALLEL_PAIR * aa * bb:
        return rest  # the parts one by one are as good
    rest = add(rest, add(scale(zonoid.generator_part[i], a), scale(zonoid.generator_part[j], b)))
    ra, rb = dot(rest, a), dot(rest, b)
    s_best, t_best = (ra * bb - rb * ab) / determinant, (rb * aa - ra * ab) / determinant
    best = -1.0
    if not (abs(s_best) <= 1.0 and abs(t_best) <= 1.0):
        for side in range(4):
            end = 1.0 if side & 1 else -1.0
            if side & 2:
                s, t = end, min(max((rb - end * ab) / bb, -1.0), 1.0)
            else:
                s, t = min(max((ra - end * ab) / aa, -1.0), 1.0), end
            here = subtract(rest, add(scale(s, a), scale(t, b)))
            size = dot(here, here)
            if best < 0.0 or size < best:
                best, s_best, t_best = size, s, t
    zonoid.generator_part[i] = s_best
    zonoid.generator_part[j] = t_best
    return subtract(rest, add(scale(s_best, a), scale(t_best, b)))


@compiled
def fit_parts(zonoid: Zonoid, rest: Vector) -> Vector:
    """Write the parts at kinks for which the remainder is shortest, and return that.

    Sweeps fit one part after the other, and each pair of segments. For less than two degrees of
    freedom, of which a segment has one and a disc two, the first sweep is exact.
    """
    count = zonoid.zonoid_counts[SEGMENTS]
    for _ in range(MOST_SWEEPS):
        before = dot(rest, rest)
        freedoms = 0
        for e in range(zonoid.zonoid_counts[DISCS]):
            if zonoid.disc_state[e]:
                q = zonoid.disc_part[e]
                whole = add(rest, q)
                size, r = norm(whole), zonoid.disc_radius[e]
                fitted = whole if size <= r else scale(r / size, whole)
                store(q, fitted)
                rest = subtract(whole, fitted)
                freedoms += 2
        for i in range(count):
            if zonoid.generator_state[i]:
                g = zonoid.generator[i]
                freedoms += 1
                old = zonoid.generator_part[i]
                part = min(max(old + dot(rest, g) / dot(g, g), -1.0), 1.0)
                zonoid.generator_part[i] = part
                rest = subtract(rest, scale(part - old, g))
                for j in range(i):
                    if zonoid.generator_state[j]:
                        rest = fit_pair(zonoid, i, j, rest)
        if freedoms < 2 or dot(rest, rest) >= before * (1.0 - LEAST_DECREASE):
            break
    return rest


@compiled
def steepest(zonoid: Zonoid, n: Any) -> Vector:
    """Mark the kinks at a direction, and return the steepest ascent that they allow.

    Writes the parts of all segments and discs at the nearest point of K.
    """
    c = zonoid.zonoid_point
    gradient = (c[0], c[1], c[2])
    for j in range(zonoid.zonoid_counts[SEGMENTS]):
        g = zonoid.generator[j]
        along = dot(g, n)
        at_kink = abs(along) <= PARALLEL * zonoid.generator_length[j]
        zonoid.generator_state[j] = 1 if at_kink else 0
        part = 0.0 if at_kink else (1.0 if along > 0.0 else -1.0)
        zonoid.generator_part[j] = part
        gradient = subtract(gradient, scale(part, g))
    for e in range(zonoid.zonoid_counts[DISCS]):
        a = zonoid.disc_axis[e]
        flat = subtract(n, scale(dot(a, n), a))
        size = norm(flat)
        at_kink = size <= PARALLEL
        zonoid.disc_state[e] = 1 if at_kink else 0
        radius = 0.0 if at_kink else zonoid.disc_radius[e] / size
        on_rim = scale(radius, flat)
        store(zonoid.disc_part[e], on_rim)
        gradient = subtract(gradient, on_rim)
    return fit_parts(zonoid, subtract(gradient, scale(dot(gradient, n), n)))


@compiled
def curvature(zonoid: Zonoid, n: Any, u: Any, v: Any) -> float:
    """Return u.H.v of the second derivatives of f by n, which discs alone have."""
    total = 0.0
    for e in range(zonoid.zonoid_counts[DISCS]):
        if not zonoid.disc_state[e]:
            t = cross(zonoid.disc_axis[e], n)
            size = norm(t)
            total -= zonoid.disc_radius[e] * dot(t, u) * dot(t, v) / (size * size * size)
    return total


@compiled
def newton_step(zonoid: Zonoid, n: Any, ascent: Any, f: float) -> tuple[Vector, float]:
    """Return the direction of a step across n, and the angle.

    Parameters
    ----------
    zonoid : Zonoid
        As `steepest` left it.
    n, ascent : (3,)
    f : float
        Height at n.
    """
    # f is homogeneous of degree one: its second derivatives on the unit sphere are H - f I
    slope = norm(ascent)
    u = scale(1.0 / slope, ascent)
    uu = curvature(zonoid, n, u, u) - f
    at_kink = False  # then the step is along the ascent, also where it leaves the kink
    for j in range(zonoid.zonoid_counts[SEGMENTS]):
        if zonoid.generator_state[j]:
            at_kink = True
    for e in range(zonoid.zonoid_counts[DISCS]):
        if zonoid.disc_state[e]:
            at_kink = True
    if not at_kink:
        v = cross(n, u)
        uv, vv = curvature(zonoid, n, u, v), curvature(zonoid, n, v, v) - f
        determinant = uu * vv - uv * uv
        if uu < 0.0 and determinant > 0.0:
            along, aside = -slope * vv / determinant, slope * uv / determinant
            size = sqrt(along * along + aside * aside)
            step = scale(1.0 / size, add(scale(along, u), scale(aside, v)))
            return step, min(size, LONGEST_STEP)
    return u, min(-slope / uu, LONGEST_STEP) if uu < 0.0 else LONGEST_STEP


@compiled
def step_to_kink(zonoid: Zonoid, n: Any, step: Any, angle: float) -> tuple[int, float]:
    """Return the first segment at which a step has a kink, and the angle of the step up to there.

    Without a kink they are NO_KINK and the given angle.
    """
    first = NO_KINK
    for j in range(zonoid.zonoid_counts[SEGMENTS]):
        if not zonoid.generator_state[j]:
            g = zonoid.generator[j]
            along, change = dot(g, n), dot(g, step)
            if along * change < 0.0:
                here = atan2(abs(along), abs(change))
                if here < angle:
                    first, angle = j, here
    return first, angle


@compiled
def onto_kink(zonoid: Zonoid, n: Any, j: int) -> Vector:
    """Return a direction exactly across segment j, and across a segment at whose kink n is."""
    g = scale(1.0 / zonoid.generator_length[j], zonoid.generator[j])
    for i in range(zonoid.zonoid_counts[SEGMENTS]):
        if zonoid.generator_state[i]:
            both = cross(scale(1.0 / zonoid.generator_length[i], zonoid.generator[i]), g)
            if abs(dot(both, n)) > SAME_KINK:
                both = unit(both)
                return both if dot(both, n) > 0.0 else scale(-1.0, both)
    return unit(subtract(n, scale(dot(g, n), g)))


@compiled
def onto_same_kink(zonoid: Zonoid, n: Any) -> Vector:
    """Return a direction after a step, exactly across the segment whose kink it has not left."""
    for j in range(zonoid.zonoid_counts[SEGMENTS]):
        if zonoid.generator_state[j] and abs(zonoid.generator_part[j]) < 1.0:
            g = zonoid.generator[j]
            return unit(subtract(n, scale(dot(g, n) / dot(g, g), g)))
    return unit(n)


@compiled
def off_ridge(zonoid: Zonoid, n: Any, f: float, size: float) -> Vector:
    """Return a direction of larger f next to a stationary one, or `n` if there is none."""
    u = across(n)
    v = cross(n, u)
    for side in range(4):
        aside = scale(PROBE_ANGLE if side & 1 else -PROBE_ANGLE, v if side & 2 else u)
        tried = unit(add(n, aside))
        if height(zonoid, tried) > f + ROUND_OFF * size:
            return tried
    return n[0], n[1], n[2]


@compiled
def search_along(
    zonoid: Zonoid, n: Any, f: float, step: Any, angle: float, kink: int, tolerance: float
) -> tuple[Vector, float, bool]:
    """Return the end of a step, its height, and whether the step became too short.

    The step is halved until f does not decrease by more than the tolerance, which is `ROUND_OFF`
    for steps that are too short.

    Parameters
    ----------
    zonoid : Zonoid
        As `steepest` left it.
    n, f
        Start of the step, and its height.
    step, angle, kink
        Direction of the step, its angle and the segment at whose kink it ends, or NO_KINK.
    tolerance : float
    """
    f_tried, tried, is_too_short = f, n, False
    for _ in range(MOST_STEPS):
        tried = add(scale(cos(angle), n), scale(sin(angle), step))
        if kink == NO_KINK:
            tried = onto_same_kink(zonoid, tried)
        else:
            tried = onto_kink(zonoid, tried, kink)
        f_tried = height(zonoid, tried)
        # a step to a kink is progress even at the same height: the next one moves along the kink
        if f_tried > f - tolerance or (kink != NO_KINK and f_tried == f):
            break
        angle *= 0.5
        kink = NO_KINK
        if angle < SHORTEST_STEP:
            is_too_short = True
            tolerance = ROUND_OFF * size_of(zonoid)
    return tried, f_tried, is_too_short


@compiled_apart
def ascend(zonoid: Zonoid) -> float:
    """Climb from the normal to a local maximum; write it and the parts; return its height."""
    normal = zonoid.zonoid_normal
    n = (normal[0], normal[1], normal[2])
    f = height(zonoid, n)
    size = size_of(zonoid)
    short_steps = 0  # too short for f to show an increase
    for _ in range(MOST_STEPS):
        ascent = steepest(zonoid, n)
        slope = norm(ascent)
        step, angle = newton_step(zonoid, n, ascent, f) if slope > ENOUGH * size else (n, 0.0)
        is_stationary = angle == 0.0
        on_ridge = angle >= LONGEST_STEP and slope < RIDGE * size
        if is_stationary or on_ridge or short_steps == MOST_SHORT_STEPS:
            # outside of K, where f is positive, a stationary direction is the maximum
            higher = off_ridge(zonoid, n, f, size) if f < 0.0 else n
            if higher == n:
                break
            n, short_steps = higher, 0
            f = height(zonoid, n)
            continue
        kink, angle = step_to_kink(zonoid, n, step, angle)
        if slope * angle < ENOUGH * size and kink == NO_KINK:
            short_steps += 1
        tolerance = ROUND_OFF * size if short_steps > 0 else 0.0
        n, f, is_too_short = search_along(zonoid, n, f, step, angle, kink, tolerance)
        if is_too_short:
            short_steps = MOST_SHORT_STEPS
    store(normal, n)
    return f


@compiled
def size_of(zonoid: Zonoid) -> float:
    """Return the size that round-off is relative to: of the point and all segments."""
    size = norm(zonoid.zonoid_point)
    for j in range(zonoid.zonoid_counts[SEGMENTS]):
        size += zonoid.generator_length[j]
    return size


@compiled
def seed(zonoid: Zonoid, s: int) -> tuple[bool, Vector]:
    """Return whether candidate s for the first direction exists, and its direction.

    In order: the normals of each pair of segments; the axes of the discs; the direction of the
    point, projected across the axis of each disc; across each segment; not projected.
    """
    count, discs = zonoid.zonoid_counts[SEGMENTS], zonoid.zonoid_counts[DISCS]
    for j in range(count):
        if s < j:
            a, b = zonoid.generator[s], zonoid.generator[j]
            normal = cross(a, b)
            if norm(normal) <= PARALLEL * zonoid.generator_length[s] * zonoid.generator_length[j]:
                return False, normal
            return True, unit(normal)
        s -= j
    c = zonoid.zonoid_point
    if s < 2 * discs:
        axis = zonoid.disc_axis[s % discs]
        a = (axis[0], axis[1], axis[2])
        if s < discs:
            return True, a
        away = subtract(c, scale(dot(a, c), a))
        return True, unit(away) if norm(away) > PARALLEL * norm(c) else across(a)
    s -= 2 * discs
    if s < count:
        g = zonoid.generator[s]
        away = subtract(c, scale(dot(g, c) / dot(g, g), g))
        if not norm(away) > PARALLEL * norm(c):
            return False, away
        return True, unit(away)
    if norm(c) > 0.0:
        return True, unit(c)
    return False, (0.0, 0.0, 1.0)


@compiled
def signed_distance(zonoid: Zonoid) -> float:
    """Return the signed distance of the point; write the normal and the nearest parts.

    If the point is outside of the sum or not deep inside, one ascent from the best seed is enough.
    Deeper inside a sum of segments only, the best seed is the result; with discs an ascent starts
    from every seed.
    """
    count, discs = zonoid.zonoid_counts[SEGMENTS], zonoid.zonoid_counts[DISCS]
    thinnest = math.inf
    for j in range(count):
        thinnest = min(thinnest, zonoid.generator_length[j])
    for e in range(discs):
        thinnest = min(thinnest, zonoid.disc_radius[e])
    seeds = count * (count - 1) // 2 + 2 * discs + count + 1
    best = -math.inf
    store(zonoid.zonoid_normal, (0.0, 0.0, 1.0))
    for s in range(seeds):
        exists, n = seed(zonoid, s)
        if exists:
            best = consider(zonoid, n, best)
    best = ascend(zonoid)
    if best > -SHALLOW * thinnest or discs == 0:
        return best
    normal = zonoid.zonoid_normal
    n = (normal[0], normal[1], normal[2])
    for s in range(seeds):
        exists, tried = seed(zonoid, s)
        if exists:
            if dot(tried, zonoid.zonoid_point) < 0.0:
                tried = scale(-1.0, tried)
            store(normal, tried)
            f = ascend(zonoid)
            if f > -SHALLOW * thinnest:
                return f
            if f > best:
                best = f
                n = (normal[0], normal[1], normal[2])
    store(normal, n)
    return ascend(zonoid)  # again from the highest maximum, to write its parts
