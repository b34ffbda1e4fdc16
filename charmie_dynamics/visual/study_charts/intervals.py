# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Estimates with their intervals, in rows, relative to prior values."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.pictures.chart import add_axes, chart_file

WIDTH, TOP, BOTTOM = 1600, 110, 70  # pixels
ROW = 22  # for a number
FARTHEST = 3.0  # larger deviations are drawn at the border


def plot_intervals(
    path: str | os.PathLike[str],
    names: Sequence[str],
    estimate: Floats,
    half_width: Floats,
    *,
    title: str,
    subtitle: str = "",
    theme: str = "light",
) -> None:
    """Draw estimates as points and their intervals as lines; zero is the prior value.

    Parameters
    ----------
    path : path-like
        The file, .png or .svg, overwritten.
    names : sequence of str, length n
    estimate, half_width : (n,) array
        Difference from the described value, and half the interval, both relative to the scale of
        the number: the largest of described value, identified value and typical size.
    title, subtitle : str
    theme : {"light", "dark"}, optional

    Raises
    ------
    InputError
        For another ending.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from charmie_dynamics.visual.study_charts.intervals import plot_intervals
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "intervals.png"
    ...     plot_intervals(path, ["mass"], np.array([0.1]), np.array([0.02]), title="Numbers")
    ...     path.exists()
    True
    """
    height = TOP + BOTTOM + ROW * max(4, len(names))
    with chart_file(path, (WIDTH, height), title, subtitle, theme) as (figure, colors):
        box = (0.36, BOTTOM / height, 0.61, 1.0 - (TOP + BOTTOM) / height)
        axes = add_axes(figure, box, colors)
        rows = np.arange(len(names))
        reach = np.minimum(half_width, 2.0 * FARTHEST)
        axes.axvline(0.0, color=colors.lines[1], linewidth=1.4, label="described")
        axes.errorbar(
            np.clip(estimate, -FARTHEST, FARTHEST), rows, xerr=reach, fmt="o", markersize=4.5,
            color=colors.lines[0], ecolor=colors.lines[0], elinewidth=1.6, capsize=3.0,
            label="identified, with its interval of 95 %",
        )  # fmt: skip
        limit = 1.1 * float(np.max(np.abs(estimate) + reach, initial=0.1))
        axes.set_xlim(-min(limit, FARTHEST), min(limit, FARTHEST))
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_yticks(rows)
        axes.set_yticklabels(names, fontsize=10)
        axes.set_xlabel("difference from the described value, relative to the scale of the number",
                        fontsize=12, color=colors.ink)  # fmt: skip
        axes.legend(
            loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=2, frameon=False, fontsize=11,
            labelcolor=colors.ink,
        )  # fmt: skip
