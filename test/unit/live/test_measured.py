# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Measured efforts held against those of the model."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from charmie_dynamics import Model
from charmie_dynamics.live.measured import Comparison, MeasuredEfforts, contact_thresholds
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.model.description.robot import JointFriction
from charmie_dynamics.model.loads import Payload

PAN, TILT = "neck_pan_joint", "neck_tilt_joint"
CUTOFF, GAP = 15.0, 0.5
MS = 10**6
SPEED = 0.5  # rad/s


def with_mechanisms(model: Model, **changes: object) -> Model:
    return Model(model.tree, dataclasses.replace(model.mechanisms, **changes))


def cycle(model: Model, stamp: int, excess: dict[str, float], dynamics: bool = True) -> Cycle:
    """A cycle in which some actuators give so much more than the model says."""
    count = len(model.actuator_names)
    compute = model.compute if dynamics else model.kinematics
    state = compute(model.zero_position(), np.full(count, SPEED))
    effort = np.full(count, np.nan)
    for name, more in excess.items():
        i = model.actuator_names.index(name)
        effort[i] = (state.actuator_effort[i] if dynamics else 0.0) + more
    return Cycle(stamp, state, effort)


def values(model: Model, array: np.ndarray) -> dict[str, float]:
    pairs = zip(model.actuator_names, array.tolist(), strict=True)
    return {name: value for name, value in pairs if not np.isnan(value)}


def compare(model: Model, *cycles: Cycle) -> Comparison | None:
    measured = MeasuredEfforts(model, CUTOFF, GAP)
    return [measured.update(each) for each in cycles][-1]


def test_residual_is_what_is_measured_beyond_the_model(charmie: Model) -> None:
    found = compare(charmie, cycle(charmie, 0, {PAN: 0.25, TILT: -0.5}))
    assert values(charmie, found.residual) == pytest.approx({PAN: 0.25, TILT: -0.5})


def measured_as(rough: Model, smooth: Cycle) -> Cycle:
    """A cycle of a robot with friction, with the efforts measured in another."""
    state = rough.compute(smooth.state.position, smooth.state.velocity)
    return Cycle(smooth.stamp, state, smooth.effort)


def test_friction_of_the_mechanisms_file_is_no_residual(charmie: Model) -> None:
    rough = with_mechanisms(charmie, friction={PAN: JointFriction(2.0, 0.3)})
    found = compare(rough, measured_as(rough, cycle(charmie, 0, {PAN: 1.3, TILT: 0.0})))
    assert values(rough, found.residual) == pytest.approx({PAN: 0.0, TILT: 0.0}, abs=1e-12)


def test_friction_of_the_mechanisms_file_is_no_effort_from_outside(charmie: Model) -> None:
    rough = with_mechanisms(charmie, friction={PAN: JointFriction(2.0, 0.3)})
    cycles = (cycle(charmie, 10 * MS * k, {PAN: 1.3}) for k in range(50))
    found = compare(rough, *(measured_as(rough, each) for each in cycles))
    assert values(rough, found.external) == pytest.approx({PAN: 0.0}, abs=1e-12)


def test_effort_from_outside_is_what_is_missing_after_a_while(charmie: Model) -> None:
    found = compare(charmie, *(cycle(charmie, 10 * MS * k, {PAN: -2.0}) for k in range(50)))
    assert values(charmie, found.external) == pytest.approx({PAN: 2.0}, rel=1e-6)


def test_nothing_is_told_where_nothing_is_measured(charmie: Model) -> None:
    assert compare(charmie, cycle(charmie, 0, {})) is None


def test_nothing_is_told_without_dynamics(charmie: Model) -> None:
    assert compare(charmie, cycle(charmie, 0, {PAN: 1.0}, dynamics=False)) is None


def zeros(model: Model, stamp: int) -> Cycle:
    return cycle(model, stamp, {})._replace(effort=np.zeros(len(model.actuator_names)))


def test_a_driver_that_always_says_zero_measures_nothing(charmie: Model) -> None:
    assert compare(charmie, zeros(charmie, 0), zeros(charmie, 10 * MS)) is None


def test_zero_is_measured_once_there_was_another_value(charmie: Model) -> None:
    first = cycle(charmie, 0, {PAN: 1.0})
    found = compare(charmie, first, zeros(charmie, 10 * MS))
    assert list(values(charmie, found.residual)) == [PAN]


def test_nothing_is_told_where_only_drivers_that_always_say_zero_go_on(charmie: Model) -> None:
    others = zeros(charmie, 10 * MS)
    others.effort[charmie.actuator_names.index(PAN)] = np.nan
    assert compare(charmie, cycle(charmie, 0, {PAN: 1.0}), others) is None


def test_a_load_that_is_known_is_no_residual(charmie: Model) -> None:
    loaded = charmie.with_loads({"left_tool": Payload(2.0)})
    measured = MeasuredEfforts(charmie, CUTOFF, GAP)
    measured.carry(loaded)
    for k in range(50):
        found = measured.update(cycle(loaded, 10 * MS * k, {"left_arm_joint_2": 0.0}))
    assert values(charmie, found.external) == pytest.approx({"left_arm_joint_2": 0.0}, abs=1e-9)


def thresholds(model: Model) -> dict[str, float]:
    found = zip(model.actuator_names, contact_thresholds(model).tolist(), strict=True)
    return {name: value for name, value in found if np.isfinite(value)}


def test_thresholds_are_a_share_of_the_rated_effort_where_none_is_given(charmie: Model) -> None:
    given = with_mechanisms(charmie, contact_share=0.2, contact_thresholds={PAN: 7.0})
    limits = zip(charmie.actuator_names, charmie.actuator_limits(), strict=True)
    expected = {name: 0.2 * limit.effort for name, limit in limits if 0 < limit.effort < np.inf}
    assert thresholds(given) == pytest.approx({**expected, PAN: 7.0})


def test_without_thresholds_there_are_no_contacts(charmie: Model) -> None:
    assert thresholds(with_mechanisms(charmie, contact_share=np.inf)) == {}


def test_contacts_are_felt_from_the_threshold_on(charmie: Model) -> None:
    given = with_mechanisms(charmie, contact_share=np.inf, contact_thresholds={PAN: 1.9, TILT: 2.1})
    excess = {PAN: -2.0, TILT: -2.0}
    found = compare(given, *(cycle(given, 10 * MS * k, excess) for k in range(50)))
    felt = [charmie.actuator_names[i] for i in np.flatnonzero(found.contacts)]
    assert felt == [PAN]
