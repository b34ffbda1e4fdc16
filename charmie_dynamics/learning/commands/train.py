# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The program of charmie_train."""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.learning.batch_environment import BatchEnvironment
from charmie_dynamics.learning.imitation import imitate
from charmie_dynamics.learning.network import arrays_of, write_arrays
from charmie_dynamics.learning.registry import make_task
from charmie_dynamics.visual.study_charts.training import draw_training

POLICY, CHECKPOINT, PROGRESS, CURVES = "policy.npz", "checkpoint.npz", "progress.csv", "curves.png"
COLUMNS = ("round", "periods", "seconds", "success", "collisions", "reward", "loss")


def run(options: argparse.Namespace) -> int:
    """Train; return the exit status."""
    task = make_task(options.task)
    batch = BatchEnvironment(task, options.worlds, randomisation=options.randomise)
    folder: Path = options.out
    folder.mkdir(parents=True, exist_ok=True)
    job = {name: getattr(options, name) for name in ("seed", "worlds", "randomise")}
    job["task"] = task.name
    state = _state_in(folder, job)
    rows: list[dict[str, Any]] = [] if state is None else json.loads(str(state["rows"]))
    if rows:
        print(f"continuing after round {rows[-1]['round']} in {folder}")
    before = rows[-1]["seconds"] if rows else 0.0
    start = time.monotonic()
    rounds = imitate(batch, options.seed, state)
    while not _is_over(options, rows):
        found = next(rounds)
        seconds = before + time.monotonic() - start
        values = {"round": found.number, "seconds": seconds, **found._asdict()}
        rows.append({name: values[name] for name in COLUMNS})
        found.policy.save(folder / POLICY)
        with (folder / PROGRESS).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        texts = {"rows": np.array(json.dumps(rows)), "job": np.array(json.dumps(job))}
        write_arrays(folder / CHECKPOINT, {**found.state, **texts})
        print(
            f"round {found.number}: {found.periods} periods in {seconds:.0f} s, success "
            f"{found.success:.1%}, collisions {found.collisions:.1%}, reward {found.reward:.3g}, "
            f"loss {found.loss:.4f}",
            flush=True,
        )
    minutes = [row["seconds"] / 60.0 for row in rows]
    curves = {name: [row[name] for row in rows] for name in ("success", "collisions", "reward")}
    draw_training(folder / CURVES, task.name, minutes, **curves)
    print(f"wrote {', '.join((POLICY, PROGRESS, CURVES, CHECKPOINT))} to {folder}")
    return 0


def _is_over(options: argparse.Namespace, rows: list[dict[str, Any]]) -> bool:
    """Return whether there were enough rounds, or enough time."""
    if not rows:
        return False
    if options.rounds is not None:
        return bool(rows[-1]["round"] >= options.rounds)
    return bool(rows[-1]["seconds"] > 60.0 * options.minutes)


def _state_in(folder: Path, job: dict[str, Any]) -> Mapping[str, Any] | None:
    """Return the state of a training that was stopped; None without one."""
    path = folder / CHECKPOINT
    if not path.exists():
        return None
    with arrays_of(path, "a checkpoint") as state:
        given = json.loads(str(state["job"]))
    if given != job:
        raise InputError(f"{folder}: expected a training of {job}, found one of {given}")
    return state
