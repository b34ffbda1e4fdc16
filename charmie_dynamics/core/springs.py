"""Extension springs (multibody paper, eq. 35)."""

from __future__ import annotations

from .jit import compiled


@compiled
def spring_tension(length: float, stiffness: float, free_length: float, pretension: float) -> float:
    """Return the tension (N) of an extension spring, never negative.

    Eq. 35 with the elongation as length - free length (printed the other way round). The coils
    of such a spring touch at the free length, and it takes the pretension to part them; shorter
    than that, the spring hangs loose.
    """
    if length > free_length:
        return stiffness * (length - free_length) + pretension
    return 0.0
