# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures in files: the robot as shapes in space, and values over time. Needs matplotlib.

In reading order:

- ``robot``: pictures of the robot in its states.
- ``world``: pictures and films of a simulated world, with its contacts.
- ``world_states``: pictures of single states of a world.
- ``render``: a picture of shapes in space.
- ``solids``: triangle meshes of shapes.
- ``camera``: the pinhole camera.
- ``lighting``: light on surfaces, the floor, shadows and outlines.
- ``annotations``: title, names in space, legend and colour scale.
- ``film``: films from pictures.
- ``chart``: charts of values over time, and of paths in a plane.
- ``efforts``: charts of efforts over time.
- ``contributions``: charts of the contributions of bodies to inertia and weight.
- ``themes``: colours of plots and pictures.
"""

from __future__ import annotations

from .annotations import ColorScale
from .chart import draw_chart
from .contributions import plot_contributions
from .efforts import EffortGroup, effort_groups, plot_efforts
from .render import render
from .robot import RobotPainter, render_robot
from .world import WorldPainter, film_world, render_world

__all__ = [
    "ColorScale",
    "EffortGroup",
    "RobotPainter",
    "WorldPainter",
    "draw_chart",
    "effort_groups",
    "film_world",
    "plot_contributions",
    "plot_efforts",
    "render",
    "render_robot",
    "render_world",
]
