"""What a picture of the robot contains, independent of how it is drawn."""

from __future__ import annotations

from .appearance import Appearance, visible_shapes
from .scene import Scene, Style
from .shapes import Color, Kind, Shape

__all__ = ["Appearance", "Color", "Kind", "Scene", "Shape", "Style", "visible_shapes"]
