# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification from arrays: numbers come back, intervals hold, and what is not told is said."""

from __future__ import annotations

import re

import numpy as np
import pytest
from identified_robots import Recorded, other_robot, recorded, samples_of, true_base, with_noise
from random_states import random_motion

from charmie_dynamics import CharmieError, InputError, Model, UnknownNameError, load_model
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.recordings.compute.smoothing import low_pass
from charmie_dynamics.studies import (
    EffortSamples,
    IdentificationResult,
    IdentificationSettings,
    Unknowns,
    identify,
    samples_of_motion,
    samples_of_positions,
)
from charmie_dynamics.studies.identification.pseudo_inertia import pseudo_inertia
from charmie_dynamics.studies.identification.report import report

DURATION = 15.0


@pytest.fixture(scope="module")
def found(scara: Model) -> tuple[Model, IdentificationResult]:
    """A SCARA without noise."""
    rng = np.random.default_rng(5)
    true = other_robot(scara, rng, viscous=2.0, coulomb=0.5)
    data = recorded(true, random_motion(scara, rng), DURATION)
    return true, identify(scara, [samples_of(scara, data)])


def test_without_noise_the_base_parameters_come_back(
    found: tuple[Model, IdentificationResult],
) -> None:
    true, result = found
    expected = true_base(result, true)
    count = len(expected)
    np.testing.assert_allclose(result.fit.values[:count], expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(result.consistent.values[:count], expected, rtol=1e-3, atol=1e-5)


def test_without_noise_friction_comes_back(found: tuple[Model, IdentificationResult]) -> None:
    true, result = found
    for name, friction in true.mechanisms.friction.items():
        assert result.friction[name].viscous == pytest.approx(friction.viscous, rel=1e-4)
        assert result.friction[name].coulomb == pytest.approx(friction.coulomb, rel=1e-4)


def test_an_unknown_number_is_refused_with_the_nearest_name(
    found: tuple[Model, IdentificationResult],
) -> None:
    with pytest.raises(
        UnknownNameError, match="'joint_1 viscos' is unknown; did you mean 'joint_1 vis"
    ):
        found[1].number("joint_1 viscos")


def test_every_link_is_a_body_that_can_be(found: tuple[Model, IdentificationResult]) -> None:
    _, result = found
    for row in result.consistent.parameters.reshape(-1, 10):
        if row[0] > 0.0:
            assert np.linalg.eigvalsh(pseudo_inertia(row)).min() > 0.0


def test_correlated_noise_makes_intervals_wider(scara: Model) -> None:
    rng = np.random.default_rng(8)
    data = recorded(scara, random_motion(scara, rng), DURATION)
    white = rng.normal(size=data.effort.shape)
    slow = np.cumsum(white, axis=0)
    slow -= np.apply_along_axis(np.convolve, 0, slow, np.ones(200) / 200.0, "same")
    slow /= slow.std(axis=0)
    noisy = [
        identify(scara, [samples_of(scara, data, data.effort + 0.05 * noise)])
        for noise in (white, slow)
    ]
    assert noisy[1].number("link_3 my").deviation > 2.0 * noisy[0].number("link_3 my").deviation


def test_actuators_without_measured_effort_are_left_out(scara: Model) -> None:
    data = recorded(scara, random_motion(scara, np.random.default_rng(4)), DURATION)
    effort = data.effort.copy()
    effort[:, 0] = np.nan
    effort[:, 2] = 0.0  # a driver that measures none
    result = identify(scara, [samples_of(scara, data, effort)])
    assert [j.name for j in result.judgements] == ["joint_2", "joint_4", "joint_5"]
    assert set(result.friction) == {"joint_2", "joint_4", "joint_5"}
    assert not any(name.startswith("link_1 m ") for name in result.columns.names)


def test_recordings_with_gaps_and_several_of_them_are_one_set_of_data(
    scara: Model, found: tuple[Model, IdentificationResult]
) -> None:
    true, _ = found
    parts = [
        samples_of(scara, recorded(true, random_motion(scara, np.random.default_rng(k)), 12.0))
        for k in range(2)
    ]
    keep = np.r_[0:400, 700:1200]
    names = ("time", "position", "velocity", "acceleration", "measured", "described")
    cut = EffortSamples(*(getattr(parts[0], name)[keep] for name in names))
    result = identify(scara, [cut, parts[1]])
    expected = true_base(result, true)
    np.testing.assert_allclose(result.fit.values[: len(expected)], expected, rtol=1e-5, atol=1e-7)


def test_the_noise_of_a_joint_at_rest_spoils_no_other_number(scara: Model) -> None:
    """Its friction has columns of noise alone; the weight on it shows all masses."""
    rng = np.random.default_rng(7)
    true, moving = other_robot(scara, rng, viscous=2.0, coulomb=0.5), random_motion(scara, rng)

    def motion(time: np.ndarray) -> tuple[np.ndarray, ...]:
        q, v, a = (part.copy() for part in moving(time))
        q[:, 0], v[:, 0], a[:, 0] = q[0, 0], 0.0, 0.0
        return q, v, a

    data = recorded(true, motion, DURATION)
    position = data.position + 1e-5 * rng.normal(size=data.position.shape)
    effort = with_noise(data.effort, 0.01, rng)
    result = identify(scara, [samples_of_positions(scara, data.time, position, effort)])
    names = [number.name for number in result.undetermined]
    assert {"joint_1 viscous", "joint_1 coulomb"} <= set(names)
    assert not any(re.match(r"\w+ m[xyz]?\b", name) for name in names)


def test_what_the_motion_does_not_show_is_named(scara: Model) -> None:
    rng = np.random.default_rng(6)

    def slow(time: np.ndarray) -> tuple[np.ndarray, ...]:
        q, v, a = random_motion(scara, np.random.default_rng(2))(0.02 * time)
        return q, 0.02 * v, 0.0004 * a

    data = recorded(scara, slow, DURATION)
    effort = data.effort + 0.02 * rng.normal(size=data.effort.shape)
    result = identify(scara, [samples_of(scara, data, effort)])
    names = [number.name for number in result.undetermined]
    assert any(" zz" in name for name in names)
    assert not any(name.startswith("link_1 m + link_2 m") for name in names)
    assert "## Parameters that the motion does not determine" in report(result, "slow motion")


def test_unknowns_can_be_switched_off(scara: Model) -> None:
    data = recorded(scara, random_motion(scara, np.random.default_rng(4)), DURATION)
    unknowns = Unknowns(inertials=False, springs=False, offsets=True)
    result = identify(
        scara, [samples_of(scara, data, data.effort + 1.5)],
        IdentificationSettings(unknowns=unknowns),
    )  # fmt: skip
    assert result.columns.names[:3] == ("joint_1 viscous", "joint_1 coulomb", "joint_1 offset")
    assert result.number("joint_4 offset").estimate == pytest.approx(1.5, abs=1e-6)
    assert result.inertials == {} and result.springs == {}
    with pytest.raises(InputError, match="expected at least one kind, got none"):
        Unknowns(inertials=False, friction=False, springs=False)


def test_data_that_tell_nothing_are_refused(scara: Model) -> None:
    data = recorded(scara, random_motion(scara, np.random.default_rng(4)), 3.0)
    with pytest.raises(CharmieError, match="no effort of an actuator was measured in 300 samples"):
        identify(scara, [samples_of(scara, data, np.full_like(data.effort, np.nan))])
    with pytest.raises(CharmieError, match=r"25 unknowns cannot be found from 15 means"):
        short = recorded(scara, random_motion(scara, np.random.default_rng(4)), 0.3)
        identify(scara, [samples_of(scara, short)])
    rest = Recorded(data.time, *(0.0 * part for part in data[1:4]), data.effort)
    with pytest.raises(CharmieError, match=r"no actuator moves by more than 0\.001 rad or m"):
        identify(scara, [samples_of(scara, rest)])
    with pytest.raises(InputError, match="parts: expected at least 2, got 1"):
        identify(scara, [samples_of(scara, data)], IdentificationSettings(parts=1))


def test_friction_of_joints_that_rest_in_a_part_is_not_predicted_from_it(scara: Model) -> None:
    rng = np.random.default_rng(8)
    motion = random_motion(scara, rng)

    def ends_at_rest(time: np.ndarray) -> tuple[np.ndarray, ...]:
        position, velocity, acceleration = motion(np.minimum(time, DURATION))
        moves = (time < DURATION)[:, None]
        round_off = 1e-13 * rng.normal(size=velocity.shape)  # of an integrator that holds a pose
        return position, np.where(moves, velocity, round_off), np.where(moves, acceleration, 0.0)

    true = other_robot(scara, rng, viscous=2.0, coulomb=0.5)
    data = recorded(true, ends_at_rest, 3.0 * DURATION)
    result = identify(
        scara, [samples_of(scara, data, with_noise(data.effort, 1e-3, rng))],
        IdentificationSettings(parts=3),
    )  # fmt: skip
    for each in result.judgements:
        assert max(each.friction, each.identified) < 2.0 * each.described


@pytest.mark.parametrize("place", ["before", "after", "within"])
def test_a_rest_changes_neither_friction_nor_errors(scara: Model, place: str) -> None:
    rng = np.random.default_rng(31)
    motion, true = random_motion(scara, rng), other_robot(scara, rng, viscous=2.0, coulomb=3.0)
    first = {"before": 0.0, "after": DURATION, "within": 0.4 * DURATION}[place]
    rest = 3.0 * DURATION  # s
    time = np.arange(0.0, DURATION + rest, 0.01)
    rests = (time >= first) & (time < first + rest)
    position, velocity, acceleration = motion(np.where(time < first, time,
                                                       np.maximum(time - rest, first)))  # fmt: skip
    velocity, acceleration = (np.where(rests[:, None], 0.0, x) for x in (velocity, acceleration))
    sizes = np.array([friction.coulomb for friction in true.mechanisms.friction.values()])
    effort = true.compute(position, velocity, acceleration).actuator_effort
    effort = effort + 1e-3 * sizes * rng.normal(size=effort.shape)
    effort[rests] += rng.uniform(-1.0, 1.0, sizes.shape) * sizes  # friction of sticking joints
    data = Recorded(time, position, velocity, acceleration, effort)
    result = identify(scara, [samples_of(scara, data)])
    for name, friction in true.mechanisms.friction.items():
        for what in ("viscous", "coulomb"):
            found = result.number(f"{name} {what}")
            error = abs(found.estimate - getattr(friction, what))
            assert error < 2.0 * found.half_width < 0.1 * getattr(friction, what)
    for each in result.judgements:
        assert each.identified < 0.15 * each.measured
    assert result.rest == pytest.approx(rest, abs=1.0)
    (notice,) = result.notices
    assert "of 60.0 s are omitted, in which all actuators rest" in notice


def test_arrays_that_do_not_fit_are_refused(scara: Model) -> None:
    time, rows = np.arange(3.0), np.zeros((3, 5))
    with pytest.raises(InputError, match=r"velocity: expected shape \(3, 5\), got \(3, 4\)"):
        samples_of_motion(scara, time, (rows, rows[:, :4], rows), rows)
    with pytest.raises(InputError, match="time: expected finite times that increase"):
        samples_of_motion(scara, time[::-1], (rows, rows, rows), rows)
    with pytest.raises(UnsupportedError, match="identification: expected a robot whose joints all"):
        samples_of_motion(load_model("quadruped"), time, (rows, rows, rows), rows)


def test_a_low_pass_that_measured_efforts_went_through_is_found(
    scara: Model, found: tuple[Model, IdentificationResult]
) -> None:
    _, plain = found
    rng = np.random.default_rng(5)
    data = recorded(
        other_robot(scara, rng, viscous=2.0, coulomb=3.0), random_motion(scara, rng), 30.0
    )
    filtered = low_pass(data.time, data.time, 2.0) @ data.effort
    result = identify(scara, [samples_of(scara, data, filtered)])
    assert result.effort_cutoff == pytest.approx(2.0, rel=0.5)
    assert plain.effort_cutoff == np.inf
    blind = IdentificationSettings(effort_cutoff=np.inf)
    other = identify(scara, [samples_of(scara, data, filtered)], blind)
    for with_filter, without in zip(result.judgements, other.judgements, strict=True):
        assert with_filter.identified < 0.5 * without.identified
    with pytest.raises(InputError, match="effort_cutoff: expected a number above 0, got 0 Hz"):
        identify(scara, [samples_of(scara, data)], IdentificationSettings(effort_cutoff=0.0))
