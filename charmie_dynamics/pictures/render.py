"""A picture of shapes in space, as a PNG file."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps, patheffects
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from ..model.errors import InputError, UnknownNameError, choices
from ..scene import Color, Shape
from .camera import Camera, looking_at
from .lighting import (
    BACKGROUND,
    floor_colors,
    floor_shadow,
    key_light,
    outline,
    shaded,
)
from .raster import Raster, rasterize
from .solids import Solid, solid_of

Floats = NDArray[np.float64]
Frames = Mapping[str, tuple[Floats, Floats]]

# Pixels are computed in SAMPLES by SAMPLES parts and averaged: smooth edges.
SAMPLES = 2
DPI = 100
INK = "#20262d"
OUTLINE_LIGHT = 0.62
OUTLINE_JUMP = 8.0  # in depth, in widths of a pixel
SEEN_THROUGH = 0.5  # opacity of what lies behind other shapes and is shown all the same
FLOOR_RADIUS = 0.85  # in diagonals of what stands on it


@dataclass(frozen=True)
class ColorScale:
    """A bar that explains colours by numbers: its label with unit, range and colours.

    `colormap` is the name of a matplotlib map, or the colours (n, 4) from the lower to the upper
    end. `ends` are the meanings of the lower and the upper end, in words.
    """

    label: str
    lower: float
    upper: float
    colormap: str | Floats = "cividis"
    ends: tuple[str, str] = ("", "")


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
) -> None:
    """Draw shapes in space with perspective, light and shadow, and write a PNG file.

    Parameters
    ----------
    path : path-like
        The file, overwritten.
    shapes : iterable of Shape
        What to draw. Texts are written over everything else.
    frames : mapping of str to (array (3,), array (3, 3))
        Position and rotation ``R_world_frame`` of each frame that a shape names.
    title, subtitle : str, optional
        Written at the upper left.
    legend : sequence of (str, colour), optional
        Colours and what they mean.
    scale : ColorScale, optional
        A colour bar at the right.
    size : (int, int), optional
        Width and height (pixels).
    azimuth, elevation : float, optional
        Where the eye is (deg): about world z from world x, and above the horizon. A robot that
        faces world y is seen from its front left at 128.
    floor : float or None, optional
        Height of the floor (m); None draws none.
    overlay : collection of str, optional
        Namespaces whose shapes can be seen, faintly, through those that hide them.

    Raises
    ------
    UnknownNameError
        A shape refers to a frame that is not in `frames`.
    InputError
        There is no shape, or one that cannot be drawn.
    """
    width, height = size
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

    points = np.concatenate([solid.corners.reshape(-1, 3) for solid in solids])
    top = 0.10 if title or subtitle else 0.04
    right = 0.88 if scale else 0.96
    bottom = 0.90 if legend else 0.94
    camera = looking_at(
        points,
        azimuth=azimuth,
        elevation=elevation,
        window=(0.04 * width, top * height, right * width, bottom * height),
    )
    above = np.array([shape.namespace in overlay for shape in drawn])
    image = _image(solids, drawn, camera, size, floor, above)

    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.imshow(image, extent=(0, width, height, 0), interpolation="none", aspect="auto")
    axes.set_axis_off()
    _write(axes, camera, texts)
    _explain(figure, title, subtitle, legend, scale)
    figure.savefig(path, format="png", dpi=DPI)


def _image(
    solids: list[Solid],
    shapes: list[Shape],
    camera: Camera,
    size: tuple[int, int],
    floor: float | None,
    above: NDArray[np.bool_],
) -> Floats:
    """Return the picture, shape (height, width, 3), without writing.

    `above` says which shapes can be seen through the others.
    """
    width, height = size[0] * SAMPLES, size[1] * SAMPLES
    corners = np.concatenate([solid.corners for solid in solids])
    normals = np.concatenate([solid.normals for solid in solids])
    counts = [len(solid.corners) for solid in solids]
    shape_of_face = np.repeat(np.arange(len(solids), dtype=np.int32), counts)
    colors = np.array([shape.color for shape in shapes])[shape_of_face]

    pixels, depth = camera.project(corners)
    screen = np.concatenate([pixels * SAMPLES, 1.0 / depth[..., None]], axis=-1)
    solid_faces = colors[:, 3] >= 1.0
    image = np.empty((height, width, 3))
    image[:] = BACKGROUND
    # Clear shapes come second: what lies behind a solid one is left out, the rest is blended.
    front: Raster | None = None
    seen_through = above[shape_of_face]
    for chosen, strength in ((solid_faces, 1.0), (~solid_faces, 1.0), (seen_through, SEEN_THROUGH)):
        if chosen is seen_through:
            front = None
        front = rasterize(screen[chosen], width, height, hidden_behind=front)
        seen = front.face >= 0
        if chosen is solid_faces and floor is not None:
            _lay_floor(image, ~seen, corners[chosen], camera, floor)
        faces = front.face[seen]
        light = shaded(
            colors[chosen][faces, :3],
            front.interpolated(normals[chosen], seen),
            camera.R_camera_world,
        )
        jump = OUTLINE_JUMP / (camera.focal * SAMPLES)
        light[outline(front, shape_of_face[chosen], jump)[seen]] *= OUTLINE_LIGHT
        opacity = strength * colors[chosen][faces, 3:]
        image[seen] += opacity * (light - image[seen])
    averaged: Floats = image.reshape(size[1], SAMPLES, size[0], SAMPLES, 3).mean(axis=(1, 3))
    return averaged


def _lay_floor(
    image: Floats, bare: NDArray[np.bool_], corners: Floats, camera: Camera, floor: float
) -> None:
    """Paint the floor, with the shadows of the given triangles, on the bare pixels that see it."""
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
    image[rows[near], columns[near]] = floor_colors(points[near], shadows, middle, radius)


def _write(axes: Axes, camera: Camera, texts: list[tuple[Floats, Shape]]) -> None:
    for position, shape in texts:
        (x, y), depth = camera.project(position)
        letter = shape.scale[2] * camera.focal / float(depth) * 72.0 / DPI
        axes.text(
            x,
            y,
            shape.text,
            color=shape.color,
            fontsize=letter,
            ha="center",
            va="center_baseline",
            path_effects=[patheffects.withStroke(linewidth=3, foreground="white")],
        )


def _explain(
    figure: Figure,
    title: str,
    subtitle: str,
    legend: Sequence[tuple[str, Color]],
    scale: ColorScale | None,
) -> None:
    figure.text(0.03, 0.965, title, fontsize=20, fontweight="bold", color=INK, va="top")
    figure.text(0.03, 0.925, subtitle, fontsize=13, color=INK, va="top")
    if legend:
        figure.legend(
            handles=[Patch(facecolor=color, label=label) for label, color in legend],
            loc="lower left",
            bbox_to_anchor=(0.02, 0.015),
            ncol=len(legend),
            frameon=False,
            fontsize=13,
            labelcolor=INK,
            handlelength=1.2,
            handleheight=1.0,
            columnspacing=1.6,
        )
    if scale:
        bar = figure.add_axes((0.915, 0.30, 0.014, 0.42))
        colormap = scale.colormap
        chosen = colormaps[colormap] if isinstance(colormap, str) else ListedColormap(colormap)
        mapping = ScalarMappable(Normalize(scale.lower, scale.upper), chosen)
        figure.colorbar(mapping, cax=bar)
        bar.set_ylabel(scale.label, fontsize=13, color=INK)
        for height, word, align in ((0.28, scale.ends[0], "top"), (0.74, scale.ends[1], "bottom")):
            figure.text(0.93, height, word, fontsize=12, color=INK, ha="center", va=align)
        bar.tick_params(labelsize=11, color=INK, labelcolor=INK)
        for spine in bar.spines.values():
            spine.set_visible(False)
