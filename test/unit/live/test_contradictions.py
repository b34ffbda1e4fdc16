# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Velocities and efforts that contradict positions and model are reported, good ones are not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from charmie_dynamics import load_model
from charmie_dynamics.live.estimation.contradictions import (
    describe_effort,
    describe_outside,
    effort_gain,
)
from charmie_dynamics.live.measured import ComparedEfforts
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import JOINT_STATES, make_sample

DEGREE = math.pi / 180.0
PERIOD = 0.01  # s
TIME = PERIOD * np.arange(600)
POSITION, VELOCITY = 0.8 * np.sin(2.0 * TIME), 1.6 * np.cos(2.0 * TIME)
SHAKEN = np.sin(20.0 * TIME)
RNG = np.random.default_rng(5)
NOISE = RNG.normal(size=(2, len(TIME)))
MODEL = load_model("scara")


def contradictions(position: np.ndarray, velocity: np.ndarray | None) -> dict[str, str]:
    """Return those of joint_1, the other joints stand still and measure no velocity."""
    pipeline, names = Pipeline(MODEL), list(MODEL.actuator_names)
    for k, p in enumerate(position):
        row = np.zeros(len(names))
        row[0] = p
        speeds = np.full(len(names), np.nan)
        speeds[0] = np.nan if velocity is None else velocity[k]
        stamp = 10**18 + round(k * PERIOD * 1e9)
        pipeline.take(
            JOINT_STATES, make_sample(names, row, speeds, [], stamp), k * PERIOD, run=False
        )
    return pipeline.take_contradictions()


@pytest.mark.parametrize(
    ("position", "velocity", "said"),
    [
        (POSITION, 0.0 * VELOCITY, "velocity is zero while the position changes"),
        (POSITION, VELOCITY / DEGREE, "is the velocity in degrees per second?"),
        (POSITION / DEGREE, VELOCITY, "is the position in degrees?"),
        (POSITION, -VELOCITY, "with the opposite sign"),
        (POSITION, 60.0 / (2.0 * math.pi) * VELOCITY, "revolutions per minute"),
        (POSITION, -VELOCITY / DEGREE, "degrees per second?, check its sign"),
        (POSITION, 101.0 * VELOCITY, "check its unit and gear ratio"),
        (0.005 * POSITION, 0.0 * VELOCITY, "velocity is zero while the position changes"),
        (0.02 * SHAKEN, 0.0 * TIME, "velocity is zero while the position changes"),
        (0.01 * POSITION, 0.01 / DEGREE * VELOCITY, "is the velocity in degrees per second?"),
        (0.02 * POSITION + 1e-4 * NOISE[0], -0.02 * VELOCITY, "with the opposite sign"),
        (np.round(0.05 * POSITION / 1e-3) * 1e-3, 0.0 * TIME, "velocity is zero while"),
    ],
)
def test_velocities_that_contradict_positions_are_reported(
    position: np.ndarray, velocity: np.ndarray, said: str
) -> None:
    found = contradictions(position, velocity)
    assert list(found) == ["joint_1"]
    assert said in found["joint_1"]


def low_pass(values: np.ndarray, cutoff: float) -> np.ndarray:
    """Return values behind a low pass of first order (Hz)."""
    share, result = 1.0 - math.exp(-2.0 * math.pi * cutoff * PERIOD), values.copy()
    for k in range(1, len(values)):
        result[k] = result[k - 1] + share * (values[k] - result[k - 1])
    return result


@pytest.mark.parametrize(
    ("position", "velocity"),
    [
        (POSITION, VELOCITY),
        (POSITION, None),
        (POSITION + 2e-3 * NOISE[0], VELOCITY + 0.2 * NOISE[1]),
        (np.round(POSITION / 0.01) * 0.01, VELOCITY),
        (POSITION, np.gradient(np.round(POSITION / 1e-3) * 1e-3, PERIOD)),
        (0.8 * np.sin(2.0 * (TIME - 0.005)), VELOCITY),
        (0.1 * np.sin(30.0 * (TIME - 0.005)), 3.0 * np.cos(30.0 * TIME)),
        (POSITION, low_pass(VELOCITY, 2.0)),
        (2e-3 * NOISE[0], 0.05 * NOISE[1]),
        (0.0 * POSITION, 0.0 * POSITION + 0.004),
        ((10.0 * TIME + math.pi) % (2.0 * math.pi) - math.pi, 0.0 * TIME + 10.0),
        (2e-3 * NOISE[0], 0.0 * TIME),
        (np.round(0.4 + 0.2 * NOISE[0]) * 1.5e-3, 0.0 * TIME),
        (0.02 * SHAKEN, 0.4 * np.cos(20.0 * (TIME - 0.06))),
        (1.0 - np.cos(3.0 * TIME), low_pass(3.0 * np.sin(3.0 * TIME), 1.0)),
        (5e-4 * POSITION, 5e-4 * VELOCITY + 0.2 * NOISE[1]),
        (1e-3 * TIME, 0.0 * TIME),
    ],
    ids=("exact", "not measured", "noise", "coarse encoder", "differences", "delay",
         "delay of fast motion", "filtered", "noise at rest", "offset at rest", "wrapped",
         "noise at rest, no velocity", "encoder between two values", "delay of small fast motion",
         "filtered from rest", "noise of small motion", "slow"),
)  # fmt: skip
def test_good_velocities_are_not_reported(
    position: np.ndarray, velocity: np.ndarray | None
) -> None:
    assert contradictions(position, velocity) == {}


