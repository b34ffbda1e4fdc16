# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A picture of shapes in space, as a PNG file."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.scene import Color, Shape
from charmie_dynamics.visual.shapes.raster import Raster, rasterize

from .annotations import DPI, SCALE_WIDTH, ColorScale, annotate, letter_size, write_names
from .camera import Camera, looking_at
from .lighting import floor_colors, floor_shadow, key_light, outline, shaded
from .solids import Solid, solid_of
from .themes import Theme, theme_named

Frames = Mapping[str, tuple[Floats, Floats]]

# Pixels are computed in SAMPLES by SAMPLES parts and averaged: smooth edges.
SAMPLES = 2
OUTLINE_LIGHT = 0.62
OUTLINE_JUMP = 8.0  # in depth, in widths of a pixel
SEEN_THROUGH = 0.5  # opacity of hidden shapes that remain visible
FLOOR_RADIUS = 0.85  # in diagonals of the bodies on it


@dataclass(frozen=True, eq=False)
class View:
    """A camera, with the columns of pixels and the lowest height of its target."""

    camera: Camera
    sides: tuple[float, float]
    lowest: float  # m

    @classmethod
    def on(cls, camera: Camera, points: Floats) -> View:
        """Return the view of points, shape (k, 3), in the world (m)."""
        across = camera.project(points)[0][:, 0]
        sides = float(across.min()), float(across.max())
        return cls(camera, sides, float(points[:, 2].min()))


@dataclass(frozen=True, eq=False)
class PlacedShapes:
    """Shapes in the world: surfaces and their shapes, texts and their positions."""

    solids: Sequence[Solid]
    shapes: Sequence[Shape]
    texts: Sequence[tuple[Floats, Shape]]

    @property
    def points(self) -> Floats:
        """Corners of all surfaces, shape (k, 3), in the world (m)."""
        return np.concatenate([solid.corners.reshape(-1, 3) for solid in self.solids])


def place(shapes: Iterable[Shape], frames: Frames) -> PlacedShapes:
    """Return shapes in the world.

    Raises
    ------
    UnknownNameError
        If a shape refers to a frame that is not in `frames`.
    InputError
        If there is no shape, or one that cannot be drawn.
    """
    solids: list[Solid] = []
    drawn: list[Shape] = []
    texts: list[tuple[Floats, Shape]] = []
    for shape in shapes:
        if shape.frame not in frames:
            raise UnknownNameError(
                f"shape {shape.namespace}/{shape.id}: unknown frame '{shape.frame}'"
                + choices(shape.frame, frames)
            )
        position, rotation = frames[shape.frame]
        if shape.kind == "text":
            texts.append((position + rotation @ np.asarray(shape.position), shape))
            continue
        drawn.append(shape)
        solids.append(solid_of(shape).moved(position, rotation))
    if not solids:
        raise InputError("no shape to draw, expected at least one that is not a text")
    return PlacedShapes(solids, drawn, texts)


