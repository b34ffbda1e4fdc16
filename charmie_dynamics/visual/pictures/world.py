# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures and films of a simulated world: robots, single bodies, contacts."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar

import numpy as np
from matplotlib.figure import Figure

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.model.description.world import Entity, ShapeEntity
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.scene import Scene, Shape, contact_parts, visible_shapes
from charmie_dynamics.visual.scene.contacts import CONES, FORCES, POINTS, ContactRows
from charmie_dynamics.visual.scene.entities import NAMESPACE, entity_shapes
from charmie_dynamics.visual.scene.legend import contact_entries

from .annotations import DPI
from .camera import looking_at
from .film import Image, write_gif
from .render import Frames, View, draw, pixels_of, place, window_of

CONTACTS = (FORCES, POINTS, CONES)
AZIMUTH, ELEVATION = 40.0, 24.0  # deg
USUAL_FORCE = 75.0  # percentile of the normal forces of a run that is drawn with
LENGTH = 0.13  # of the diagonal of the visible bodies
PLANE_EDGE = 1.4  # of that diagonal
LOOKS = 24  # states of a run that the camera keeps in view
LEVEL = 1.0 - 1e-9  # cosine, of a plane that counts as the floor

Rows = TypeVar("Rows", bound="TimedContacts")


class TimedContacts(ContactRows, Protocol):
    """Contacts at many times, such as `ContactTable`."""

    @property
    def time(self) -> Floats:
        """Of each row (s)."""

    def part(self: Rows, rows: np.ndarray) -> Rows:
        """Return some rows."""


class DrawableWorld(Protocol):
    """A world, such as `World`."""

    name: str
    model: Model
    entities: Mapping[str, Entity]


class DrawableRun(Protocol):
    """A motion of a world, such as `Run`."""

    @property
    def time(self) -> Floats:
        """Of each state (s)."""

    @property
    def position(self) -> Floats:
        """All positions (k, p)."""

    @property
    def contacts(self) -> TimedContacts | None:
        """Of all times; None: none."""


class WorldPainter:
    """Painter of the states of a run of a world. Meshes of robots are omitted.

    The camera is fixed, with all bodies of `LOOKS` states of the run in view. A level plane is
    drawn as the floor, another one as a square. Three quarters of the normal forces of the run are
    drawn shorter than 13 % of the diagonal of all bodies, see `contact_parts`.

    Parameters
    ----------
    world, run : DrawableWorld, DrawableRun
        A `World` and its `Run`.
    contacts : collection of str, optional
        Any of "contacts" (forces), "contact_points" and "friction_cones".
    view : (float, float), optional
        Azimuth and elevation of the eye from the world's x axis and the horizon (deg).
    legend : bool, optional
        Include a legend of the contacts.
    theme : {"light", "dark"}, optional
    size : (int, int), optional
        Width and height (pixels).
    title : str, optional
        Default: the name of the world.

    Raises
    ------
    UnknownNameError
        For unknown contacts.
    InputError
        If the run contains no state.

    Examples
    --------
    >>> from charmie_dynamics.model.description.files import share_file
    >>> from charmie_dynamics.simulation import load_world
    >>> from charmie_dynamics.visual.pictures import WorldPainter
    >>> world = load_world(share_file("worlds", "bouncing_ball.yaml"))
    >>> run = world.simulate(0.4)
    >>> WorldPainter(world, run, size=(40, 30)).image(0).shape
    (30, 40, 3)
    """

    def __init__(
        self,
        world: DrawableWorld,
        run: DrawableRun,
        *,
        contacts: Collection[str] = CONTACTS,
        view: tuple[float, float] = (AZIMUTH, ELEVATION),
        legend: bool = True,
        theme: str = "light",
        size: tuple[int, int] = (1600, 1200),
        title: str = "",
    ) -> None:
        for name in contacts:
            if name not in CONTACTS:
                raise UnknownNameError(f"contacts '{name}' are unknown{choices(name, CONTACTS)}")
        if not len(run.time):
            raise InputError("run: no state to draw, expected at least one")
        self._model, self._run = world.model, run
        self._shown = {name: name in contacts for name in CONTACTS}
        self._theme, self._size = theme, size
        self._title = title or world.name.replace("_", " ").upper()
        cones = self._shown[CONES]
        self._legend = contact_entries(cones=cones) if legend and contacts else []
        self._scene = Scene(world.model)
        frames = self.frames(0)
        planes = [name for name, entity in world.entities.items() if _is_plane(entity)]
        level = [name for name in planes if frames[name][1][2, 2] > LEVEL]
        self._floor = min((float(frames[name][0][2]) for name in level), default=None)
        shapes = entity_shapes(world.model, world.entities.values())
        # robots are in the scene
        shapes = [shape for shape in shapes if shape.namespace == NAMESPACE]
        self._entities = [
            _with_corners(shape, world.entities[shape.frame])
            for shape in shapes
            if shape.frame not in planes
        ]
        corners = self._corners()
        diagonal = float(np.linalg.norm(np.ptp(corners, axis=0)))
        middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        self._planes = [
            _square(shape, PLANE_EDGE * diagonal, middle, frames)
            for shape in shapes
            if shape.frame in planes and shape.frame not in level
        ]
        window = window_of(size, title=True, legend=bool(self._legend), scale=False)
        camera = looking_at(corners, azimuth=view[0], elevation=view[1], window=window)
        self._view = View.on(camera, corners)
        normal = () if run.contacts is None else run.contacts.normal_force
        self._force = float(np.percentile(normal, USUAL_FORCE)) if len(normal) else 0.0
        self._length = LENGTH * diagonal

    def figure(self, row: int, subtitle: str = "") -> Figure:
        """Return the picture of the state in a row of the run.

        The default subtitle is the time.

        Examples
        --------
        >>> from charmie_dynamics.model.description.files import share_file
        >>> from charmie_dynamics.simulation import load_world
        >>> from charmie_dynamics.visual.pictures import WorldPainter
        >>> world = load_world(share_file("worlds", "bouncing_ball.yaml"))
        >>> run = world.simulate(0.4)
        >>> WorldPainter(world, run, size=(40, 30)).figure(0).savefig("ball.png")
        """
        time = float(self._run.time[row])
        shapes = [*self.bodies(row), *self._planes, *self._contacts(time)]
        return draw(
            place(shapes, self.frames(row)),
            self._view,
            self._size,
            title=self._title,
            subtitle=subtitle or f"{time:.2f} s",
            legend=self._legend,
            scale=None,
            floor=self._floor,
            overlay=(FORCES,),
            theme=self._theme,
        )

    def image(self, row: int, subtitle: str = "") -> Image:
        """Return the picture as pixels, shape (height, width, 3); as for `figure`."""
        return pixels_of(self.figure(row, subtitle))

    def images(self, period: float) -> Iterator[Image]:
        """Yield pictures of the run at a period (s), each of the state nearest to its time.

        Examples
        --------
        >>> from charmie_dynamics.model.description.files import share_file
        >>> from charmie_dynamics.simulation import load_world
        >>> from charmie_dynamics.visual.pictures import WorldPainter
        >>> world = load_world(share_file("worlds", "bouncing_ball.yaml"))
        >>> run = world.simulate(0.4)
        >>> len(list(WorldPainter(world, run, size=(40, 30)).images(0.1)))
        5
        """
        time = self._run.time
        for moment in np.arange(time[0], time[-1] + 0.5 * period, period):
            yield self.image(int(np.abs(time - moment).argmin()))

    def frames(self, row: int) -> Frames:
        """Return the poses of all frames in the state of a row."""
        state = self._model.kinematics(self._run.position[row])
        return {name: state.frame(name) for name in self._model.frame_names}

    def bodies(self, row: int) -> list[Shape]:
        """Return the shapes of robots and single bodies in the state of a row."""
        state = self._model.kinematics(self._run.position[row])
        robots = visible_shapes(self._scene.shapes, self._scene.update(state))
        return [*(shape for shape in robots if shape.kind != "mesh"), *self._entities]

    def _corners(self) -> Floats:
        """Return the corners (k, 3) of all bodies in some states."""
        count = len(self._run.time)
        rows = np.unique(np.linspace(0, count - 1, min(count, LOOKS)).astype(int)).tolist()
        return np.concatenate([place(self.bodies(k), self.frames(k)).points for k in rows])

    def _contacts(self, time: float) -> list[Shape]:
        contacts = self._run.contacts
        if contacts is None or not self._force > 0.0:
            return []
        return contact_parts(
            contacts.part(contacts.time == time),
            frame=self._model.tree.root,
            size=self._force,
            length=self._length,
            forces=self._shown[FORCES],
            points=self._shown[POINTS],
            cones=self._shown[CONES],
        )


