# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contributions of the bodies to the inertia and weight of each actuator, as stacked bars."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from charmie_dynamics.model.contributions import INERTIA_UNITS, SPRINGS, Contributions
from charmie_dynamics.numerics.vectors import Floats

from .chart import LEFT, add_axes, headed_figure, require_format, save_chart
from .themes import Theme, theme_named

WIDTH = 1600
# distances in pixels
TOP, BOTTOM, NAMES, TOTALS = 164, 66, 200, 144
ROW, LEGEND_ROW = 30, 24
LEGEND_COLUMNS = 7
BAR = 0.78  # of a row
ALMOST_ZERO = 1e-6  # N or N m: smaller efforts count as zero
PALE = 0.5  # of the second set of colours: a tint of the first


class _Part(NamedTuple):
    """A coloured part of the bars."""

    label: str
    inertia: Floats  # (q,)
    effort: Floats  # (q,), of weight or of springs
    color: Any
    hatch: str = ""


def plot_contributions(
    path: str | os.PathLike[str],
    contributions: Contributions,
    *,
    title: str = "Which body makes an actuator heavy",
    subtitle: str = "",
    theme: str = "light",
) -> None:
    """Draw the contribution of each body to the inertia and weight of each actuator.

    There is a row for each actuator: on the left its effective inertia (for an acceleration of this
    actuator alone), on the right the efforts due to the weight of the bodies and to springs. Bars
    are relative to the sum of all magnitudes; the numbers at their ends are the sums in the units
    of the actuator. The bodies with the largest contributions have a colour, twice as many as the
    theme has; the other bodies are drawn together.

    Parameters
    ----------
    path : path-like
        The file, .png or .svg, overwritten.
    contributions : Contributions
        From `Model.contributions`.
    title, subtitle : str, optional
        Heading of the figure and a line below it.
    theme : {"light", "dark"}, optional

    Raises
    ------
    InputError
        For another ending.
    UnknownNameError
        For another theme.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.visual.pictures import plot_contributions
    >>> model = load_model()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "contributions.svg"
    ...     plot_contributions(path, model.contributions(model.zero_position()))
    ...     path.exists()
    True
    """
    require_format(path)
    colors = theme_named(theme)
    parts = _parts(contributions, colors)
    q = len(contributions.velocity_names)
    top = TOP + LEGEND_ROW * ((len(parts) - 1) // LEGEND_COLUMNS)
    height = top + q * ROW + BOTTOM
    figure = headed_figure((WIDTH, height), title, subtitle, colors)
    half = (WIDTH - NAMES - 2 * TOTALS) / 2
    for n in range(2):
        left = NAMES + n * (half + TOTALS)
        box = (left / WIDTH, BOTTOM / height, half / WIDTH, q * ROW / height)
        axes = add_axes(figure, box, colors)
        _dress_rows(axes, contributions.velocity_names if n == 0 else None)
        if n == 0:
            _draw_inertia(axes, contributions, parts, colors)
        else:
            _draw_effort(axes, contributions, parts, colors)
    figure.legend(
        handles=[_patch(part, colors) for part in parts],
        loc="upper left",
        bbox_to_anchor=((LEFT - 8) / WIDTH, 1.0 - 82 / height),
        ncol=LEGEND_COLUMNS,
        frameon=False,
        fontsize=11,
        labelcolor=colors.ink,
        handlelength=1.2,
        handletextpad=0.5,
        columnspacing=1.4,
    )
    save_chart(path, figure)


def _patch(part: _Part, theme: Theme) -> Patch:
    edge = theme.muted if part.hatch else part.color
    return Patch(facecolor=part.color, hatch=part.hatch, edgecolor=edge, label=part.label)


def _parts(contributions: Contributions, theme: Theme) -> list[_Part]:
    """Return the bodies with the largest contributions, the sum of the others, and the springs."""
    inertia = np.einsum("bii->bi", contributions.inertia)
    effort = contributions.gravity_effort
    # the largest contribution to any actuator, so that the remainder is small in every bar
    size = _part_of(inertia).max(axis=1, initial=0.0)
    colors = [*theme.lines, *(_pale(color, theme) for color in theme.lines)]
    largest = np.argsort(-size, kind="stable")[: len(colors)]
    named = sorted(int(b) for b in largest if size[b] > 0.0)
    parts = [
        _Part(contributions.body_names[b], inertia[b], effort[b], color)
        for b, color in zip(named, colors, strict=False)
    ]
    others = [b for b in range(len(size)) if b not in named and size[b] > 0.0]
    if others:
        label = (
            f"{len(others)} other bodies"
            if len(others) > 1
            else contributions.body_names[others[0]]
        )
        rest = inertia[others].sum(axis=0), effort[others].sum(axis=0)
        parts.append(_Part(label, *rest, _pale(theme.muted, theme)))
    if np.abs(contributions.spring_effort).max(initial=0.0) > ALMOST_ZERO:
        none = np.zeros_like(contributions.spring_effort)
        parts.append(_Part(SPRINGS, none, contributions.spring_effort, theme.background, "////"))
    return parts


def _part_of(values: Floats) -> Floats:
    """Return values (n, q) relative to the sum of their magnitudes; zero if the sum is zero."""
    whole = np.abs(values).sum(axis=0)
    return values / np.where(whole > ALMOST_ZERO, whole, np.inf)


def _pale(color: str, theme: Theme) -> tuple[float, ...]:
    own, ground = np.array(to_rgb(color)), np.array(to_rgb(theme.background))
    return tuple((PALE * own + (1.0 - PALE) * ground).tolist())


def _dress_rows(axes: Axes, names: Sequence[str] | None) -> None:
    q = 0 if names is None else len(names)
    axes.set_yticks(range(q), names or [])
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def _draw_inertia(
    axes: Axes, contributions: Contributions, parts: Sequence[_Part], theme: Theme
) -> None:
    values = np.array([part.inertia for part in parts])
    _draw_bars(axes, values, parts, theme)
    axes.set_xlim(0.0, 100.0)
    axes.set_xlabel("contribution / %", fontsize=12, color=theme.ink, labelpad=2)
    _head(axes, "Effective inertia", theme)
    units = [INERTIA_UNITS[unit] for unit in contributions.effort_units]
    _write_totals(axes, values.sum(axis=0), units, theme)


def _draw_effort(
    axes: Axes, contributions: Contributions, parts: Sequence[_Part], theme: Theme
) -> None:
    values = np.array([part.effort for part in parts])
    _draw_bars(axes, values, parts, theme)
    axes.set_xlim(-103.0, 103.0)
    axes.axvline(0.0, color=theme.muted, linewidth=0.8)
    axes.set_xlabel(
        "contribution of the sum of all magnitudes / %", fontsize=12, color=theme.ink, labelpad=2
    )
    _head(axes, "Effort that holds weight and springs", theme)
    _write_totals(axes, values.sum(axis=0), contributions.effort_units, theme)


def _draw_bars(axes: Axes, values: Floats, parts: Sequence[_Part], theme: Theme) -> None:
    """Stack positive values to the right and negative ones to the left of zero."""
    contribution = 100.0 * _part_of(values)
    count = values.shape[1]
    ends = np.zeros((2, count))  # of the bars so far
    for part, widths in zip(parts, contribution, strict=True):
        side = np.where(widths < 0.0, 1, 0)
        rows = np.flatnonzero(widths)
        axes.barh(
            rows,
            widths[rows],
            BAR,
            left=ends[side[rows], rows],
            color=part.color,
            hatch=part.hatch,
            edgecolor=theme.muted if part.hatch else theme.background,
            linewidth=0.6,
        )
        ends[side, np.arange(count)] += widths
    axes.set_ylim(count - 0.5, -0.5)


def _head(axes: Axes, title: str, theme: Theme) -> None:
    axes.set_title(title, loc="left", pad=8, fontsize=13, fontweight="bold", color=theme.ink)


def _write_totals(axes: Axes, totals: Floats, units: Sequence[str], theme: Theme) -> None:
    for row, (total, unit) in enumerate(zip(totals, units, strict=True)):
        text = f"{total:.3g} {unit.replace('^2', '²')}" if abs(total) > ALMOST_ZERO else "0"
        axes.text(
            1.015,
            row,
            text,
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=10.5,
            color=theme.ink,
        )
