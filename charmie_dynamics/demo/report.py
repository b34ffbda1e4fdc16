# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Results of the demo: tables of actuators and topics and two pictures, all from the bag."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.recordings.compute.states import state_at
from charmie_dynamics.recordings.read.recorded_motion import RecordedMotion
from charmie_dynamics.recordings.write.charts import chart_efforts
from charmie_dynamics.visual.pictures import render_robot


def effort_table(model: Model, motion: RecordedMotion) -> str:
    """Return peak and RMS effort of each actuator, relative to the rated effort, too.

    The samples are those with settled estimates, if there are any.
    """
    limits = dict(zip(model.actuator_names, model.actuator_limits(), strict=True))
    units = dict(zip(model.actuator_names, model.effort_units, strict=True))
    lines: list[str] = [f"{'actuator':<20}{'peak':>10}{'RMS':>10}  {'unit':<5}{'% of rated':>10}"]
    for name, column in zip(motion.names, motion.effort[motion.judged].T, strict=True):
        peak = float(column[np.argmax(np.abs(column))])
        rms = math.sqrt(float(np.mean(column**2)))
        rated = limits[name].effort
        share = f"{100.0 * abs(peak) / rated:.0f}" if math.isfinite(rated) else "-"
        lines.append(f"{name:<20}{peak:>10.3f}{rms:>10.3f}  {units[name]:<5}{share:>10}")
    return "\n".join(lines)


@dataclass(frozen=True)
class TopicRow:
    """A row of the table of topics.

    Parameters
    ----------
    name : str
    count : int
        Messages in the bag.
    rate : float, optional
        Of their stamps (Hz); NaN if it is not known or meaningless.
    expected : int, optional
        Expected number of messages without losses.
    """

    name: str
    count: int
    rate: float = math.nan
    expected: int | None = None


def topic_table(rows: list[TopicRow]) -> str:
    """Return number and rate of the messages on each topic, and the expected number."""
    lines = [f"{'topic':<24}{'messages':>10}{'expected':>10}{'Hz':>10}"]
    for row in rows:
        expected = "-" if row.expected is None else str(row.expected)
        rate = f"{row.rate:.2f}" if math.isfinite(row.rate) else "-"
        lines.append(f"{row.name:<24}{row.count:>10}{expected:>10}{rate:>10}")
    return "\n".join(lines)


def write_pictures(motion: RecordedMotion, model: Model, folder: Path) -> None:
    """Write ``robot.png`` (at the greatest load) and ``efforts.png``."""
    rated = np.array([limit.effort for limit in model.actuator_limits()])
    loads = np.abs(motion.effort / rated).sum(axis=1)
    worst = int(np.argmax(np.where(motion.judged, loads, -1.0)))
    render_robot(
        folder / "robot.png",
        model,
        state_at(model, motion, worst),
        subtitle=f"at its greatest load, {motion.time[worst]:.2f} s after the first sample",
    )
    chart_efforts(folder / "efforts.png", model, motion, "light")
