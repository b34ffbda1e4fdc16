# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sensitivities: the contribution of each variable to the variance of each quantity."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.pictures.chart import add_axes, chart_file

WIDTH = 1600
FEW = 6  # variables, whose names fit above their diagrams
BAR = 88  # pixels for a quantity


def plot_sensitivities(
    path: str | os.PathLike[str],
    quantities: Sequence[str],
    variables: Sequence[str],
    first: Floats,
    total: Floats,
    total_error: Floats,
    *,
    title: str,
    theme: str = "light",
) -> None:
    """Draw Sobol's indices as bars, a diagram per variable.

    Parameters
    ----------
    path : path-like
        The file, .png or .svg, overwritten.
    quantities, variables : sequence of str
        Names of m quantities and n variables.
    first, total, total_error : (m, n) array
        Contribution of a variable to the variance, alone and with interactions, and the half width
        of the interval of the latter.
    title : str
    theme : {"light", "dark"}, optional

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from charmie_dynamics.visual.study_charts.sensitivities import plot_sensitivities
    >>> shares = np.array([[0.2, 0.7]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "shares.png"
    ...     plot_sensitivities(path, ("peak",), ("stiffness", "length"), shares, shares + 0.1,
    ...                        0.05 * np.ones((1, 2)), title="What each variable changes")
    ...     path.exists()
    True
    """
    heading = 130 if len(variables) <= FEW else 160
    height = 40 + heading + BAR * max(2, len(quantities))
    subtitle = (
        "Sobol's indices: share of the variance, alone (dark) and together with others (pale); "
        "lines: 95 %"
    )
    with chart_file(path, (WIDTH, height), title, subtitle, theme) as (figure, colors):
        width = 0.86 / len(variables)
        rows = np.arange(len(quantities))
        for k, variable in enumerate(variables):
            bottom = 50 / height
            box = (0.12 + k * width, bottom, 0.9 * width, 1.0 - bottom - heading / height)
            axes = add_axes(figure, box, colors)
            axes.barh(
                rows, total[:, k], 0.72, color=colors.lines[0], alpha=0.35,
                xerr=total_error[:, k], ecolor=colors.muted,
            )  # fmt: skip
            axes.barh(rows, first[:, k], 0.36, color=colors.lines[0])
            axes.set_yticks(rows)
            axes.set_yticklabels(quantities if k == 0 else [])
            axes.set_ylim(len(quantities) - 0.5, -0.5)
            axes.set_xlim(0.0, 1.05)
            # long names of narrow diagrams would overlap in one line
            lines = variable if len(variables) <= FEW else variable.replace("_", "\n")
            axes.set_title(lines, color=colors.ink, fontsize=11)
