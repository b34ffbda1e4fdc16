# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints in simulations: what it takes is lost, and robots come to rest."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import Model
from charmie_dynamics.model.description.files import read_text, share_file
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.simulation import Plant, simulate

LIFT = """
<robot name="lift">
  <link name="base"/>
  <link name="boom"><inertial><origin xyz="0.5 0 0"/><mass value="4"/>
    <inertia ixx="0.02" iyy="0.3" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><origin xyz="0.1 0 0"/><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="boom"/>
    <axis xyz="0 -1 0"/><limit lower="-1" upper="1.2" effort="1000" velocity="2"/>
    <dynamics damping="3" friction="2"/></joint>
  <joint name="wrist" type="continuous"><parent link="boom"/><child link="tip"/>
    <origin xyz="1 0 0"/><axis xyz="0 -1 0"/><dynamics damping="0.1" friction="0.05"/></joint>
</robot>
"""
CYLINDER = """
linear_actuators:
  cylinder: {joint: hinge, base_body: base, base_point: [0.15, 0, -0.5],
             tip_body: boom, tip_point: [0.45, 0, 0.03], length_limits: [0.35, 0.9],
             effort_limit: 4000, velocity_limit: 0.5}
friction: {cylinder: {viscous: 60, coulomb: 0}, wrist: {viscous: 0.15, coulomb: 0.06}}
"""


@pytest.fixture(scope="module")
def lift() -> Model:
    return Model(parse_urdf(LIFT, "lift.urdf"), MechanismSet())


@pytest.fixture(scope="module")
def driven_lift() -> Model:
    mechanisms = parse_mechanisms(CYLINDER, "lift.yaml")
    return Model(parse_urdf(LIFT, "lift.urdf"), mechanisms)


@pytest.mark.parametrize("integrator", ["adaptive", "rk4", "rosenbrock", "semi_implicit_euler"])
def test_what_friction_takes_is_lost(driven_lift: Model, integrator: str) -> None:
    step = None if integrator == "adaptive" else 2e-4
    start = driven_lift.zero_position()
    run = simulate(driven_lift, start, [0.1, 2.0], 0.2, integrator=integrator, step=step)
    assert run.energy.lost[-1] > 0.1
    exact = 5e-3 if integrator == "semi_implicit_euler" else 1e-3
    assert abs(run.energy.error[-1]) < exact * run.energy.lost[-1]


def test_a_robot_comes_to_rest_unless_friction_is_excluded(lift: Model) -> None:
    rough = simulate(lift, [0.0, 0.0], None, 8.0, integrator="rk4", step=1e-3)
    assert np.abs(rough.velocity[-1]).max() < 0.01
    smooth = simulate(lift, [0.0, 0.0], None, 1.0, friction=False)
    assert smooth.energy.lost[-1] == 0.0


def test_a_plant_has_the_accelerations_of_forward_dynamics(driven_lift: Model) -> None:
    start = driven_lift.zero_position(), np.array([0.05, -0.3])
    effort = np.array([200.0, 0.1])
    for friction in (True, False):
        plant = Plant(driven_lift, *start, friction=friction)
        expected = driven_lift.forward(*start, effort, friction=friction).acceleration
        plant.advance(effort)
        np.testing.assert_allclose((plant.velocity - start[1]) / plant.step, expected, rtol=0.05)


def test_friction_of_passive_joints_is_lost_in_loops() -> None:
    urdf = read_text(share_file("robots", "four_bar.urdf"))
    urdf = urdf.replace("</joint>", '<dynamics damping="0.3" friction="0.1"/></joint>')
    yaml = read_text(share_file("robots", "four_bar.yaml"))
    model = Model(parse_urdf(urdf, "four_bar.urdf"), parse_mechanisms(yaml, "four_bar.yaml"))
    q, v, _ = model.assemble([0.5, 0.0, 0.0], [1.0, 0.0, 0.0])
    run = simulate(model, q, v, 0.3, integrator="rk4", step=5e-4)
    rate = np.abs(run.velocity)
    power = np.sum(0.3 * rate**2 + 0.1 * np.minimum(rate / 0.01, 1.0) * rate, axis=1)
    lost = float(np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(run.time)))
    assert run.energy.lost[-1] == pytest.approx(lost, rel=1e-3)
