# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The proof of the package: the efforts that the dynamics node estimates are those that acted.

A simulated CHARMIE follows a random motion of all its actuators, by computed torque, and tells
what its sensors say. The dynamics node beside it estimates the efforts. The simulator knows which
have acted. Needs a ROS 2 environment: both nodes are processes of their own.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from charmie_dynamics import Model, load_model
from charmie_dynamics.motions import joined_points

from .effort_errors import (
    ANGLE_STEP,
    DEFAULT_CUTOFF,
    GROUPS,
    LENGTH_STEP,
    Errors,
    Recording,
    errors_of,
    estimated_efforts,
    resolution,
)
from .harness.pages import DOCS, between
from .harness.run import Evidence
from .harness.tables import table
from .simulated_run import random_points, run

RATE = 100.0  # Hz
EXACT_LIMIT = 1e-6  # relative
FEWEST = 0.99  # share of the samples for which the node has time
# by which the errors may be larger than those of the estimator alone, on the same motion: the
# robot follows it with the ripple of a controller that acts in steps
ESTIMATOR_LIMIT = 1.1
SENSORS: dict[str, dict[str, Any]] = {
    "exact positions and velocities": {},
    "encoders": {
        "angle_resolution": ANGLE_STEP,
        "length_resolution": LENGTH_STEP,
        "velocities": "difference",
    },
}


@dataclass(frozen=True)
class Proof:
    """How far the estimated efforts are from those that acted.

    Attributes
    ----------
    samples, cycles, settled : int
        How many samples came, of how many there were efforts, and of how many they had settled.
    exact : float
        Largest difference with true accelerations, relative to the largest effort of its actuator.
    errors : Errors
        With estimated accelerations, by group.
    alone : Errors
        Of the estimator alone: the commanded motion through the same sensors, without a simulator.
    """

    samples: int
    cycles: int
    settled: int
    exact: float
    errors: Errors
    alone: Errors

    @property
    def ratio(self) -> float:
        """The largest ratio of a group's errors to those of the estimator alone."""
        return float((self.errors.rms / self.alone.rms).max())


def prove(model: Model, duration: float, sensors: str, folder: Path, seed: int = 1) -> Proof:
    """Run simulator and node for a simulated time (s), and compare.

    Parameters
    ----------
    model : Model
        The default robot.
    duration : float
    sensors : str
        One of `SENSORS`.
    folder : Path
        For the logs.
    seed : int
        Of the motion.
    """
    simulated = run(model, duration, folder, {"rate": RATE, **SENSORS[sensors]}, seed)
    alone = _estimator_alone(model, duration, sensors, seed)
    counted = simulated.settled & np.isfinite(simulated.estimated).all(axis=1)
    recording = Recording(
        1.0 / RATE,
        simulated.position[counted],
        None,
        simulated.applied[counted],
        simulated.applied[counted],
        slice(None),
    )
    errors = errors_of(model, recording, simulated.estimated[counted])
    largest = np.abs(simulated.applied).max(axis=0)
    return Proof(
        samples=len(simulated.time),
        cycles=int(np.isfinite(simulated.estimated).all(axis=1).sum()),
        settled=int(counted.sum()),
        exact=float((np.abs(simulated.exact - simulated.applied) / largest).max()),
        errors=errors,
        alone=errors_of(model, alone, estimated_efforts(model, alone, DEFAULT_CUTOFF)),
    )


def _estimator_alone(model: Model, duration: float, sensors: str, seed: int) -> Recording:
    """Return what the same sensors say of the commanded motion itself."""
    time, points = random_points(model, duration, seed)
    joined = joined_points(time, points)
    instants = np.arange(1, round(duration * RATE) + 1) / RATE
    _, position, velocity, acceleration = joined.sampled(instants)
    measured, speed = position, velocity
    if SENSORS[sensors]:
        steps = resolution(model)
        measured = np.round(position / steps) * steps
        speed = np.diff(measured, axis=0, prepend=measured[:1]) * RATE
    exact = model.compute(position, velocity, acceleration).actuator_effort
    return Recording(1.0 / RATE, measured, speed, exact, exact, slice(round(0.5 * RATE), None))


def described(proofs: dict[str, Proof], minutes: float) -> str:
    """Return the figures as tables."""
    parts = []
    for sensors, proof in proofs.items():
        rows = [
            (
                group,
                *(
                    f"{100.0 * e.rms[k]:.2g} / {100.0 * e.high[k]:.2g}"
                    for e in (proof.errors, proof.alone)
                ),
            )
            for k, group in enumerate(GROUPS)
        ]
        parts += [
            f"**{sensors[0].upper()}{sensors[1:]}**: {minutes:g} simulated minutes, "
            f"{proof.samples} samples, efforts of {proof.cycles}, settled in {proof.settled}. With "
            f"the true accelerations the largest difference is {proof.exact:.0e} of the largest "
            "effort of its actuator. With estimated ones, in % of the group's RMS effort, RMS / "
            "99.9th percentile:",
            table(("group", "estimated less applied", "the estimator alone"), rows),
        ]
    return "\n\n".join(parts)


def make(minutes: float = 10.0, seed: int = 1) -> Evidence:
    """Run the proof for so many simulated minutes; return the page, and what does not hold."""
    model, proofs = load_model(), {}
    for sensors in SENSORS:
        with tempfile.TemporaryDirectory() as folder:
            proofs[sensors] = prove(model, 60.0 * minutes, sensors, Path(folder), seed)
    faults = [
        f"{sensors}: {what}"
        for sensors, proof in proofs.items()
        for what, holds in (
            ("samples without efforts", proof.cycles >= FEWEST * proof.samples),
            (f"true accelerations: {proof.exact:.3g}", proof.exact <= EXACT_LIMIT),
            (f"estimator: {proof.ratio:.3g} times", proof.ratio <= ESTIMATOR_LIMIT),
        )
        if not holds
    ]
    page = (DOCS / "tutorials/simulate.md").read_text(encoding="utf-8")
    text = between(page, "proof", described(proofs, minutes))
    return Evidence({"tutorials/simulate.md": text}, faults)
