# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures of the robot in its states, with a legend of the colours."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.stability import Support
from charmie_dynamics.model.state import State
from charmie_dynamics.visual.scene import Scene, Shape, Style, visible_shapes
from charmie_dynamics.visual.scene.legend import NEGATIVE_END, POSITIVE_END, entries
from charmie_dynamics.visual.shapes.colors import load_colors

from .annotations import DPI, ColorScale, label_width
from .camera import looking_at
from .film import Image
from .render import PlacedShapes, View, draw, pixels_of, place, window_of

FRONT_LEFT = 118.0  # deg, from the robot's x axis
ELEVATION = 16.0


@cache
def load_scale() -> ColorScale:
    """Return the scale of the loads; its colours are those of a kernel."""
    return ColorScale(
        "% of rated load",
        -100.0,
        100.0,
        load_colors(np.linspace(-1.0, 1.0, 257)),
        ends=(NEGATIVE_END.replace(", ", ",\n"), POSITIVE_END.replace(", ", ",\n")),
    )


class RobotPainter:
    """Painter of the states of a robot. Meshes are omitted.

    Parameters
    ----------
    model : Model
    style, reactions, labels
        As for `Scene`.
    legend : bool, optional
        Include a legend of the colours.
    theme : {"light", "dark"}, optional
    size : (int, int), optional
        Width and height (pixels).
    title : str, optional
        Default: the name of the robot.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.visual.pictures import RobotPainter
    >>> model = load_model()
    >>> state = model.compute(model.zero_position())
    >>> painter = RobotPainter(model, size=(40, 30), legend=False)
    >>> painter.image(state, painter.view([state])).shape
    (30, 40, 3)
    """

    def __init__(
        self,
        model: Model,
        *,
        style: Style = "solid",
        reactions: bool = False,
        labels: bool = False,
        legend: bool = True,
        theme: str = "light",
        size: tuple[int, int] = (1600, 1200),
        title: str = "",
    ) -> None:
        self._model = model
        self._scene = Scene(model, style=style, reactions=reactions, labels=labels)
        self._support = Support.of(model)
        polygon = len(self._support.polygon) > 0
        self._entries = entries(polygon=polygon, reactions=reactions) if legend else []
        self._legend = legend
        self._theme = theme
        self._size = size
        self._title = title or model.name.replace("_", " ").upper()

    def view(
        self, states: Iterable[State], azimuth: float = FRONT_LEFT, elevation: float = ELEVATION
    ) -> View:
        """Return a view that shows the robot in all given states.

        Parameters
        ----------
        states : iterable of State
            At least one.
        azimuth : float, optional
            Of the eye about the vertical, from the x axis of the base in the first state (deg).
        elevation : float, optional
            Of the eye above the horizon (deg).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.visual.pictures import RobotPainter
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> painter = RobotPainter(model, size=(40, 30), legend=False)
        >>> view = painter.view([state], azimuth=90.0)
        """
        points: list[NDArray[np.float64]] = []
        yaw = 0.0
        loaded, labels = False, 0.0
        for state in states:
            if not points:
                _, R = state.frame(self._model.mechanisms.base_body or self._model.tree.root)
                yaw = math.degrees(math.atan2(R[1, 0], R[0, 0]))
            loaded = loaded or state.dynamics is not None
            placed = self._placed(state)
            points.append(placed.points)
            labels = max(labels, label_width(placed.texts, self._size[1]))
        if not points:
            raise InputError("no state to look at, expected at least one")
        explained = self._legend and loaded
        window = window_of(self._size, title=True, legend=explained, scale=explained, labels=labels)
        everywhere = np.concatenate(points)
        azimuth += yaw
        camera = looking_at(everywhere, azimuth=azimuth, elevation=elevation, window=window)
        return View.on(camera, everywhere)

    def figure(
        self, state: State, view: View, subtitle: str = "", more: Sequence[Shape] = ()
    ) -> Figure:
        """Return the picture of a state. With kinematics only, loads are omitted.

        Parameters
        ----------
        state, view, subtitle
            The state, the view, and a line below the title.
        more : sequence of Shape, optional
            Further shapes in frames of the robot, such as those of `force_arrows`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.visual.pictures import RobotPainter
        >>> model = load_model()
        >>> state = model.compute(model.zero_position())
        >>> painter = RobotPainter(model, size=(40, 30), legend=False)
        >>> figure = painter.figure(state, painter.view([state]))
        >>> figure.savefig("pose.png")
        """
        support = self._support
        p_world_floor, R_world_floor = state.frame(support.frame)
        explained = self._legend and state.dynamics is not None
        floor = float(p_world_floor[2] + R_world_floor[2, 2] * support.height)
        if not len(support.polygon):  # a robot without known contacts may hang below its base
            floor = min(floor, view.lowest)
        return draw(
            self._placed(state, more),
            view,
            self._size,
            title=self._title,
            subtitle=subtitle,
            legend=self._entries if explained else (),
            scale=load_scale() if explained else None,
            floor=floor,
            overlay=("stability", "contacts"),
            theme=self._theme,
        )

    def image(
        self, state: State, view: View, subtitle: str = "", more: Sequence[Shape] = ()
    ) -> Image:
        """Return the picture of a state as pixels, shape (height, width, 3); as for `figure`."""
        return pixels_of(self.figure(state, view, subtitle, more))

    def _placed(self, state: State, more: Sequence[Shape] = ()) -> PlacedShapes:
        shapes = [*visible_shapes(self._scene.shapes, self._scene.update(state)), *more]
        frames = {name: state.frame(name) for name in self._model.frame_names}
        return place([shape for shape in shapes if shape.kind != "mesh"], frames)


def render_robot(
    path: str | os.PathLike[str],
    model: Model,
    state: State,
    *,
    style: Style = "solid",
    reactions: bool = False,
    labels: bool = False,
    legend: bool = True,
    theme: str = "light",
    title: str = "",
    subtitle: str = "",
    size: tuple[int, int] = (1600, 1200),
    azimuth: float = FRONT_LEFT,
    elevation: float = ELEVATION,
) -> None:
    """Draw a robot in a state and write a PNG file. Meshes are omitted.

    Parameters
    ----------
    path : path-like
        The file, overwritten.
    model : Model
    state : State
        Of one sample. With kinematics only, loads are omitted.
    style, reactions, labels, legend, theme, title, size
        As for `RobotPainter`.
    subtitle : str, optional
        Written below the title.
    azimuth, elevation : float, optional
        Of the eye about the vertical, from the x axis of the base, and above the horizon (deg).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.visual.pictures import render_robot
    >>> model = load_model()
    >>> state = model.compute(model.zero_position())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "robot.png"
    ...     render_robot(path, model, state, size=(400, 300))
    ...     path.exists()
    True
    """
    painter = RobotPainter(
        model,
        style=style,
        reactions=reactions,
        labels=labels,
        legend=legend,
        theme=theme,
        size=size,
        title=title,
    )
    view = painter.view([state], azimuth, elevation)
    painter.figure(state, view, subtitle).savefig(path, format="png", dpi=DPI)
