"""A picture of the robot in a state, with what its colours mean."""

from __future__ import annotations

import math
import os

import numpy as np

from ..model.model import Model
from ..model.stability import Support
from ..model.state import State
from ..scene import Scene, Style, visible_shapes
from ..scene.colors import load_colors
from ..scene.legend import NEGATIVE_END, POSITIVE_END, entries
from .render import ColorScale, render

LOAD_SCALE = ColorScale(
    "% of rated load",
    -100.0,
    100.0,
    load_colors(np.linspace(-1.0, 1.0, 257)),
    ends=(NEGATIVE_END.replace(", ", ",\n"), POSITIVE_END.replace(", ", ",\n")),
)
FRONT_LEFT = 118.0  # deg, from the robot's x axis


def render_robot(
    path: str | os.PathLike[str],
    model: Model,
    state: State,
    *,
    style: Style = "solid",
    reactions: bool = False,
    labels: bool = False,
    title: str = "",
    subtitle: str = "",
    size: tuple[int, int] = (1600, 1200),
    azimuth: float = FRONT_LEFT,
    elevation: float = 16.0,
) -> None:
    """Draw a robot in a state and write a PNG file. Meshes are left out.

    Parameters
    ----------
    path : path-like
        The file, overwritten.
    model : Model
    state : State
        Of one sample. If it holds kinematics only, no loads are shown.
    style, reactions, labels
        As of `Scene`.
    title, subtitle, size, elevation
        As of `render`; the title is the name of the robot unless given.
    azimuth : float, optional
        Of the eye about the vertical, from the x axis of the base (deg).
    """
    scene = Scene(model, style=style, reactions=reactions, labels=labels)
    shapes = visible_shapes(scene.shapes, scene.update(state))
    support = Support.of(model)
    p_world_floor, R_world_floor = state.frame(support.frame)
    floor = float(p_world_floor[2] + R_world_floor[2, 2] * support.height)
    _, R_world_base = state.frame(model.mechanisms.base_body or model.tree.root)
    yaw = math.degrees(math.atan2(R_world_base[1, 0], R_world_base[0, 0]))
    loaded = state.dynamics is not None
    render(
        path,
        [shape for shape in shapes if shape.kind != "mesh"],
        {name: state.frame(name) for name in model.frame_names},
        title=title or model.name.upper(),
        subtitle=subtitle,
        legend=entries(polygon=len(support.polygon) > 0, reactions=reactions) if loaded else (),
        scale=LOAD_SCALE if loaded else None,
        size=size,
        azimuth=azimuth + yaw,
        elevation=elevation,
        floor=floor,
        overlay=("stability",),
    )
