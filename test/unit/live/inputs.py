# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A pipeline that only takes samples in, and all actuators carried to one time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.live.estimation import trackers
from charmie_dynamics.live.estimation.estimator import Estimator
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import JointSample
from charmie_dynamics.numerics.vectors import Floats


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
    trackers.carry(stamp, bool(settings["with_acceleration"][0]), records, *carried)
    return Aligned(*carried)
