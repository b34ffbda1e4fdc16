# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The papers' tables of computing time: arms and CHARMIE, with and without dynamics and pictures.

Multibody paper, table 5, and contact paper, table II: 1000 steps of a motion, from the robot's
files on. The published statements are those of the text of section 6 of the former.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from charmie_dynamics import Model, load_model
from charmie_dynamics.visual.pictures import RobotPainter
from validation.harness.tables import table
from validation.harness.timing import turns

from .arms import arm_urdf
from .case import draw_states

ARMS = (2, 4, 6)
STEPS = 1000
PICTURES = 5  # of which the time is measured, of `STEPS`
SIZE = 320, 240  # pixels
PUBLISHED = "60 to 70 %", "99 %"


def measure(rounds: int, pictures: int = PICTURES) -> str:
    """Return the table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        paths: dict[str, Path | None] = {}
        for count in ARMS:
            file = paths[f"{count}-DOF arm"] = Path(folder, f"arm_{count}.urdf")
            file.write_text(arm_urdf(count), encoding="utf-8")
        paths["CHARMIE"] = None
        for name, path in paths.items():
            rows.append(_row(name, path, rounds, pictures))
    rows.append(("published", "", "", "", "", *PUBLISHED))
    heads = ("robot", ">links", ">kinematics (ms)", ">and dynamics (ms)", ">and pictures (ms)",
             ">less without dynamics", ">part of the pictures")  # fmt: skip
    return table(heads, rows)


def _row(name: str, path: Path | None, rounds: int, pictures: int) -> tuple[str, ...]:
    model = load_model(path)
    motion = draw_states(model, STEPS).swapaxes(0, 1).copy()

    def cost(method: Callable[..., Any]) -> Callable[[], float]:
        def run() -> float:
            begin = process_time()
            loaded = load_model(path)
            for state in motion:
                method(loaded, *state)
            return process_time() - begin

        return run

    times = turns({"kinematics": cost(Model.kinematics), "dynamics": cost(Model.compute)}, rounds)
    alone, whole = (median(times[key]) for key in ("kinematics", "dynamics"))
    drawn = STEPS / pictures * _painting(model, motion[:pictures])
    return (
        name,
        str(len(model.flat.body_names) - 1),
        *(f"{1e3 * each:.1f}" for each in (alone, whole)),
        f"{1e3 * (whole + drawn):.0f}",
        f"{100.0 * (1.0 - alone / whole):.0f} %",
        f"{100.0 * drawn / (whole + drawn):.1f} %",
    )


def _painting(model: Model, motion: np.ndarray) -> float:
    """Return the CPU time of pictures of some states (s), after the first one."""
    states = [model.compute(*each) for each in motion]
    painter = RobotPainter(model, style="skeleton", legend=False, size=SIZE)
    view = painter.view(states)
    painter.image(states[0], view)
    begin = process_time()
    for state in states:
        painter.image(state, view)
    return process_time() - begin
