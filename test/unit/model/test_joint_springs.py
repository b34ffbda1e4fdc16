# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joint springs: efforts, loads, energy and entries. `test_rotors` has them in all equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from driven_arms import JOINT_SPRINGS, arm, sample_of

from charmie_dynamics import Model, ModelFileError
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.simulation import simulate
from charmie_dynamics.visual.scene import Scene, visible_shapes


def law(name: str, position: float, velocity: float) -> float:
    """Return the effort of a spring on its joint."""
    entry: dict[str, Any] = JOINT_SPRINGS[name]
    elastic = entry["stiffness"] * (position - entry.get("rest", 0.0))
    return float(-elastic - entry["damping"] * velocity)


def test_a_spring_acts_on_its_joint_alone() -> None:
    model, bare = arm(joint_springs=JOINT_SPRINGS), arm()
    sample = sample_of(model)
    state = model.compute(*sample)
    held = state.actuator_effort - bare.compute(*sample).actuator_effort
    for name, effort in state.joint_spring_effort.items():
        k = model.actuator_names.index(JOINT_SPRINGS[name]["joint"])
        expected = law(name, sample.position[k], sample.velocity[k])
        assert effort == pytest.approx(expected, rel=1e-14)
        assert held[k] == pytest.approx(-expected, rel=1e-10)


def test_a_spring_on_a_mimic_joint_follows_the_position_of_that_joint() -> None:
    model = arm("side by side", joint_springs={"s": JOINT_SPRINGS["on_thumb"]})
    bare = arm("side by side")
    sample = sample_of(model)
    k = model.actuator_names.index("to_finger")
    q, v = -1.3 * sample.position[k] + 0.2, -1.3 * sample.velocity[k]
    state = model.compute(*sample)
    held = state.actuator_effort - bare.compute(*sample).actuator_effort
    assert state.joint_spring_effort["s"] == pytest.approx(law("on_thumb", q, v), rel=1e-14)
    assert held[k] == pytest.approx(1.3 * law("on_thumb", q, v), rel=1e-10)


def test_springs_are_internal_loads() -> None:
    model, bare = arm(joint_springs=JOINT_SPRINGS), arm()
    sample = sample_of(model)
    for with_springs, without in zip(
        model.compute(*sample).base_wrench, bare.compute(*sample).base_wrench, strict=True
    ):
        np.testing.assert_allclose(with_springs, without, atol=1e-12)


def test_an_oscillator_has_its_frequency_and_decay() -> None:
    text = """<robot name="r"><link name="base"/><link name="wheel"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="axle" type="continuous"><parent link="base"/><child link="wheel"/>
      <axis xyz="0 0 1"/></joint></robot>"""
    file = "joint_springs: {s: {joint: axle, stiffness: 8, rest: 0.1, damping: 0.4}}"
    model = Model(parse_urdf(text, "r.urdf"), parse_mechanisms(file, "r.yaml"))
    time = np.linspace(0.0, 3.0, 31)
    run = simulate(model, [0.6], [0.0], 3.0, rtol=1e-10, atol=1e-12, times=time)
    decay = 0.4 / (2.0 * 0.5)
    frequency = np.sqrt(8.0 / 0.5 - decay**2)
    turned = np.cos(frequency * time) + decay / frequency * np.sin(frequency * time)
    expected = 0.1 + 0.5 * np.exp(-decay * time) * turned
    np.testing.assert_allclose(run.position[:, 0], expected, atol=1e-8)
    energy = run.energy
    np.testing.assert_allclose(energy.kinetic + energy.elastic + energy.lost, 1.0, atol=1e-7)


def test_springs_of_turning_joints_are_drawn() -> None:
    model = arm(joint_springs=JOINT_SPRINGS)
    scene = Scene(model)
    q, _, _ = sample_of(model)
    shapes = [
        {
            shape.frame: shape.points
            for shape in visible_shapes(scene.shapes, scene.update(model.compute(position)))
            if shape.namespace == "joint_springs"
        }
        for position in (q, q + 0.1)
    ]
    assert set(shapes[0]) == {"upper", "lower", "thumb"}
    assert all((shapes[0][frame] != shapes[1][frame]).any() for frame in shapes[0])


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"joint": "to_uper", "stiffness": 1}, "'to_uper' is no .*did you mean 'to_upper'"),
        ({"joint": "to_upper", "stiffness": -1}, "joint_springs.s.stiffness: -1"),
        ({"joint": "to_upper"}, "'stiffness'"),
        ({"joint": "to_upper", "stiffness": 1, "damping": -2}, "joint_springs.s.damping: -2"),
    ],
)
def test_entries_that_cannot_be_are_refused(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        arm(joint_springs={"s": entry})


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_springs_of_joints_with_several_coordinates_are_refused(kind: str) -> None:
    text = f"""<robot name="r"><link name="world"/><link name="base"/><joint name="j" type="{kind}">
      <parent link="world"/><child link="base"/></joint></robot>"""
    mechanisms = parse_mechanisms("joint_springs: {s: {joint: j, stiffness: 1}}", "r.yaml")
    with pytest.raises(ModelFileError, match=f"joint spring 's': expected a rev.*which is {kind}"):
        Model(parse_urdf(text, "r.urdf"), mechanisms)
