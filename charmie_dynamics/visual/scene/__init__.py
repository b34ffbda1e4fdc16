# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Scenes: the content of a picture of the robot, independent of the viewer.

In reading order:

- ``bodies``, ``skeleton``: the links, as solids or as lines.
- ``mechanisms``: linear actuators, springs and balance mechanisms.
- ``clearance``, ``arcs``, ``efforts``: efforts as arcs and arrows next to the bodies.
- ``reactions``, ``stability``: forces in the joints; stability markers.
- ``contacts``: contacts at one instant: forces, points, friction cones.
- ``entities``: entities of a world, each in its own frame.
- ``labels``, ``legend``: texts.
- ``scene``: all parts together.
"""

from __future__ import annotations

from charmie_dynamics.visual.shapes.appearance import Appearance, visible_shapes
from charmie_dynamics.visual.shapes.shape import Color, Kind, Shape

from .contacts import contact_parts, force_arrows, usual_force_scale
from .scene import Scene, Style

__all__ = [
    "Appearance",
    "Color",
    "Kind",
    "Scene",
    "Shape",
    "Style",
    "contact_parts",
    "force_arrows",
    "usual_force_scale",
    "visible_shapes",
]