def render_world(
    path: str | os.PathLike[str], painter: WorldPainter, row: int, subtitle: str = ""
) -> None:
    """Write the picture of a state of a run as a PNG file.

    Parameters
    ----------
    path : path-like
        The file, overwritten.
    painter : WorldPainter
    row, subtitle
        As for `WorldPainter.figure`.

    Examples
    --------
    >>> from charmie_dynamics.model.description.files import share_file
    >>> from charmie_dynamics.simulation import load_world
    >>> from charmie_dynamics.visual.pictures import WorldPainter, render_world
    >>> world = load_world(share_file("worlds", "bouncing_ball.yaml"))
    >>> render_world("ball.png", WorldPainter(world, world.simulate(0.4), size=(400, 300)), 0)
    """
    painter.figure(row, subtitle).savefig(path, format="png", dpi=DPI)


def film_world(path: str | os.PathLike[str], painter: WorldPainter, period: float) -> int:
    """Write a run as an endless GIF with a picture per period (s); return the number of pictures.

    Examples
    --------
    >>> from charmie_dynamics.model.description.files import share_file
    >>> from charmie_dynamics.simulation import load_world
    >>> from charmie_dynamics.visual.pictures import WorldPainter, film_world
    >>> world = load_world(share_file("worlds", "bouncing_ball.yaml"))
    >>> film_world("ball.gif", WorldPainter(world, world.simulate(0.4), size=(80, 60)), 0.1)
    5
    """
    images = list(painter.images(period))
    write_gif(path, images, period, images[:: max(1, len(images) // 6)])
    return len(images)


def _with_corners(shape: Shape, entity: Entity) -> Shape:
    """Return a shape; for a mesh with the corners of its triangles."""
    if not isinstance(entity, ShapeEntity) or entity.mesh is None:
        return shape
    return replace(shape, points=entity.mesh.triangles.reshape(-1, 3))


def _is_plane(entity: Entity) -> bool:
    return isinstance(entity, ShapeEntity) and entity.shape == "plane"


def _square(plane: Shape, edge: float, middle: Floats, frames: Frames) -> Shape:
    """Return a square on a plane (m), below a point in the world."""
    position, rotation = frames[plane.frame]
    away = rotation.T @ (middle - position)
    away[2] = plane.position[2]
    r, g, b, _ = plane.color
    return replace(plane, position=away, scale=(edge, edge, plane.scale[2]), color=(r, g, b, 1.0))
