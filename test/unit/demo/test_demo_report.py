# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables and the remark of the demonstration."""

from __future__ import annotations

import numpy as np
from demo_bags import START

from charmie_dynamics import Model
from charmie_dynamics.demo.report import effort_table
from charmie_dynamics.recordings.read.recorded_motion import RecordedMotion

SAMPLES = 50
PERIOD = 10_000_000  # ns


def test_efforts_of_estimates_that_settle_are_in_no_peak(charmie: Model) -> None:
    count = len(charmie.actuator_names)
    effort, settling = np.full((SAMPLES, count), 2.0), np.zeros(SAMPLES)
    effort[:14], settling[:14] = 70.0, 0.1
    zero = np.zeros((SAMPLES, count))
    stamps = START + PERIOD * np.arange(SAMPLES)
    names = charmie.actuator_names
    motion = RecordedMotion(stamps, names, zero, zero, effort, settling=settling)
    rows = {row[0]: row[1:3] for row in map(str.split, effort_table(charmie, motion).splitlines())}
    assert all(rows[name] == ["2.000", "2.000"] for name in names)
    # of a recording in which nothing has settled there is nothing else to show
    motion = RecordedMotion(stamps, names, zero, zero, effort, settling=np.ones(SAMPLES))
    assert "70.000" in effort_table(charmie, motion)
