# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Colours of plots and pictures, on light and on dark ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from charmie_dynamics.errors import UnknownNameError, choices

Rgb = tuple[float, float, float]
ThemeName = Literal["light", "dark"]


@dataclass(frozen=True)
class Theme:
    """The colours of a picture on light or dark ground.

    Parameters
    ----------
    background : str
        Of plots and pictures.
    ink, muted, grid : str
        Of text, of axes, of grid lines.
    lines : tuple of str
        Of curves: Okabe and Ito's without yellow and black; lighter on dark ground.
    floor, floor_line : (float, float, float)
        Of the floor below a robot, and of its grid.
    """

    background: str
    ink: str
    muted: str
    grid: str
    lines: tuple[str, ...]
    floor: Rgb
    floor_line: Rgb


LIGHT = Theme(
    background="#ffffff",
    ink="#20262d",
    muted="#6b7480",
    grid="#e3e7eb",
    lines=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"),
    floor=(0.945, 0.95, 0.955),
    floor_line=(0.82, 0.835, 0.85),
)
DARK = Theme(
    background="#181d23",
    ink="#e6eaee",
    muted="#8e98a4",
    grid="#2b323a",
    lines=("#4db2ee", "#ff8534", "#22c79b", "#e79cc4", "#9bd3f5", "#f5bd3d"),
    floor=(0.15, 0.168, 0.19),
    floor_line=(0.25, 0.27, 0.30),
)
THEMES: dict[str, Theme] = {"light": LIGHT, "dark": DARK}


def theme_named(name: str) -> Theme:
    """Return a theme by its name.

    Raises
    ------
    UnknownNameError
        For another name than "light" and "dark".
    """
    if name not in THEMES:
        raise UnknownNameError(f"theme '{name}' is unknown{choices(name, THEMES)}")
    return THEMES[name]
