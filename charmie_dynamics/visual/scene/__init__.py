# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Scenes: what a picture of the robot contains, independent of how it is drawn.

In reading order:

- ``bodies``, ``skeleton``: the links, as solids or as lines.
- ``mechanisms``: linear actuators, springs and balance mechanisms.
- ``room``, ``arcs``, ``efforts``: efforts as arcs and arrows beside the bodies.
- ``reactions``, ``stability``: forces in the joints; how the robot stands.
- ``contacts``: contacts at one instant: forces, points, friction cones.
- ``entities``: what stands in a world, each in its own frame.
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
