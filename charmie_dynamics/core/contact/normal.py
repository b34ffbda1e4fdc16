# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laws of the normal force between two bodies in contact.

Each takes its parameters (array), the indentation x (m), its rate x' (m/s) and the rate v at touch
(m/s), and returns the force (N). The rate is positive while the bodies approach, by the outward
normal of a surface: the contact paper defines the sign of its eq. 35 in words only, and its eq. 30
would reverse the normal where the gap becomes an indentation.

A contact only pushes. Where a formula is negative, as eq. 41 before the end of a contact and eq. 42
to 44 if the bodies separate at more than v/a, the force is zero. So a contact ends when its force
does.

**Energy.** The force of a law at the rate zero is that of a spring. Its work from touch to the
indentation is the stored energy, K x^(n + 1) / (n + 1) for all laws here. The remaining force has
the sign of the rate and dissipates (force - spring) x' >= 0 (W). If a contact ends before x is
zero, the energy stored there is lost as well.
"""

from __future__ import annotations

from math import sqrt

from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats

# of each law: parameters, indentation, its rate, the rate at touch
NORMAL_ARGUMENTS = ("floats", "float", "float", "float")


@compiled
def spring_force(stiffness: float, exponent: float, indentation: float) -> float:
    """Return K x^n, zero without contact (eq. 38)."""
    if not indentation > 0.0:
        return 0.0
    # a root takes a quarter of the time of a power
    if exponent == 1.5:
        return stiffness * indentation * sqrt(indentation)
    if exponent == 1.0:
        return stiffness * indentation
    force: float = stiffness * indentation**exponent
    return force


@compiled_for(*NORMAL_ARGUMENTS)
def hooke(parameters: Floats, indentation: float, rate: float, touch_rate: float) -> float:
    """Return the force of a linear spring, without losses.

    Parameters
    ----------
    parameters : (1,) array
        Stiffness (N/m).
    """
    return spring_force(parameters[0], 1.0, indentation)  # eq. 37


@compiled_for(*NORMAL_ARGUMENTS)
def hertz(parameters: Floats, indentation: float, rate: float, touch_rate: float) -> float:
    """Return the force of elastic bodies with round surfaces, without losses.

    Parameters
    ----------
    parameters : (2,) array
        Stiffness K (N/m^n), exponent n.
    """
    return spring_force(parameters[0], parameters[1], indentation)  # eq. 38


@compiled_for(*NORMAL_ARGUMENTS)
def kelvin_voigt(parameters: Floats, indentation: float, rate: float, touch_rate: float) -> float:
    """Return the force of a linear spring and a linear damper.

    It jumps to D v at touch.

    Parameters
    ----------
    parameters : (2,) array
        Stiffness K (N/m), damping D (N s/m).
    """
    if not indentation > 0.0:
        return 0.0
    force: float = parameters[0] * indentation + parameters[1] * rate  # eq. 41
    return max(0.0, force)


@compiled_for(*NORMAL_ARGUMENTS)
def hysteretic(parameters: Floats, indentation: float, rate: float, touch_rate: float) -> float:
    """Return the force K x^n (1 + a x'/v) of the laws by Hunt and Crossley and their successors.

    They differ in the factor a, see `restitution`. A contact that begins at rest has v = 0. Below
    the least speed the damping is that of the least speed, and the impact is more elastic.

    Parameters
    ----------
    parameters : (4,) array
        Stiffness K (N/m^n), exponent n, factor a, least speed (m/s).
    """
    spring = spring_force(parameters[0], parameters[1], indentation)
    speed: float = max(touch_rate, parameters[3])
    force: float = spring * (1.0 + parameters[2] * rate / speed)  # eq. 42 to 44
    return max(0.0, force)
