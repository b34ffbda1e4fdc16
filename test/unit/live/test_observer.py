# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Efforts from outside are found without acceleration, quickly and without false alarms."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from charmie_dynamics import InputError, Model
from charmie_dynamics.live.estimation.observer import Contacts, Observer, Sample
from charmie_dynamics.model.loads import Wrench
from charmie_dynamics.motions import make_motion

RATE = 250.0  # Hz
CUTOFF = 15.0  # Hz
PUSH = Wrench((0.0, 12.0, 0.0))
SHARE = 0.15  # of the rated effort: threshold
# standard deviations
VELOCITY_NOISE = 2e-3  # rad/s or m/s
POSITION_NOISE = 1e-4  # rad
LENGTH_NOISE = 2e-5  # m
EFFORT_NOISE = 0.02  # of the rated effort


def rated(model: Model) -> np.ndarray:
    return np.array([limit.effort for limit in model.actuator_limits()])


def samples(
    model: Model,
    seconds: float,
    push: float = math.inf,
    noise: float = 0.0,
    start: float = 0.0,
    rate: float = RATE,
) -> Iterator[Sample]:
    """The wave motion, measured; a stiffly controlled robot that is pushed from a time on."""
    motion = make_motion("wave", model)
    pushed = model.with_loads(wrenches={"left_tool": PUSH})
    rng = np.random.default_rng(1)
    linear = np.array(
        [name in ("lift_actuator", "torso_actuator") for name in model.actuator_names]
    )
    count = len(linear)
    for k in range(round(seconds * rate)):
        t = start + k / rate
        position, velocity, acceleration = motion.at(t % motion.duration)
        now = pushed if t >= push else model
        effort = now.compute(position, velocity, acceleration).actuator_effort
        yield Sample(
            round(t * 1e9),
            position
            + noise * rng.normal(size=count) * np.where(linear, LENGTH_NOISE, POSITION_NOISE),
            velocity + noise * rng.normal(size=count) * np.where(linear, 0.1, 1.0) * VELOCITY_NOISE,
            effort + noise * rng.normal(size=count) * EFFORT_NOISE * rated(model),
        )


def observe(model: Model, measured: Iterator[Sample]) -> np.ndarray:
    observer = Observer(model, CUTOFF, 0.5)
    return np.array([observer.update(sample).copy() for sample in measured])


def test_without_a_push_nothing_is_found(charmie: Model) -> None:
    """But for the error of the discrete step, in a motion that uses most of the robot's speed."""
    found = observe(charmie, samples(charmie, 4.0))
    assert np.abs(found / rated(charmie)).max() < 2e-3


def test_error_of_the_step_is_of_second_order(charmie: Model) -> None:
    errors = []
    for every in (1, 2):
        measured = list(samples(charmie, 4.0))[::every]
        errors.append(np.abs(observe(charmie, iter(measured)) / rated(charmie)).max())
    assert errors[1] == pytest.approx(4.0 * errors[0], rel=0.25)


def test_a_lasting_push_is_found_as_it_is(charmie: Model) -> None:
    pushed = list(samples(charmie, 1.0, push=0.0))
    motion = make_motion("wave", charmie)
    state = motion.at(pushed[-1].stamp * 1e-9)
    without = charmie.compute(*state).actuator_effort
    with_push = charmie.with_loads(wrenches={"left_tool": PUSH}).compute(*state).actuator_effort
    found = observe(charmie, iter(pushed))[-1]
    np.testing.assert_allclose(
        found / rated(charmie), (without - with_push) / rated(charmie), atol=0.02
    )


@pytest.mark.parametrize("rate", [100.0, RATE])
def test_a_push_is_felt_within_50_ms(charmie: Model, rate: float) -> None:
    """With noise, at ten times of the motion."""
    contacts = []
    for start in np.arange(1.0, 11.0):
        begin = start + 0.5
        measured = list(samples(charmie, 0.6, push=begin, noise=1.0, start=start, rate=rate))
        found = observe(charmie, iter(measured))
        detector = Contacts(SHARE * rated(charmie))
        felt = [detector.update(effort).any() for effort in found]
        times = np.array([sample.stamp for sample in measured]) * 1e-9
        assert not any(felt[: np.searchsorted(times, begin)])
        contacts.append(times[felt.index(True)] - begin)
    assert max(contacts) <= 0.05


def test_ten_minutes_of_noise_give_no_alarm(charmie: Model) -> None:
    detector = Contacts(SHARE * rated(charmie))
    observer = Observer(charmie, CUTOFF, 0.5)
    alarms = [
        sample.stamp
        for sample in samples(charmie, 600.0, noise=1.0, rate=100.0)
        if detector.update(observer.update(sample)).any()
    ]
    assert alarms == []


def test_actuators_without_a_measured_effort_stay_unknown(charmie: Model) -> None:
    measured = [s._replace(effort=np.where(np.arange(21) == 6, s.effort, np.nan))
                for s in samples(charmie, 0.1)]  # fmt: skip
    found = observe(charmie, iter(measured))
    assert np.isfinite(found[:, 6]).all()
    assert np.isnan(np.delete(found, 6, axis=1)).all()


@pytest.mark.parametrize("step", [-0.1, 2.0])
def test_a_jump_of_time_starts_it_anew(charmie: Model, step: float) -> None:
    measured = list(samples(charmie, 1.0, push=0.0))
    observer = Observer(charmie, CUTOFF, 0.5)
    for sample in measured:
        observer.update(sample)
    later = measured[-1]._replace(stamp=measured[-1].stamp + round(step * 1e9))
    np.testing.assert_array_equal(observer.update(later), 0.0)


@pytest.mark.parametrize(("push", "first"), [(math.inf, 0), (0.0, 20)])
def test_a_pause_below_the_gap_holds_the_effort(charmie: Model, push: float, first: int) -> None:
    measured = list(samples(charmie, 1.2, push=push))
    whole = observe(charmie, iter(measured))
    paused = observe(charmie, iter([*measured[:150], *measured[250:]]))
    np.testing.assert_array_equal(paused[150], paused[149])
    error = np.abs(paused[150 + first :] - whole[250 + first :]) / rated(charmie)
    assert error.max() < 0.02


def test_slow_samples_are_no_pauses(charmie: Model) -> None:
    found = observe(charmie, samples(charmie, 2.0, push=0.0, rate=10.0))
    assert (np.abs(found[5:]).max(axis=1) > 1.0).all()


def test_a_repeated_sample_changes_nothing(charmie: Model) -> None:
    measured = list(samples(charmie, 0.2, push=0.0))
    observer = Observer(charmie, CUTOFF, 0.5)
    before = [observer.update(sample).copy() for sample in measured][-1]
    np.testing.assert_array_equal(observer.update(measured[-1]), before)


def test_a_contact_ends_below_the_release_alone() -> None:
    detector = Contacts(np.array([1.0]), release=0.6)
    efforts = [0.9, 1.1, 0.7, -0.7, 0.5, 0.7, np.nan]
    felt = [bool(detector.update(np.array([effort]))[0]) for effort in efforts]
    assert felt == [False, True, True, True, False, False, False]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda model: Observer(model, 0.0, 0.5), "cutoff: expected a positive frequency, got 0"),
        (lambda model: Contacts(np.zeros(1)), "expected thresholds above zero"),
        (lambda model: Contacts(np.ones(1), 1.5), "expected a share"),
    ],
)
def test_impossible_settings_are_refused(charmie: Model, make: object, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        make(charmie)  # type: ignore[operator]
