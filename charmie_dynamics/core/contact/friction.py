# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laws of the friction force between two bodies in contact.

Each takes its parameters (array), the normal force (N), the tangential velocity (m/s) of the first
body relative to the second, as a vector without normal part, and its internal displacement z (m).
It returns the force on the first body (N), the rate of z (m/s), and the energy stored in z (J).

Friction opposes sliding: the contact paper prints its eq. 45 to 49 without the minus.

**Energy.** Friction takes -force . velocity (W). The part that does not increase the stored energy
is dissipated; it is never less than zero. All laws but the last store no energy and do not use z.

The laws of eq. 47 to 49 are functions of velocity that pass through zero: a body on a slope creeps.
`elasto_plastic` holds it at rest.
"""

from __future__ import annotations

from math import exp, sqrt

from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Vector, add, dot, norm, scale

# of each law: parameters, normal force, velocity, internal displacement
FRICTION_ARGUMENTS = ("floats", "float", "vector", "vector")
FrictionLoad = tuple[Vector, Vector, float]

NOTHING: Vector = (0.0, 0.0, 0.0)
# k |z| relative to the largest force L
ELASTIC_UP_TO = 0.9  # above it bristles begin to slip
LONGEST = 1.0  # an excess beyond this does not shorten z faster for each metre of sliding
SHORTEST = 1e-7  # m, far below the bending of bristles under a load


@compiled
def against(velocity: Vector, size: float) -> Vector:
    """Return a force of this size against a velocity; none at rest (eq. 46)."""
    speed = norm(velocity)
    if speed == 0.0:
        return NOTHING
    return scale(-size / speed, velocity)


@compiled
def cap(force: Vector, largest: float) -> Vector:
    """Return a force of no more than the largest size."""
    size = norm(force)
    if size > largest:
        return scale(largest / size, force)
    return force


@compiled_for(*FRICTION_ARGUMENTS)
def no_friction(
    parameters: Floats, normal_force: float, velocity: Vector, displacement: Vector
) -> FrictionLoad:
    """Return no force."""
    return NOTHING, NOTHING, 0.0


@compiled_for(*FRICTION_ARGUMENTS)
def coulomb(
    parameters: Floats, normal_force: float, velocity: Vector, displacement: Vector
) -> FrictionLoad:
    """Return the force of dry friction; at rest, where any smaller force is possible, zero.

    No step is small enough for a body at rest, where the force jumps between two signs.

    Parameters
    ----------
    parameters : (1,) array
        Kinetic coefficient.
    """
    return against(velocity, parameters[0] * normal_force), NOTHING, 0.0  # eq. 45


@compiled_for(*FRICTION_ARGUMENTS)
def threlfall(
    parameters: Floats, normal_force: float, velocity: Vector, displacement: Vector
) -> FrictionLoad:
    """Return the force that rises exponentially, to 95 % of dry friction at v0.

    Printed for v0 <= v <= v0; v <= v0 is meant. At v0 it falls from 1 - exp(-3) to 0.95, by 2.1e-4
    of dry friction.

    Parameters
    ----------
    parameters : (2,) array
        Kinetic coefficient, v0 (m/s).
    """
    speed, v0 = norm(velocity), parameters[1]
    share = 1.0 - exp(-3.0 * speed / v0) if speed <= v0 else 0.95  # eq. 47
    return against(velocity, share * parameters[0] * normal_force), NOTHING, 0.0


@compiled_for(*FRICTION_ARGUMENTS)
def bengisu_akay(
    parameters: Floats, normal_force: float, velocity: Vector, displacement: Vector
) -> FrictionLoad:
    """Return the force that rises by a parabola to static friction at v0, and falls to kinetic.

    In the form of Marques and others.

    Parameters
    ----------
    parameters : (4,) array
        Kinetic and static coefficient, v0 (m/s), xi (s/m).
    """
    kinetic, static, v0 = parameters[0], parameters[1], parameters[2]
    speed = norm(velocity)
    # eq. 48
    if speed < v0:
        coefficient = static * (1.0 - (speed / v0 - 1.0) ** 2)
    else:
        coefficient = kinetic + (static - kinetic) * exp(-parameters[3] * (speed - v0))
    return against(velocity, coefficient * normal_force), NOTHING, 0.0


@compiled_for(*FRICTION_ARGUMENTS)
def ambrosio(
    parameters: Floats, normal_force: float, velocity: Vector, displacement: Vector
) -> FrictionLoad:
    """Return the force that is zero up to v0 and rises to dry friction at v1.

    Parameters
    ----------
    parameters : (3,) array
        Kinetic coefficient, v0, v1 (m/s).
    """
    v0, v1 = parameters[1], parameters[2]
    speed = norm(velocity)
    # eq. 50; with v0 = v1 a step
    if speed <= v0:
        share = 0.0
    elif speed >= v1:
        share = 1.0
    else:
        share = (speed - v0) / (v1 - v0)
    return against(velocity, share * parameters[0] * normal_force), NOTHING, 0.0  # eq. 49


@compiled_for(*FRICTION_ARGUMENTS)
def elasto_plastic(
    parameters: Floats, normal_force: float, velocity: Vector, displacement: Vector
) -> FrictionLoad:
    """Return the force of a spring and a damper that slip; a body at rest does not creep.

    The elasto-plastic model of Dupont, Hayward, Armstrong and Altpeter (Single state elastoplastic
    friction models, IEEE Transactions on Automatic Control 47, 2002), for two directions. Bristles
    of stiffness k are bent by z. Up to `ELASTIC_UP_TO` of the largest force L they follow the
    bodies. Beyond, they slip increasingly, and at k |z| = L all motion along z is sliding:

        z' = v - s (v . z) z / |z|^2,   force = -(k z + d z'), at most L

    with s from 0 to 1, and no slip while they unbend (v . z < 0). L falls from static to kinetic
    friction with the speed, exp(-(v/v0)^2) (Stribeck). If it has fallen below k |z|, sliding
    shortens z. s rises smoothly, at the end as slowly as sliding shortens z: so z follows L at the
    rate v k / L. L is zero where a contact begins or ends. Lengths are increased by `SHORTEST`
    there, so that the rate stays finite.

    The stored energy is 1/2 k z^2. Unlike with bristles whose stiffness grows with the normal force
    (LuGre), a change of the normal force creates no energy; it changes L only. The damping force
    uses z' without shortening. The dissipated power is not negative for any motion, up to the
    energy stored in bristles that are bent by `SHORTEST`.

    Parameters
    ----------
    parameters : (5,) array
        Kinetic and static coefficient; tangential stiffness k (N/m) and damping d (N s/m); v0
        (m/s).
    """
    kinetic, static, stiffness, damping, v0 = (
        parameters[0], parameters[1], parameters[2], parameters[3], parameters[4],
    )  # fmt: skip
    square = dot(displacement, displacement)
    stored = 0.5 * stiffness * square
    ratio = dot(velocity, velocity) / (v0 * v0)
    largest = max(0.0, normal_force * (kinetic + (static - kinetic) * exp(-ratio)))
    more = stiffness * SHORTEST
    bent = (stiffness * sqrt(square) + more) / (largest + more)
    along = dot(velocity, displacement)
    slip, shortening, share = 0.0, 0.0, 0.0
    if bent > ELASTIC_UP_TO:
        u = min(1.0, (bent - ELASTIC_UP_TO) / (1.0 - ELASTIC_UP_TO))
        share = u * u * (3.0 - 2.0 * u - (1.0 - ELASTIC_UP_TO) * (1.0 - u))
    if along > 0.0:
        slip = share * along / (square + SHORTEST * SHORTEST)
        shortening = slip * min(LONGEST, max(0.0, bent - 1.0))
    stuck = add(velocity, scale(-slip, displacement))
    rate = add(stuck, scale(-shortening, displacement))
    force = add(scale(-stiffness, displacement), scale(-damping, stuck))
    return cap(force, largest), rate, stored
