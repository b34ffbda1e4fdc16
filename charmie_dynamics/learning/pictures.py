# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures and films of episodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.contact.records import COLUMNS
from charmie_dynamics.model.description.world.placement import EntityPose
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import ContactTable
from charmie_dynamics.visual.pictures import WorldPainter
from charmie_dynamics.visual.pictures.film import write_gif
from charmie_dynamics.visual.scene.entities import FREE_COLOR
from charmie_dynamics.visual.shapes.colors import MOMENT_POINT
from charmie_dynamics.visual.shapes.shape import Shape

from .batch_environment import BatchEnvironment
from .evaluation import UNSEEN, Act, play
from .task import LearningTask, Situation

SIZE, FILM_SIZE = (640, 480), (320, 240)  # pixels
VIEW = 125.0, 24.0  # deg, of the eye: in front of the robot, on its left
GOAL_DIAMETER = 0.05  # m, of its mark
PICTURES = 40  # at most, of an episode
LAST = 1.0  # s, for which the last picture of an episode remains


class _State(NamedTuple):
    time: Floats
    position: Floats
    contacts: ContactTable


class EpisodePainter(WorldPainter):
    """Draws the situation of one world, with fixed entities at other poses than in its file.

    A goal of three numbers is a point, and marked.
    """

    def __init__(self, task: LearningTask, size: tuple[int, int] = SIZE) -> None:
        world, self._task = task.world, task
        self._poses: dict[str, EntityPose] = {}
        self._goal: list[Shape] = []
        table = np.zeros((0, COLUMNS))
        self._none = ContactTable.from_rows(world.contacts, np.zeros(0), table)
        start = self._state(world.position)
        super().__init__(
            world, start, contacts=(), view=VIEW, legend=False, size=size, title=task.name
        )
        # entities on others have one colour, also in tasks in which they cannot move
        self._entities = [
            replace(shape, color=FREE_COLOR) if world.entities[shape.frame].placement.on else shape
            for shape in self._entities
        ]

    def picture(self, now: Situation, k: int, remark: str = "") -> Any:
        """Return a picture (height, width, 3) of world k, with a remark after the time."""
        poses = {name: rows[k].tolist() for name, rows in now.poses.items()}
        self._poses = {name: EntityPose.of(pose) for name, pose in poses.items()}
        self._run = self._state(now.position[k])
        goal = self._task.desired_goal(now)[k]
        if len(goal) == 3:
            edge = (GOAL_DIAMETER,) * 3
            root = self._model.tree.root
            self._goal = [Shape("goal", 0, "sphere", root, goal, scale=edge, color=MOMENT_POINT)]
        return self.image(0, f"{now.time[k]:.2f} s  {remark}")

    def bodies(self, row: int) -> list[Shape]:
        """Return the shapes of robots and single bodies, and the mark of the goal."""
        return [*super().bodies(row), *self._goal]

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
    period: float | None = None,
) -> int:
    """Write an episode of each world as an endless GIF, one after another.

    The last picture of an episode states success or collision, and remains for a second.

    Parameters
    ----------
    path : str or path
    batch, act, first_seed
        As of `evaluate`.
    period : float, optional
        From picture to picture (s); default: about 40 pictures in the longest episode.

    Returns
    -------
    int
        Number of pictures.
    """
    task = batch.task
    longest = task.duration / PICTURES if period is None else period
    every = max(1, round(longest * task.rate))
    period = every / task.rate
    batch.seed(range(first_seed, first_seed + batch.count))
    painter = EpisodePainter(task, FILM_SIZE)
    pictures: list[list[Any]] = [[] for _ in range(batch.count)]
    for number, (outcome, goes) in enumerate(play(batch, act)):
        now = batch.situation
        over = outcome.terminated | outcome.truncated
        shown = goes & (over | (number % every == 0))
        for k in np.flatnonzero(shown).tolist():
            end = "success" if outcome.info["is_success"][k] else ""
            end = "collision" if outcome.info["collision"][k] > 0.0 else end
            pictures[k].append(painter.picture(now, k, end if over[k] else ""))
    images = [image for episode in pictures for image in episode]
    # a GIF stores equal pictures once
    again = round(LAST / period)
    held = [image for episode in pictures for image in (*episode, *[episode[-1]] * (again - 1))]
    write_gif(path, held, period, images[:: max(1, len(images) // 6)])
    return len(images)
