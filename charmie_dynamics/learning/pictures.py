# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures and films of episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from charmie_dynamics.visual.pictures.film import write_gif
from charmie_dynamics.visual.pictures.world_states import StatePainter

from .batch_environment import BatchEnvironment
from .evaluation import UNSEEN, Act, play
from .task import LearningTask, Situation

SIZE, FILM_SIZE = (640, 480), (320, 240)  # pixels
VIEW = 125.0, 24.0  # deg, of the eye: in front of the robot, on its left
PICTURES = 40  # at most, of an episode
LAST = 1.0  # s, for which the last picture of an episode remains


class EpisodePainter(StatePainter):
    """Draws the situation of one world. A goal of three numbers is a point, and marked."""

    def __init__(self, task: LearningTask, size: tuple[int, int] = SIZE) -> None:
        world, self._task = task.world, task
        super().__init__(world, world.position, view=VIEW, size=size, title=task.name)

    def picture(self, now: Situation, k: int, remark: str = "") -> Any:
        """Return a picture (height, width, 3) of world k, with a remark after the time."""
        poses = {name: rows[k] for name, rows in now.poses.items()}
        goal = self._task.desired_goal(now)[k]
        mark = goal if len(goal) == 3 else None
        return self.state_image(now.position[k], poses, f"{now.time[k]:.2f} s  {remark}", mark)


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
