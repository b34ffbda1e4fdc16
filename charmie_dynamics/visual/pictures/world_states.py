# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures of single states of a world; fixed entities may be at other poses than in its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.model.description.world.placement import EntityPose
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.scene import Shape
from charmie_dynamics.visual.scene.entities import FREE_COLOR
from charmie_dynamics.visual.shapes.colors import MOMENT_POINT

from .film import Image
from .render import Frames
from .world import DrawableWorld, WorldPainter

MARK_DIAMETER = 0.05  # m


class _State(NamedTuple):
    """A run of one state, without contacts."""

    time: Floats
    position: Floats
    contacts: None = None

    @classmethod
    def at(cls, position: Floats) -> _State:
        return cls(np.zeros(1), position[None])


class StatePainter(WorldPainter):
    """Painter of single states of a world, without contacts.

    The camera is fixed, with all bodies of the first state in view. Entities that are `on` others
    have the colour of free ones, whether or not they can move.

    Parameters
    ----------
    world : DrawableWorld
    position : (p,) array
        Of the first state.
    **options
        View, theme, size and title, as of a `WorldPainter`.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.simulation import load_world
    >>> from charmie_dynamics.visual.pictures.world_states import StatePainter
    >>> world = load_world("kitchen")
    >>> painter = StatePainter(world, world.position, size=(40, 30))
    >>> poses = {"table_1": np.array([0.0, 1.0, 0.5, 0.0, 0.0, 0.0])}
    >>> painter.state_image(world.position, poses, mark=np.array([0.5, 0.0, 1.0])).shape
    (30, 40, 3)
    """

    def __init__(self, world: DrawableWorld, position: Floats, **options: Any) -> None:
        self._poses: dict[str, EntityPose] = {}
        self._marks: list[Shape] = []
        super().__init__(world, _State.at(position), contacts=(), legend=False, **options)
        self._entities = [
            replace(shape, color=FREE_COLOR) if world.entities[shape.frame].placement.on else shape
            for shape in self._entities
        ]

    def state_image(
        self,
        position: Floats,
        poses: Mapping[str, Floats],
        subtitle: str = "",
        mark: Floats | None = None,
    ) -> Image:
        """Return the picture of a state as pixels, shape (height, width, 3).

        Parameters
        ----------
        position : (p,) array
        poses : mapping of str to (6,) array
            Of fixed entities: x y z (m) roll pitch yaw (rad).
        subtitle : str
        mark : (3,) array, optional
            A point in the world that is marked with a ball (m).
        """
        self._run = _State.at(position)
        self._poses = {name: EntityPose.of(pose.tolist()) for name, pose in poses.items()}
        root, edge = self._model.tree.root, (MARK_DIAMETER,) * 3
        marks = [] if mark is None else [mark]
        self._marks = [
            Shape("mark", 0, "sphere", root, p, scale=edge, color=MOMENT_POINT) for p in marks
        ]
        return self.image(0, subtitle)

    def bodies(self, row: int) -> list[Shape]:
        """Return the shapes of robots and single bodies, and the mark."""
        return [*super().bodies(row), *self._marks]

    def frames(self, row: int) -> Frames:
        """Return the poses of all frames; see `WorldPainter.frames`."""
        moved = {name: (pose.p_world_body, pose.R_world_body) for name, pose in self._poses.items()}
        return {**super().frames(row), **moved}