@pytest.mark.parametrize("last", [(1.0, True), (0.0, False)], ids=["good", "10 s"])
def test_a_verdict_stays_while_the_joint_rests_and_ends_with_good_velocities_or_10_s(
    last: tuple[float, bool],
) -> None:
    pipeline, names = Pipeline(MODEL), list(MODEL.actuator_names)
    verdicts, stamp = [], 10**18
    for factor, moves in ((0.0, True), (0.0, False), last):
        for p, v in zip(POSITION, VELOCITY, strict=True):
            stamp += round(PERIOD * 1e9)
            row = [p if moves else 0.0, 0.0, 0.0, 0.0, 0.0]
            speeds = [factor * v if moves else 0.0, 0.0, 0.0, 0.0, 0.0]
            sample = make_sample(names, row, speeds, [], stamp)
            pipeline.take(JOINT_STATES, sample, stamp * 1e-9, run=False)
        verdicts.append(list(pipeline.take_contradictions()))
    assert verdicts == [["joint_1"], ["joint_1"], []]


COMPUTED = 20.0 + 6.0 * np.cos(POSITION) * np.sin(3.1 * TIME)
FRICTION = 1.5 * VELOCITY + 2.0 * np.sign(VELOCITY)


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ((COMPUTED + FRICTION) / 11.4, "A factor of 11.4 fits"),
        (-(COMPUTED + FRICTION), "check its sign"),
        (-(COMPUTED + FRICTION) / 8.0, "A factor of -8 fits"),
        (1000.0 * (COMPUTED + 0.2 * NOISE[0]), "measured effort is 1e+03 times"),
    ],
)
def test_efforts_of_another_unit_or_sign_are_reported(measured: np.ndarray, said: str) -> None:
    found = effort_gain(measured, COMPUTED, VELOCITY)
    assert found is not None and found.contradicts
    assert said in describe_effort(found)


@pytest.mark.parametrize(
    "measured",
    [
        COMPUTED,
        COMPUTED + FRICTION + 0.5 * NOISE[0],
        1.5 * COMPUTED + FRICTION,
        FRICTION + 0.05 * COMPUTED + 0.2 * NOISE[0],
        NOISE[0],
        0.0 * COMPUTED,
        0.0 * COMPUTED + 3.0,
    ],
    ids=("exact", "friction", "heavier", "friction alone", "noise", "zero", "constant"),
)
def test_efforts_that_may_be_right_are_not_reported(measured: np.ndarray) -> None:
    found = effort_gain(measured, COMPUTED, VELOCITY)
    assert found is None or not found.contradicts


def test_the_node_judges_efforts_of_the_last_motions() -> None:
    history = ComparedEfforts(("first", "second"))
    for k, effort in enumerate(COMPUTED):
        row = np.array([effort, effort])
        stamp = round(k * 0.05e9)
        history.note(stamp, row * np.array([1.0, 0.1]), row, np.full(2, VELOCITY[k]))
    found = history.contradictions()
    assert list(found) == ["second"] and "A factor of 10 fits" in found["second"]


@pytest.mark.parametrize(
    ("value", "upper", "is_angle", "said"),
    [
        (20.0, 0.5, True, "20: in degrees?"),
        (20.0, 0.5, False, "20: in mm?"),
        (700.0, 0.5, False, "700"),
        (9000.0, 10.0, False, "9000: in mm?"),
        (90.0, 10.0, True, "90"),
    ],
)
def test_positions_outside_are_compared_with_the_unit_of_their_coordinate(
    value: float, upper: float, is_angle: bool, said: str
) -> None:
    assert describe_outside(value, 0.0, upper, is_angle=is_angle) == said


@pytest.mark.parametrize("is_angle", [True, False])
def test_samples_outside_the_limits_are_reported_with_their_likely_unit(is_angle: bool) -> None:
    names = list(MODEL.actuator_names)
    k = [unit == "N m" for unit in MODEL.effort_units].index(is_angle)
    row = np.zeros(len(names))
    row[k] = 0.9 * MODEL.actuator_limits()[k].upper / (DEGREE if is_angle else 1e-3)
    pipeline = Pipeline(MODEL)
    sample = make_sample(names, row, [], [], 10**18)
    pipeline.take(JOINT_STATES, sample, 0.0, run=False)
    (said,) = pipeline.estimator.take_findings()[3].values()
    assert said.endswith("in degrees?" if is_angle else "in mm?")
