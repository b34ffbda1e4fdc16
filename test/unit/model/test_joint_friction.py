# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of the URDF and of the mechanisms file in all computations of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, ModelFileError
from charmie_dynamics.model.description.files import read_text, share_file
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.flat.friction_laws import direction
from charmie_dynamics.model.friction import friction_of_actuators

ARM = """
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0.05 -0.2"/><mass value="3"/>
    <inertia ixx="0.05" iyy="0.06" izz="0.02" ixy="0" ixz="0" iyz="0.01"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.02 0 -0.15"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="finger"><inertial><origin xyz="0.01 0 -0.05"/><mass value="0.3"/>
    <inertia ixx="0.001" iyy="0.002" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="thumb"><inertial><origin xyz="0.01 0 -0.05"/><mass value="0.2"/>
    <inertia ixx="0.001" iyy="0.002" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="100" velocity="50"/>
    <dynamics damping="1.1" friction="2.3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
    <origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="60" velocity="0.5"/>
    <dynamics damping="0.4" friction="1.5"/></joint>
  <joint name="grip" type="prismatic"><parent link="fore"/><child link="finger"/>
    <origin xyz="0.03 0 -0.3"/><axis xyz="1 0 0"/>
    <limit lower="-0.1" upper="0.1" effort="20" velocity="0.3"/>
    <dynamics damping="7"/></joint>
  <joint name="counter" type="revolute"><parent link="fore"/><child link="thumb"/>
    <origin xyz="-0.03 0 -0.3"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="20" velocity="3"/>
    <mimic joint="grip" multiplier="-6" offset="0.2"/>
    <dynamics friction="0.8" damping="0.2"/></joint>
</robot>
"""
CYLINDER = """
linear_actuators:
  cylinder: {joint: elbow, base_body: upper, base_point: [0.12, 0, -0.1],
             tip_body: fore, tip_point: [0.1, 0, -0.05], effort_limit: 2000, velocity_limit: 0.2,
             length_limits: [0.25, 0.4]}
"""
OF_CYLINDER = """
friction:
  cylinder: {viscous: 30, coulomb: 55}
"""
ROTORS = """
rotors: {cylinder: {inertia: 2.0e-5, gear_ratio: 900}, shoulder: {inertia: 1.0e-4, gear_ratio: 60}}
"""
SHOULDER, ELBOW, GRIP = range(3)


def arm(mechanisms: str = "", urdf: str = ARM) -> Model:
    known = parse_mechanisms(mechanisms, "arm.yaml") if mechanisms else MechanismSet()
    return Model(parse_urdf(urdf, "arm.urdf"), known)


@pytest.fixture(scope="module")
def rough() -> Model:
    return arm()


def motion(model: Model, seed: int = 0, count: int = 5) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    shape = count, len(model.velocity_names)
    position = model.zero_position() + 0.05 * rng.uniform(-1.0, 1.0, shape)
    velocity = 0.2 * rng.normal(size=shape)
    velocity[1] *= 1e-3  # on the ramp
    velocity[2] = 0.0
    return position, velocity, rng.normal(size=shape)


def law(viscous: float, coulomb: float, velocity: float, transition: float) -> float:
    return viscous * velocity + coulomb * float(np.clip(velocity / transition, -1.0, 1.0))


def test_dynamics_of_joints_are_friction() -> None:
    found = {joint.name: joint.friction for joint in parse_urdf(ARM, "arm.urdf").joints}
    assert (found["shoulder"].viscous, found["shoulder"].coulomb) == (1.1, 2.3)
    assert (found["grip"].viscous, found["grip"].coulomb) == (7.0, 0.0)


def test_each_joint_has_its_law(rough: Model) -> None:
    found = rough.friction_effort([0.3, -0.2, 0.0])
    assert found[SHOULDER] == pytest.approx(1.1 * 0.3 + 2.3)
    assert found[ELBOW] == pytest.approx(-0.4 * 0.2 - 1.5)


def test_the_ramp_is_one_percent_of_the_rated_velocity_up_to_that_of_1_rad_per_s(
    rough: Model,
) -> None:
    found = rough.friction_effort([0.004, 0.004, 0.0])
    assert found[SHOULDER] == pytest.approx(1.1 * 0.004 + 2.3 * 0.4)
    assert found[ELBOW] == pytest.approx(0.4 * 0.004 + 1.5 * 0.8)


def test_mimic_joints_have_friction_at_their_own_rate(rough: Model) -> None:
    own = law(7.0, 0.0, 0.05, 0.01) - 6.0 * law(0.2, 0.8, -6.0 * 0.05, 0.01)
    assert rough.friction_effort([0.0, 0.0, 0.05])[GRIP] == pytest.approx(own)


def differences(function: Any, at: np.ndarray, step: float = 1e-5) -> np.ndarray:
    columns = []
    for k in range(len(at)):
        h = step * np.eye(len(at))[k]
        columns.append(
            (
                8.0 * (function(at + h) - function(at - h))
                - function(at + 2.0 * h)
                + function(at - 2.0 * h)
            )
            / (12.0 * step)
        )
    return np.stack(columns, axis=-1)  # fmt: skip


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("mechanisms", ["", CYLINDER, CYLINDER + OF_CYLINDER + ROTORS])
def test_derivatives_include_the_slopes_of_friction(mechanisms: str, row: int) -> None:
    model = arm(mechanisms)
    q, v, a = (array[row] for array in motion(model))
    found = model.derivatives(q, v, a)
    by_velocity = differences(lambda x: model.compute(q, x, a).actuator_effort, v)
    by_position = differences(lambda x: model.compute(x, v, a).actuator_effort, q)
    np.testing.assert_allclose(found.effort_by_velocity, by_velocity, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.effort_by_position, by_position, rtol=1e-6, atol=1e-5)
    forward = model.forward_derivatives(q, v, model.compute(q, v, a).actuator_effort)
    slope = -forward.acceleration_by_effort @ found.effort_by_velocity
    np.testing.assert_allclose(forward.acceleration_by_velocity, slope, rtol=1e-9, atol=1e-9)


