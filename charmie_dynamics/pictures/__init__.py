"""Pictures in files: the robot as shapes in space, and efforts over time. Needs matplotlib."""

from __future__ import annotations

from .efforts import CHARMIE_GROUPS, EffortGroup, plot_efforts
from .render import ColorScale, render
from .robot import render_robot

__all__ = ["CHARMIE_GROUPS", "ColorScale", "EffortGroup", "plot_efforts", "render", "render_robot"]
