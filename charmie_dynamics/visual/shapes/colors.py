# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Colours of loads and friction."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.numerics.jit import compiled, plain

from .shape import Color, Floats

NEUTRAL: Color = (0.62, 0.63, 0.66, 1.0)
PUSHING: Color = (0.90, 0.38, 0.00, 1.0)  # orange: positive effort
PULLING: Color = (0.00, 0.38, 0.80, 1.0)  # blue: negative effort
STEEL: Color = (0.35, 0.37, 0.41, 1.0)
BONE: Color = (0.45, 0.48, 0.53, 1.0)
KEY_POINT: Color = (0.15, 0.17, 0.20, 1.0)
MASS: Color = (0.95, 0.77, 0.06, 1.0)
MOMENT_POINT: Color = (0.80, 0.15, 0.45, 1.0)
SUPPORT: Color = (0.00, 0.55, 0.42, 1.0)  # bluish green: the polygon, and a margin inside it
REACTION: Color = (0.47, 0.25, 0.60, 1.0)
CONTACT_POINT: Color = MOMENT_POINT
SINGLE: Color = (0.72, 0.60, 0.44, 1.0)  # of bodies in a world that are not robots
# relative friction, and red, green, blue
FRICTION_COLORS = (
    (0.0, (0.00, 0.62, 0.45)),  # bluish green: far from slipping
    (0.7, (0.95, 0.70, 0.00)),  # amber
    (1.0, (0.84, 0.15, 0.10)),  # red: slipping
)
INK: Color = (0.13, 0.15, 0.18, 1.0)

# Exponent of relative loads in colours, which emphasises small ones: 5 % appears as a sixth.
EXPONENT = 0.6

# Of the table of colours: its steps of 1/256 of the range are not visible.
STEPS = 256


def _make_table() -> Floats:
    share = np.linspace(-1.0, 1.0, 2 * STEPS + 1)[:, None]
    x = np.abs(share) ** EXPONENT
    end = np.where(share >= 0.0, PUSHING, PULLING)
    table: Floats = np.asarray(NEUTRAL) + x * (end - np.asarray(NEUTRAL))
    table.flags.writeable = False
    return table


# A table, since a power of 21 numbers costs more than all colours from a table.
LOAD_COLORS = _make_table()


def load_colors(share: Floats) -> Floats:
    """Return the colours (k, 4) of loads (k,), relative to the rated ones, from -1 to 1.

    Grey at rest, orange for pushing (or turning forwards), blue for pulling; full colour at the
    rated load and beyond.
    """
    colors = np.empty((len(share), 4))
    plain(look_up_colors)(share, LOAD_COLORS, colors)
    return colors


@compiled
def look_up_colors(share: Floats, table: Floats, colors: Floats) -> None:
    """Write `load_colors` of k relative loads into an array (k, 4), from a table."""
    for k in range(share.shape[0]):
        place = share[k] * STEPS + (STEPS + 0.5)
        if not place > 0.0:  # also for NaN: stay within the table
            place = 0.0
        row = int(min(place, 2.0 * STEPS))
        for x in range(4):
            colors[k, x] = table[row, x]


@compiled
def rate_loads(
    block: Floats,
    places: tuple[int, int, int],
    per_load: Floats,
    sign: Floats,
    table: Floats,
    share: Floats,
    color: Floats,
) -> None:
    """Write relative values and colours of all loads.

    Parameters
    ----------
    block : (b,) array
        All numbers of a state.
    places : tuple of int
        Indices of efforts and tensions; q, the number of efforts.
    per_load, sign : (q + s,) array
        Reciprocals of the rated loads; 1 or -1, sign of their colours.
    table : (t, 4) array
        `LOAD_COLORS`.
    share, color : (q + s,) array, (q + s, 4) array
        Output.
    """
    effort_first, tension_first, count = places
    for k in range(share.shape[0]):
        place = effort_first + k if k < count else tension_first + k - count
        share[k] = sign[k] * block[place] * per_load[k]
    look_up_colors(share, table, color)
    for k in range(count, share.shape[0]):
        share[k] = -share[k]


def load_color(share: float) -> Color:
    """Return the colour of one load, see `load_colors`."""
    r, g, b, a = load_colors(np.array([share]))[0].tolist()
    return (r, g, b, a)


def friction_color(share: float, opacity: float = 1.0) -> Color:
    """Return the colour of a friction force relative to the largest: green, amber, red.

    Examples
    --------
    >>> from charmie_dynamics.visual.shapes.colors import friction_color
    >>> friction_color(0.7), friction_color(1.5)
    ((0.95, 0.7, 0.0, 1.0), (0.84, 0.15, 0.1, 1.0))
    """
    shares = [stop[0] for stop in FRICTION_COLORS]
    r, g, b = (
        float(np.interp(share, shares, [stop[1][i] for stop in FRICTION_COLORS])) for i in range(3)
    )
    return (r, g, b, opacity)
