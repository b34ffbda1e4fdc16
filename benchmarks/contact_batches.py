# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Many robots on a floor, on one core and on several."""

from __future__ import annotations

import os
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.batch import PlantBatch

from .contact_cases import PERIOD, Case

STEP = 5e-4  # s
PERIODS = 10  # in one call
SIZES = (1, 8, 64)


class BatchCost(NamedTuple):
    """Plants that move side by side.

    Attributes
    ----------
    robot : str
    plants : int
    real_times : float
        Seconds of motion of all plants together in a second of CPU time, on one core.
    gain : dict of int to float
        By the number of cores: how many times as quick as on one by the clock, median of rounds.
    work : dict of int to float
        By the number of cores: CPU time, by that on one.
    alone : float
        Share of the time on one core in which no other thread can run.
    """

    robot: str
    plants: int
    real_times: float
    gain: dict[int, float]
    work: dict[int, float]
    alone: float


def measure(case: Case, rounds: int) -> list[BatchCost]:
    """Return what batches cost; cores take turns in each round."""
    world, cores = case.own_world, sorted({1, len(os.sched_getaffinity(0))})
    found = []
    for count in SIZES:
        batches = {
            workers: PlantBatch(
                world.model, world.position, count=count, workers=workers, step=STEP,
                friction=False, contacts=world.contacts,
            )
            for workers in cores
        }  # fmt: skip
        effort = np.tile(case.servo.effort[0], (count, 1))
        steps = round(PERIODS * PERIOD / STEP)
        seconds: dict[int, list[float]] = {workers: [] for workers in (0, *cores)}
        busy: dict[int, list[float]] = {workers: [] for workers in (0, *cores)}
        for _ in range(rounds):
            for workers, batch in batches.items():
                batch.reset(world.position)
                _time(batch, effort, steps, (seconds[workers], busy[workers]))
            _time(batches[1], effort, 0, (seconds[0], busy[0]))
        motion = count * PERIODS * PERIOD
        found.append(
            BatchCost(
                case.name,
                count,
                motion / median(busy[1]),
                {
                    workers: median(np.divide(seconds[1], seconds[workers]).tolist())
                    for workers in cores
                },
                {workers: median(busy[workers]) / median(busy[1]) for workers in cores},
                median(busy[0]) / median(busy[1]),
            )
        )
    return found


def _time(
    batch: PlantBatch, effort: Floats, steps: int, out: tuple[list[float], list[float]]
) -> None:
    """Move a batch on; add the time by the clock, and the CPU time (s)."""
    begin, worked = perf_counter(), process_time()
    batch.advance(effort, steps)
    out[0].append(perf_counter() - begin)
    out[1].append(process_time() - worked)
