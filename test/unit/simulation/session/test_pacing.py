# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How many steps are due."""

from __future__ import annotations

import math

import pytest

from charmie_dynamics.simulation.session.pacing import Pacing


@pytest.mark.parametrize("speed", [0.1, 1.0, 7.0])
def test_steps_follow_time_at_the_speed(speed: float) -> None:
    pacing, steps, now = Pacing(0.001, speed), 0, 100.0
    pacing.begin(0, now)
    for _ in range(1000):
        now += 0.01
        steps += pacing.due(steps, now)
    assert steps == pytest.approx(10.0 * speed / 0.001, abs=1)


def test_a_pause_of_the_machine_is_not_made_good_in_a_burst() -> None:
    pacing = Pacing(0.001, 1.0)
    pacing.begin(0, 0.0)
    assert pacing.due(0, 5.0) == 100
    assert pacing.due(100, 5.001) == 1


def test_without_a_speed_there_is_no_waiting() -> None:
    pacing = Pacing(0.001, 0.0)
    assert math.isinf(pacing.due(17, 3.0))


def test_another_speed_goes_on_from_where_it_is() -> None:
    pacing = Pacing(0.001, 1.0)
    pacing.begin(0, 0.0)
    pacing.set_speed(2.0, 50, 0.05)
    assert pacing.due(50, 0.06) == 20


def test_slow_time_makes_a_step_now_and_then() -> None:
    pacing = Pacing(0.1, 0.01)
    pacing.begin(0, 0.0)
    assert pacing.due(0, 4.0) == 0
    assert pacing.due(0, 10.0) == 1
