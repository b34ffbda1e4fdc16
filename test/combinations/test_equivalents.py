# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equivalent descriptions of a robot give equal results."""

from __future__ import annotations

import numpy as np
import pytest
from descriptions import NUMBERS, Description
from equivalents import EQUIVALENTS, Efforts
from generator import CYLINDERS, LOOPS, OF_TREES, Plan, described, plans
from hypothesis import assume, given, note
from hypothesis.strategies import sampled_from
from situations import DescribedSituation, assert_close, situation_of

from charmie_dynamics import State


def joint_efforts(s: DescribedSituation, state: State) -> Efforts:
    """Return the efforts of each independent joint, in its own coordinates."""
    assert state.dynamics is not None
    row = dict(zip(s.model.joint_names, state.dynamics.joint_effort, strict=True))
    return {
        joint.name: np.array([row[joint.name + suffix] for suffix in NUMBERS[joint.kind][1]])
        for joint in s.robot.joints
        if joint.name in s.robot.motion
    }


def compare(robot: Description, first: DescribedSituation, equivalent: str) -> None:
    found = EQUIVALENTS[equivalent](robot.copy(), np.random.default_rng(1))
    if found is None:
        return
    other, back = found
    note("equivalent description:\n" + other.report())
    second = DescribedSituation(other)
    expected = joint_efforts(first, first.state)
    actual = back(joint_efforts(second, second.state))
    assert set(actual) == set(expected)
    for name, effort in expected.items():
        assert_close(
            actual[name],
            effort,
            1e-9 * (1.0 + np.abs(np.array(first.state.joint_acceleration)).max(initial=0.0)),
        )
    energies = (s.model.energy(s.x, s.v) for s in (first, second))
    assert_close(*(np.array([energy.kinetic, energy.elastic]) for energy in energies))


@pytest.mark.parametrize("equivalent", EQUIVALENTS)
@given(plan=plans(OF_TREES))
def test_of_trees(equivalent: str, plan: Plan) -> None:
    robot = described(plan)
    note(robot.report())
    compare(robot, situation_of(plan), equivalent)


@pytest.mark.parametrize("equivalent", EQUIVALENTS)
@given(plan=plans((*LOOPS, *OF_TREES)), loop=sampled_from(LOOPS))
def test_of_closed_loops(equivalent: str, plan: Plan, loop: str) -> None:
    joints, features, seed = plan
    plan = Plan(joints[:3], (loop, *features[:2], "payload"), seed)
    robot = described(plan)
    note(robot.report())
    assume(situation_of(plan).is_regular)
    compare(robot, situation_of(plan), equivalent)


@pytest.mark.parametrize("equivalent", EQUIVALENTS)
@given(plan=plans((*CYLINDERS, *LOOPS, *OF_TREES)), cylinder=sampled_from([*CYLINDERS]))
def test_of_cylinders(equivalent: str, plan: Plan, cylinder: str) -> None:
    joints, features, seed = plan
    plan = Plan(joints[:3], (cylinder, *features[:2], "payload"), seed)
    robot = described(plan)
    note(robot.report())
    assume(situation_of(plan).is_regular)
    compare(robot, situation_of(plan), equivalent)
