# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest
from recordings import START

from charmie_dynamics import Model
from charmie_dynamics.recordings import Cycles
from charmie_dynamics.recordings.compute.summary import (
    ActuatorSummary,
    rated_columns,
    summarise,
    summary_table,
)

STEP = 10_000_000  # ns
SAMPLES = 1001
TIME = np.arange(SAMPLES) * 0.01


def cycles(model: Model, name: str, **values: np.ndarray) -> Cycles:
    """Ten seconds at rest but for one actuator."""
    i = model.actuator_names.index(name)
    arrays = {
        key: np.zeros((SAMPLES, len(model.actuator_names)))
        for key in ("position", "velocity", "actuator_effort")
    }
    for key, column in values.items():
        arrays[key][:, i] = column
    stamps = START + STEP * np.arange(SAMPLES)
    return Cycles(stamps, stamps, arrays)


def summary_of(model: Model, name: str, some: Cycles) -> ActuatorSummary:
    return next(s for s in summarise(model, some, 0.5) if s.name == name)


def test_work_and_power_are_those_of_a_swing(charmie: Model) -> None:
    # effort 3 sin t at velocity 2 sin t: power 6 sin^2 t, never negative
    some = cycles(
        charmie, "neck_pan_joint", actuator_effort=3.0 * np.sin(TIME), velocity=2.0 * np.sin(TIME)
    )
    found = summary_of(charmie, "neck_pan_joint", some)
    work = 6.0 * (5.0 - np.sin(20.0) / 4.0)
    assert found.work_done == pytest.approx(work, rel=1e-4)
    assert found.work_taken == 0.0
    assert found.mean_power == pytest.approx(work / 10.0, rel=1e-4)
    assert found.peak_power == pytest.approx(6.0, rel=1e-4)
    assert found.peak_velocity == pytest.approx(2.0, rel=1e-4)


def test_peak_keeps_its_sign_and_time(charmie: Model) -> None:
    effort = np.zeros(SAMPLES)
    effort[300], effort[700] = 1.0, -2.0
    found = summary_of(charmie, "neck_pan_joint",
                       cycles(charmie, "neck_pan_joint", actuator_effort=effort))  # fmt: skip
    assert (found.peak_effort, found.peak_time) == (-2.0, pytest.approx(7.0))
    assert found.rms_effort == pytest.approx(np.sqrt(5.0 / SAMPLES))


def test_overloads_are_intervals_with_their_peaks(charmie: Model) -> None:
    rated = dict(zip(charmie.actuator_names, charmie.actuator_limits(), strict=True))
    limit = rated["lift_actuator"].effort
    effort = np.zeros(SAMPLES)
    effort[100:150], effort[120] = 1.1 * limit, 1.5 * limit
    effort[400] = -1.2 * limit
    effort[500:600] = 0.95 * limit
    some = cycles(charmie, "lift_actuator", actuator_effort=effort)
    found = summary_of(charmie, "lift_actuator", some)
    first, second = found.overloads
    assert (first.start, first.end) == (pytest.approx(1.0), pytest.approx(1.49))
    assert first.peak == pytest.approx(1.5 * limit)
    assert (second.start, second.end) == (pytest.approx(4.0), pytest.approx(4.0))
    assert second.peak == pytest.approx(-1.2 * limit)
    assert found.overload_time == pytest.approx(0.51)
    assert found.near_effort == pytest.approx(1.51)
    assert "overload of lift_actuator: 1.000 to 1.490 s" in summary_table(
        summarise(charmie, some, 0.5)
    )


def test_the_table_compares_the_computed_peak_with_the_rated_effort(charmie: Model) -> None:
    rated = charmie.actuator_limits()[charmie.actuator_names.index("lift_actuator")].effort
    effort = np.zeros(SAMPLES)
    effort[300] = -0.5 * rated
    some = cycles(charmie, "lift_actuator", actuator_effort=effort)
    title, head, *rows = summary_table(summarise(charmie, some, 0.5)).splitlines()
    assert title == "computed efforts"
    columns = [name.strip() for name in head.replace("at s", "at_s").split("  ") if name.strip()]
    assert columns[:6] == ["actuator", "unit", "rated", "peak", "% rated", "at_s"]
    (row,) = (row.split() for row in rows if row.startswith("lift_actuator"))
    assert row[2:6] == [f"{rated:.4g}", f"{-0.5 * rated:.3f}", "50", "3.00"]
    unlimited = rated_columns(2.0, None)
    assert unlimited.split() == ["-", "2.000", "-"]


def test_a_pause_counts_neither_as_time_nor_as_work(charmie: Model) -> None:
    limit = charmie.actuator_limits()[charmie.actuator_names.index("lift_actuator")].effort
    some = cycles(charmie, "lift_actuator", actuator_effort=np.full(SAMPLES, 1.5 * limit),
                  velocity=np.ones(SAMPLES))  # fmt: skip
    later = some.stamps.copy()
    later[500:] += 60_000_000_000
    whole = summary_of(charmie, "lift_actuator", some)
    paused = summary_of(charmie, "lift_actuator", some._replace(stamps=later))
    assert paused.work_done == pytest.approx(whole.work_done * 999 / 1000)
    assert paused.overload_time == pytest.approx(9.99)
    assert len(whole.overloads) == 1 and len(paused.overloads) == 2


def test_cycles_whose_estimates_settle_are_left_out(charmie: Model) -> None:
    limit = charmie.actuator_limits()[charmie.actuator_names.index("lift_actuator")].effort
    effort, settling = np.full(SAMPLES, 0.5 * limit), np.zeros(SAMPLES)
    effort[300:400], settling[300:400] = 3.0 * limit, 0.1
    some = cycles(charmie, "lift_actuator", actuator_effort=effort, velocity=np.ones(SAMPLES))
    some.arrays["settling"] = settling
    found = summary_of(charmie, "lift_actuator", some)
    assert found.peak_effort == found.rms_effort == pytest.approx(0.5 * limit)
    assert found.overloads == () and found.overload_time == 0.0
    # from the last settled cycle to the next nothing is assumed
    assert found.work_done == pytest.approx(0.5 * limit * 0.01 * (SAMPLES - 1 - 101))
    # where there are no others they are better than nothing
    some.arrays["settling"] = np.ones(SAMPLES)
    assert summary_of(charmie, "lift_actuator", some).peak_effort == 3.0 * limit


def test_time_near_the_ends_of_the_range(charmie: Model) -> None:
    limit = charmie.actuator_limits()[charmie.actuator_names.index("neck_tilt_joint")]
    position = np.full(SAMPLES, 0.5 * (limit.lower + limit.upper))
    position[:201] = limit.upper - 0.01 * (limit.upper - limit.lower)
    found = summary_of(charmie, "neck_tilt_joint",
                       cycles(charmie, "neck_tilt_joint", position=position))  # fmt: skip
    assert found.near_position == pytest.approx(2.0, abs=0.01)
