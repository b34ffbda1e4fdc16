# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Samples, a pipeline that only takes them in, and all actuators carried to one time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.live.estimation import trackers
from charmie_dynamics.live.estimation.estimator import Estimator
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import JointSample
from charmie_dynamics.numerics.vectors import Floats

MS = 10**6
ARM = tuple(f"left_arm_joint_{i}" for i in range(1, 7))
LENGTHS = {"lift_actuator": 0.4, "torso_actuator": 0.4}


class Aligned(NamedTuple):
    position: Floats
    velocity: Floats
    acceleration: Floats


class Inputs:
    def __init__(self, model: Model, **options: bool) -> None:
        self.pipeline = Pipeline(model, input_timeout=0.5, acceleration_cutoff=10.0, **options)

    @property
    def estimator(self) -> Estimator:
        return self.pipeline.estimator

    def add(self, topic: str, sample: JointSample, arrival: float) -> bool:
        """Take a sample in; whether it held anything new."""
        before = self.estimator.counters.accepted
        self.pipeline.take(topic, sample, arrival, run=False)
        return self.estimator.counters.accepted > before

    def at(self, stamp: int) -> Aligned:
        return aligned(self.pipeline, stamp)


def aligned(pipeline: Pipeline, stamp: int) -> Aligned:
    """Return all actuators at one time, as a cycle at that stamp is computed from them."""
    settings, _, records, _ = pipeline.estimator.records
    carried = np.empty((3, len(records)))
    trackers.extrapolate(stamp, bool(settings["with_acceleration"][0]), records, *carried)
    return Aligned(*carried)


def sample(
    values: dict[str, float], stamp: int, velocity: dict[str, float] | None = None
) -> JointSample:
    names = tuple(values)
    speeds = None if velocity is None else np.array([velocity.get(n, np.nan) for n in names])
    return JointSample(names, np.array([values[n] for n in names], dtype=float), speeds, stamp)


def all_but(model: Model, *absent: str) -> dict[str, float]:
    names = (name for name in model.joint_names if name not in ("lift_joint", "torso_joint"))
    return {name: 0.1 for name in names if name not in absent}


def value(inputs: Inputs, model: Model, name: str, stamp: int = 0, what: str = "position") -> float:
    """Value of an actuator, or of the actuator of a joint."""
    names = model.actuator_names if name in model.actuator_names else model.joint_names
    return float(getattr(inputs.at(stamp), what)[names.index(name)])
