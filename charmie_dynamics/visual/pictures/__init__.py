"""Pictures in files: the robot as shapes in space, and values over time. Needs matplotlib."""

from __future__ import annotations

from .chart import draw_chart
from .efforts import CHARMIE_GROUPS, EffortGroup, plot_efforts
from .explain import ColorScale
from .render import render
from .robot import RobotPainter, render_robot

__all__ = [
    "CHARMIE_GROUPS",
    "ColorScale",
    "EffortGroup",
    "RobotPainter",
    "draw_chart",
    "plot_efforts",
    "render",
    "render_robot",
]
