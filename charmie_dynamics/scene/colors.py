"""Colours of loads, legible with every kind of colour vision."""

from __future__ import annotations

from .shapes import Color

NEUTRAL: Color = (0.62, 0.63, 0.66, 1.0)
PUSHING: Color = (0.90, 0.38, 0.00, 1.0)  # orange: positive effort
PULLING: Color = (0.00, 0.38, 0.80, 1.0)  # blue: negative effort
STEEL: Color = (0.35, 0.37, 0.41, 1.0)
MASS: Color = (0.95, 0.77, 0.06, 1.0)
MOMENT_POINT: Color = (0.80, 0.15, 0.45, 1.0)


def load_color(share: float) -> Color:
    """Return the colour of a load given as share of the rated one, from -1 to 1.

    Grey at rest, orange for pushing (or turning forwards), blue for pulling; full colour at the
    rated load and beyond.
    """
    end = PUSHING if share >= 0.0 else PULLING
    x = min(abs(share), 1.0) ** 0.6  # small loads still show
    r, g, b = (n + x * (e - n) for n, e in zip(NEUTRAL[:3], end[:3], strict=True))
    return (r, g, b, 1.0)
