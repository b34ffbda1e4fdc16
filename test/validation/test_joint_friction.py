# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of URDF joints compared with Pinocchio and MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from charmie_dynamics import Model
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.simulation import simulate

DAMPING, FRICTION = 0.45, 0.9
PENDULUM = f"""
<robot name="pendulum">
  <link name="base"><inertial><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0.6 0 0"/><mass value="1.5"/>
    <inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/>
    <axis xyz="0 -1 0"/><limit lower="-10" upper="10" effort="1000" velocity="80"/>
    <dynamics damping="{DAMPING}" friction="{FRICTION}"/></joint>
</robot>
"""


@pytest.fixture(scope="module")
def pendulum() -> Model:
    return Model(parse_urdf(PENDULUM, "pendulum.urdf"), MechanismSet())


def test_efforts_are_those_of_pinocchio_with_its_damping_and_dry_friction(pendulum: Model) -> None:
    model = pin.buildModelFromXML(PENDULUM)
    data = model.createData()
    for q, v, a in np.random.default_rng(0).normal(size=(20, 3, 1)):
        v += 0.02 * np.sign(v)  # beyond the ramp
        effort = pin.rnea(model, data, q, v, a) + model.damping * v
        effort += model.friction * np.sign(v)
        found = pendulum.compute(q, v, a).actuator_effort
        np.testing.assert_allclose(found, effort, rtol=1e-12, atol=1e-12)


def test_a_pendulum_with_friction_comes_to_rest_where_it_does_in_mujoco(pendulum: Model) -> None:
    other = mujoco.MjModel.from_xml_string(PENDULUM)
    assert (other.dof_damping[0], other.dof_frictionloss[0]) == (DAMPING, FRICTION)
    data = mujoco.MjData(other)
    other.opt.timestep = 1e-3
    for _ in range(6000):
        mujoco.mj_step(other, data)
    run = simulate(pendulum, [0.0], None, 6.0)
    assert abs(run.velocity[-1, 0]) < 0.01
    assert run.position[-1, 0] == pytest.approx(data.qpos[0], abs=0.03)
    lost = run.energy.lost[-1]
    assert lost == pytest.approx(1.5 * 9.81 * 0.6 * abs(np.sin(run.position[-1, 0])), rel=1e-3)
