# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints: viscous and Coulomb.

At rest, the friction of a joint may have any value up to its Coulomb friction; the best guess is
zero. So its sign is a ramp through zero below a transition speed.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.numerics.jit import compiled


@compiled
def friction_effort(viscous: Any, coulomb: Any, transition: Any, velocity: Any) -> Any:
    """Return the effort that overcomes the friction at a velocity.

    Of numbers in a kernel; as plain Python of arrays of NumPy, too.
    """
    x = velocity / transition
    size = abs(x)
    # by the larger one of 1 and |x|, without a choice
    sign = x / (0.5 * (size + 1.0 + abs(size - 1.0)))
    return viscous * velocity + coulomb * sign
