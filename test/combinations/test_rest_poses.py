# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rest poses that name passive joints: they choose the assembly of the loops of random robots."""

from __future__ import annotations

import numpy as np
from generator import LOOP_JOINTS, OF_TREES, Plan, described, plans
from hypothesis import assume, given, note
from hypothesis import strategies as st
from situations import DescribedSituation, assert_close
from test_mobile_bases import Sender

from charmie_dynamics.live.estimation.following import start_position
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem


@given(
    plan=plans((*LOOP_JOINTS, *OF_TREES), kinds=("revolute", "prismatic", "continuous", "fixed")),
    loop=st.sampled_from(LOOP_JOINTS),
    seed=st.integers(0, 999),
)
def test_named_passive_joints_choose_the_assembly(plan: Plan, loop: str, seed: int) -> None:
    """Nearly: every start closes the loops from there, without another hint."""
    plan = Plan(plan.joints[:3], (loop, *plan.features[:2]), plan.seed)
    robot, rng = described(plan).copy(), np.random.default_rng(seed)
    s = DescribedSituation(robot)
    names = s.model.position_names
    assume(s.is_regular and not any("/" in name for name in names))
    actuators = set(s.model.actuator_names)
    values = dict(zip(names, s.x.tolist(), strict=True))
    robot.mechanisms["rest_pose"] = {
        name: value + (0.0 if name in actuators else 0.01 * float(rng.standard_normal()))
        for name, value in values.items()
    }
    note(robot.report())
    model = robot.load()
    rest = model.rest_position()
    assert_close(rest, [robot.mechanisms["rest_pose"][name] for name in names])
    assert_close(model.assemble(rest).position, s.x, 1e-7)
    assert_close(start_position(model), s.x, 1e-7)
    assert_close(SimulatedSystem.alone(model).position, s.x, 1e-7)
    at_rest = model.compute(s.x)
    found = Sender(model).send(at_rest).state
    assert_close(found.position, s.x, 1e-6)
    assert_close(found.actuator_effort, at_rest.actuator_effort, 1e-4)