def window_of(
    size: tuple[int, int], *, title: bool, legend: bool, scale: bool, labels: float = 0.0
) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom (pixels) of the area without titles and legends.

    `labels` is the width of a column of labels, on both sides; at least a third of the picture is
    left for the shapes.
    """
    width, height = size
    right = width - SCALE_WIDTH * letter_size(height) if scale else 0.96 * width
    left = 0.04 * width
    beside = min(labels, max(0.0, (right - left - width / 3.0) / 2.0))
    return (
        left + beside,
        (0.10 if title else 0.04) * height,
        right - beside,
        (0.90 if legend else 0.94) * height,
    )


def render(
    path: str | os.PathLike[str],
    shapes: Iterable[Shape],
    frames: Frames,
    *,
    title: str = "",
    subtitle: str = "",
    legend: Sequence[tuple[str, Color]] = (),
    scale: ColorScale | None = None,
    size: tuple[int, int] = (1600, 1200),
    azimuth: float = 128.0,
    elevation: float = 16.0,
    floor: float | None = 0.0,
    overlay: Collection[str] = (),
    theme: str = "light",
) -> None:
    """Draw shapes in space with perspective, light and shadow, and write a PNG file.

    Parameters
    ----------
    path : path-like
        The file, overwritten.
    shapes : iterable of Shape
        The shapes. Texts are written over everything else.
    frames : mapping of str to (array (3,), array (3, 3))
        Position and rotation ``R_world_frame`` of each frame that a shape names.
    title, subtitle : str, optional
        Written at the upper left.
    legend : sequence of (str, colour), optional
        Colours and their meaning.
    scale : ColorScale, optional
        A colour bar at the right.
    size : (int, int), optional
        Width and height (pixels).
    azimuth, elevation : float, optional
        Position of the eye (deg): about world z from world x, and above the horizon. A robot that
        faces world y is seen from its front left at 128.
    floor : float or None, optional
        Height of the floor (m); None: no floor.
    overlay : collection of str, optional
        Namespaces of shapes that remain visible, faintly, behind others.
    theme : {"light", "dark"}, optional

    Raises
    ------
    UnknownNameError
        If a shape refers to a frame that is not in `frames`, or the theme is unknown.
    InputError
        If there is no shape, or one that cannot be drawn.
    """
    placed = place(shapes, frames)
    window = window_of(
        size, title=bool(title or subtitle), legend=bool(legend), scale=scale is not None
    )
    camera = looking_at(placed.points, azimuth=azimuth, elevation=elevation, window=window)
    figure = draw(
        placed,
        View.on(camera, placed.points),
        size,
        title=title,
        subtitle=subtitle,
        legend=legend,
        scale=scale,
        floor=floor,
        overlay=overlay,
        theme=theme,
    )
    figure.savefig(path, format="png", dpi=DPI)


def draw(
    placed: PlacedShapes,
    view: View,
    size: tuple[int, int],
    *,
    title: str,
    subtitle: str,
    legend: Sequence[tuple[str, Color]],
    scale: ColorScale | None,
    floor: float | None,
    overlay: Collection[str],
    theme: str,
) -> Figure:
    """Return the picture of `render` as a figure, in a given view."""
    camera = view.camera
    colors = theme_named(theme)
    width, height = size
    above = np.array([shape.namespace in overlay for shape in placed.shapes])
    image = _image(placed, camera, size, floor, above, colors)
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor=colors.background)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.imshow(image, extent=(0, width, height, 0), interpolation="none", aspect="auto")
    axes.set_axis_off()
    write_names(axes, camera, placed.texts, height, view.sides, colors)
    annotate(figure, title, subtitle, legend, scale, colors)
    return figure


def pixels_of(figure: Figure) -> NDArray[np.uint8]:
    """Return a figure as pixels, shape (height, width, 3)."""
    canvas = figure.canvas
    canvas.draw()
    pixels: NDArray[np.uint8] = np.asarray(canvas.buffer_rgba())[..., :3].copy()  # type: ignore[attr-defined]
    return pixels


def _image(
    placed: PlacedShapes,
    camera: Camera,
    size: tuple[int, int],
    floor: float | None,
    above: NDArray[np.bool_],
    theme: Theme,
) -> Floats:
    """Return the picture, shape (height, width, 3), without texts.

    `above` marks shapes that remain visible behind others.
    """
    width, height = size[0] * SAMPLES, size[1] * SAMPLES
    solids = placed.solids
    corners = np.concatenate([solid.corners for solid in solids])
    pixels, depth = camera.project(corners)
    counts = [len(solid.corners) for solid in solids]
    shape_of_face = np.repeat(np.arange(len(solids), dtype=np.int32), counts)
    faces = _Faces(
        np.concatenate([pixels * SAMPLES, 1.0 / depth[..., None]], axis=-1),
        np.concatenate([solid.normals for solid in solids]),
        np.array([shape.color for shape in placed.shapes])[shape_of_face],
        shape_of_face,
    )
    image = np.empty((height, width, 3))
    image[:] = to_rgb(theme.background)

    is_solid = faces.color[:, 3] >= 1.0
    chosen = faces.at(is_solid)
    front = rasterize(chosen.screen, width, height)
    if floor is not None:
        _lay_floor(image, front.face < 0, corners[is_solid], camera, floor, theme)
    _paint(image, front, chosen, camera)
    chosen = faces.at(~is_solid)
    _paint(image, rasterize(chosen.screen, width, height, hidden_behind=front), chosen, camera)
    chosen = faces.at(above[shape_of_face])
    _paint(image, rasterize(chosen.screen, width, height), chosen, camera, SEEN_THROUGH)
    averaged: Floats = image.reshape(size[1], SAMPLES, size[0], SAMPLES, 3).mean(axis=(1, 3))
    return averaged


class _Faces(NamedTuple):
    """The f triangles of a picture.

    `screen` (f, 3, 3) contains column and row of each corner, in samples, and 1 / depth (1/m);
    `normal` (f, 3, 3) is in world axes, `color` (f, 4) as in `Shape`, `shape` (f,) the index of the
    shape.
    """

    screen: Floats
    normal: Floats
    color: Floats
    shape: NDArray[np.int32]

    def at(self, chosen: NDArray[np.bool_]) -> _Faces:
        """Return some of the faces."""
        return _Faces(
            self.screen[chosen], self.normal[chosen], self.color[chosen], self.shape[chosen]
        )


def _paint(
    image: Floats, front: Raster, faces: _Faces, camera: Camera, strength: float = 1.0
) -> None:
    """Blend the visible parts of faces into an image, with their opacity times `strength`."""
    seen = front.face >= 0
    face = front.face[seen]
    light = shaded(
        faces.color[face, :3], front.interpolated(faces.normal, seen), camera.R_camera_world
    )
    jump = OUTLINE_JUMP / (camera.focal * SAMPLES)
    light[outline(front, faces.shape, jump)[seen]] *= OUTLINE_LIGHT
    image[seen] += strength * faces.color[face, 3:] * (light - image[seen])


def _lay_floor(
    image: Floats,
    bare: NDArray[np.bool_],
    corners: Floats,
    camera: Camera,
    floor: float,
    theme: Theme,
) -> None:
    """Paint the floor, with the shadows of triangles, on the empty pixels of the floor."""
    if not len(corners):
        return
    rows, columns = np.nonzero(bare)
    rays = camera.rays((np.stack([columns, rows], axis=-1) + 0.5) / SAMPLES)
    drop = floor - camera.eye[2]
    meets = rays[:, 2] * np.sign(drop) > 1e-6
    rows, columns, rays = rows[meets], columns[meets], rays[meets]
    points = camera.eye[:2] + (drop / rays[:, 2:]) * rays[:, :2]

    lower, upper = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
    middle = (lower + upper)[:2] / 2.0
    radius = FLOOR_RADIUS * float(np.linalg.norm(upper - lower))
    near = (points[:, 0] - middle[0]) ** 2 + (points[:, 1] - middle[1]) ** 2 < radius**2
    overhead = np.array([0.0, 0.0, 1.0])
    shadows = [
        (floor_shadow(corners, key_light(camera.R_camera_world), floor, 0.05), 0.22),
        (floor_shadow(corners, overhead, floor, 0.09), 0.30),
    ]
    image[rows[near], columns[near]] = floor_colors(points[near], shadows, middle, radius, theme)