def test_the_mechanisms_file_replaces_the_friction_of_the_joint() -> None:
    model = arm("friction: {shoulder: {viscous: 9, coulomb: 4}, grip: {viscous: 1, coulomb: 0}}")
    found = model.friction_effort([0.5, 0.0, 0.1])
    assert found[SHOULDER] == pytest.approx(9 * 0.5 + 4)
    assert found[GRIP] == pytest.approx(0.1)  # of the joint that mimics it, too


def test_friction_of_a_joint_loads_the_linear_actuator_that_moves_it() -> None:
    model = arm(CYLINDER)
    q, v, _ = (array[0] for array in motion(model))
    state = model.compute(q, v)
    rate = state.joint_velocity[ELBOW]
    power = rate * law(0.4, 1.5, rate, 0.005)
    found = model.friction_effort(v, q)[model.actuator_names.index("cylinder")]
    assert found * v[model.velocity_names.index("cylinder")] == pytest.approx(power)


def test_friction_that_depends_on_the_position_requires_it() -> None:
    with pytest.raises(InputError, match=r"position: expected shape \(\.\.\., 3\)"):
        arm(CYLINDER).friction_effort([0.1, 0.1, 0.1])


def test_robots_without_friction_have_no_laws() -> None:
    model = arm(urdf=ARM.replace("dynamics", "calibration"))
    assert not model.has_friction
    assert model.without_friction() is model
    assert not model.friction_effort(np.ones((3, 3))).any()


def test_open_trees_have_no_friction() -> None:
    model = arm(CYLINDER)
    q, v, a = (array[0] for array in motion(model))
    state = model.compute(q, v, a)
    joints = state.joint_position, state.joint_velocity, state.joint_acceleration
    effort = model.open_tree().compute(*joints).actuator_effort
    np.testing.assert_allclose(effort, state.generalized_force, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("value", ["damping='-1'", "friction='-0.2'", "damping='nan'"])
def test_friction_must_not_be_negative(value: str) -> None:
    urdf = ARM.replace('<dynamics damping="7"/>', f"<dynamics {value}/>")
    with pytest.raises(ModelFileError, match=r"arm.urdf, line \d+: joint 'grip', dynamics"):
        parse_urdf(urdf, "arm.urdf")


@pytest.mark.parametrize("kind", ["fixed", "planar", "floating"])
def test_friction_of_other_joints_is_reported_and_ignored(kind: str) -> None:
    urdf = ARM.replace('name="elbow" type="revolute"', f'name="elbow" type="{kind}"')
    tree = parse_urdf(urdf, "arm.urdf")
    (warning,) = tree.warnings
    assert warning.subject == "joint 'elbow'"
    assert kind in warning.fault
    assert not Model(tree, MechanismSet()).flat.mechanisms.friction.friction_coordinate.tolist()[3:]


def four_bar(friction: str = "") -> Model:
    urdf = read_text(share_file("robots", "four_bar.urdf"))
    urdf = urdf.replace("</joint>", '<dynamics damping="0.3" friction="0.2"/></joint>')
    yaml = read_text(share_file("robots", "four_bar.yaml"))
    return Model(parse_urdf(urdf, "four_bar.urdf"), parse_mechanisms(yaml + friction, "f.yaml"))


@pytest.mark.parametrize("friction", [True, False])
def test_passive_joints_of_loops_load_the_drives(friction: bool) -> None:
    model = four_bar()
    start = [0.5, 0.0, 0.0], [1.3, 0.0, 0.0], [0.7, 0.0, 0.0]
    q, v, a = model.assemble(*start)
    state = model.compute(q, v, a, friction=friction)
    power = sum(rate * law(0.3, 0.2, rate, 0.01) for rate in v.tolist())
    smooth = model.compute(q, v, a, friction=False).actuator_effort
    lost = float((state.actuator_effort - smooth) @ v[model.actuator_index])
    assert lost == pytest.approx(power if friction else 0.0, rel=1e-9)
    forward = model.forward(q, v, state.actuator_effort, friction=friction)
    np.testing.assert_allclose(forward.acceleration, a, rtol=1e-9, atol=1e-9)
    effort = model.equations(q, v, friction=friction).friction_effort
    np.testing.assert_allclose(effort, state.actuator_effort - smooth, rtol=1e-9, atol=1e-12)
    found = model.friction_effort(v, q)
    assert found @ v[model.actuator_index] == pytest.approx(power, rel=1e-9)
    batch = model.forward([q, q], [v, v], [state.actuator_effort] * 2, friction=friction)
    np.testing.assert_allclose(batch.acceleration, [a, a], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("multiplier", [1.0, -0.5])
def test_friction_of_actuators_has_the_transition_of_its_law(multiplier: float) -> None:
    fast = ARM.replace('velocity="3"', 'velocity="5"').replace('"-6"', f'"{multiplier}"')
    model = Model(parse_urdf(fast, "arm.urdf"), MechanismSet())
    own = friction_of_actuators(model.robot)
    np.testing.assert_allclose(own.transition, [0.01, 0.005, 0.01 / abs(multiplier)])
    for velocity in (0.2 * own.transition, 1.5 * own.transition):
        expected = own.viscous * velocity + own.coulomb * direction(velocity, own.transition)
        np.testing.assert_allclose(model.friction_effort(velocity), expected)
