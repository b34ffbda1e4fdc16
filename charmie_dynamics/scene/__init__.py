"""What a picture of the robot contains, independent of how it is drawn."""

from __future__ import annotations

from .shapes import Color, Kind, Shape

__all__ = ["Color", "Kind", "Shape"]
