# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures and films of episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.contact.records import COLUMNS
from charmie_dynamics.model.description.world.placement import EntityPose
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import ContactTable, World
from charmie_dynamics.visual.pictures import WorldPainter
from charmie_dynamics.visual.pictures.film import write_gif

from .batch_environment import BatchEnvironment
from .evaluation import UNSEEN, Act, play
from .task import Situation

SIZE, FILM_SIZE = (640, 480), (320, 240)  # pixels
VIEW = 125.0, 24.0  # deg, of the eye: in front of the robot, on its left


class _State(NamedTuple):
    time: Floats
    position: Floats
    contacts: ContactTable


class EpisodePainter(WorldPainter):
    """Draws the situation of one world, with fixed entities at other poses than in its file."""

    def __init__(self, world: World, size: tuple[int, int] = SIZE) -> None:
        self._poses: dict[str, EntityPose] = {}
        table = np.zeros((0, COLUMNS))
        self._none = ContactTable.from_rows(world.contacts, np.zeros(0), table)
        start = self._state(world.position)
        super().__init__(world, start, contacts=(), view=VIEW, legend=False, size=size)

    def picture(self, now: Situation, k: int) -> Any:
        """Return a picture (height, width, 3) of world k."""
        poses = {name: rows[k].tolist() for name, rows in now.poses.items()}
        self._poses = {name: EntityPose.of(pose) for name, pose in poses.items()}
        self._run = self._state(now.position[k])
        return self.image(0, f"{now.time[k]:.2f} s")

    def _state(self, position: Floats) -> _State:
        return _State(np.zeros(1), position[None], self._none)

    def frames(self, row: int) -> Any:
        """Return the poses of all frames; see `WorldPainter.frames`."""
        moved = {name: (pose.p_world_body, pose.R_world_body) for name, pose in self._poses.items()}
        return {**super().frames(row), **moved}


def film_episodes(
    path: str | Path,
    batch: BatchEnvironment,
    act: Act,
    *,
    first_seed: int = UNSEEN,
    period: float = 0.25,
) -> int:
    """Write an episode of each world as an endless GIF, one after another.

    Parameters
    ----------
    path : str or path
    batch, act, first_seed
        As of `evaluate`.
    period : float
        From picture to picture (s); the last picture of an episode shows its end.

    Returns
    -------
    int
        Number of pictures.
    """
    batch.seed(range(first_seed, first_seed + batch.count))
    painter = EpisodePainter(batch.task.world, FILM_SIZE)
    pictures: list[list[Any]] = [[] for _ in range(batch.count)]
    for number, (outcome, goes) in enumerate(play(batch, act)):
        now = batch.situation
        over = outcome.terminated | outcome.truncated
        shown = goes & (over | (number % max(1, round(period * batch.task.rate)) == 0))
        for k in np.flatnonzero(shown).tolist():
            pictures[k].append(painter.picture(now, k))
    images = [image for episode in pictures for image in episode]
    write_gif(path, images, period, images[:: max(1, len(images) // 6)])
    return len(images)
