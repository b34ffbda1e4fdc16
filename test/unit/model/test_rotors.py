# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotors: reflected inertia in all computations, from both files."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
from driven_arms import (
    CYLINDER_ROTOR,
    JOINT_SPRINGS,
    MIMICS,
    ROTORS,
    TRANSMISSION,
    arm,
    sample_of,
    urdf,
)

from charmie_dynamics import Model, ModelFileError
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.robot import Rotor
from charmie_dynamics.model.description.urdf import parse_urdf

ARMS = [(mimics, has_cylinder) for mimics in MIMICS for has_cylinder in (False, True)]


@pytest.fixture(scope="module", params=ARMS, ids=lambda p: f"{p[0]}{', cylinder' * p[1]}")
def driven(request: pytest.FixtureRequest) -> Model:
    """An arm with rotors and joint springs on everything that moves."""
    mimics, has_cylinder = request.param
    rotors = {**ROTORS, "cylinder": CYLINDER_ROTOR} if has_cylinder else ROTORS
    return arm(mimics, rotors=rotors, joint_springs=JOINT_SPRINGS, has_cylinder=has_cylinder)


def test_a_rotor_of_a_joint_adds_its_reflected_inertia_times_the_acceleration() -> None:
    model, bare = arm(rotors=ROTORS), arm()
    sample = sample_of(model)
    added = model.compute(*sample).actuator_effort - bare.compute(*sample).actuator_effort
    reflected = [e["inertia"] * e.get("gear_ratio", 1) ** 2 for e in ROTORS.values()]
    order = [list(ROTORS).index(name) for name in model.actuator_names]
    np.testing.assert_allclose(added, np.array(reflected)[order] * sample.acceleration, rtol=1e-12)


def test_pins_of_a_linear_actuator_do_not_transmit_the_effort_of_its_rotor() -> None:
    model = arm(rotors={"cylinder": CYLINDER_ROTOR}, has_cylinder=True)
    bare = arm(has_cylinder=True)
    sample = sample_of(model)
    forces = [m.compute(*sample).dynamics.actuator_pin_force for m in (model, bare)]
    np.testing.assert_allclose(forces[0], forces[1], rtol=1e-12)


def test_a_rotor_of_a_mimic_joint_acts_on_its_leader_through_the_multiplier() -> None:
    model = arm("side by side", rotors={"to_thumb": {"inertia": 0.5}})
    k = model.actuator_names.index("to_finger")
    added = model.equations(model.zero_position()).mass_matrix[k, k]
    bare = arm("side by side").equations(model.zero_position()).mass_matrix[k, k]
    assert added - bare == pytest.approx(0.5 * 1.3**2, rel=1e-12)


def test_the_open_tree_keeps_rotors_of_joints(driven: Model) -> None:
    state = driven.compute(*sample_of(driven))
    joints = state.joint_position, state.joint_velocity, state.joint_acceleration
    effort = driven.open_tree().compute(*joints).actuator_effort
    np.testing.assert_allclose(effort, state.generalized_force, atol=1e-12)


def test_a_body_without_mass_behind_a_rotor_can_be_simulated() -> None:
    text = """<robot name="flywheel"><link name="base"/><link name="wheel"/>
      <joint name="axle" type="continuous"><parent link="base"/><child link="wheel"/>
      <axis xyz="0 0 1"/></joint></robot>"""
    model = Model(
        parse_urdf(text, "f.urdf"),
        MechanismSet(rotors={"axle": Rotor(inertia=2e-4, gear_ratio=50.0)}),
    )
    assert model.forward([0.0], [0.0], [1.5]).acceleration[0] == pytest.approx(3.0, rel=1e-12)


JOINT = '<joint name="to_upper"/>'
TRANSMISSIONS = {
    "text": (TRANSMISSION, 0.5),
    "reduction of the transmission": (
        f"<transmission>{JOINT}<actuator name='m'><rotorInertia>0.01</rotorInertia></actuator>"
        "<mechanicalReduction>10</mechanicalReduction></transmission>",
        1.0,
    ),
    "drake": (
        f"<transmission>{JOINT}<actuator name='m'><drake:rotor_inertia value='0.02'/>"
        "<drake:gear_ratio value='5'/></actuator></transmission>",
        0.5,
    ),
    "two motors": (
        f"<transmission>{JOINT}<actuator name='m'><motorInertia>0.1</motorInertia></actuator>"
        "<actuator name='n'><motorInertia>0.2</motorInertia></actuator></transmission>",
        0.3,
    ),
}


@pytest.mark.parametrize("what", TRANSMISSIONS)
def test_rotors_of_transmissions_are_read(what: str) -> None:
    extra, reflected = TRANSMISSIONS[what]
    tree = parse_urdf(urdf({}, extra), "arm.urdf")
    assert tree.rotors["to_upper"].reflected == pytest.approx(reflected, rel=1e-12)
    assert tree.warnings == ()


def test_an_entry_of_the_mechanisms_file_replaces_the_rotor_of_a_transmission() -> None:
    extra, reflected = TRANSMISSIONS["text"]
    model = arm(rotors={"to_upper": {"inertia": 0.7}}, extra=extra)
    assert model.flat.mechanisms.rotors.joint_rotor[0] == pytest.approx(0.7)
    of_urdf = arm(extra=extra)
    assert of_urdf.flat.mechanisms.rotors.joint_rotor[0] == pytest.approx(reflected)
    assert of_urdf.parameters["rotors.to_upper.gear_ratio"] == 50.0


def test_a_transmission_without_rotor_inertia_has_no_effect(
    caplog: pytest.LogCaptureFixture,
) -> None:
    extra = (
        '<transmission name="t"><type>transmission_interface/SimpleTransmission</type>'
        '<joint name="nowhere"><hardwareInterface>effort</hardwareInterface></joint>'
        '<actuator name="m"><mechanicalReduction>many</mechanicalReduction></actuator>'
        "</transmission><transmission/>"
    )
    with caplog.at_level(logging.INFO):
        tree = parse_urdf(urdf({}, extra), "arm.urdf")
    assert (tree.rotors, tree.warnings, caplog.records) == ({}, (), [])


@pytest.mark.parametrize(
    ("joints", "fault"),
    [
        ('<joint name="nowhere"/>', "the joint 'nowhere' does not exist"),
        ('<joint name="to_upper"/><joint name="to_lower"/>', "expected one joint, got 2"),
    ],
)
def test_a_rotor_that_cannot_be_assigned_is_a_warning_with_its_line(
    joints: str, fault: str
) -> None:
    extra = (
        f"<transmission>{joints}<actuator>\n<motorInertia>1</motorInertia></actuator>"
        "</transmission>"
    )
    (warning,) = parse_urdf(urdf({}, extra), "arm.urdf").warnings
    assert fault in str(warning)
    assert str(warning).startswith("arm.urdf, line 2: ")


@pytest.mark.parametrize(
    ("value", "message"),
    [("x", "expected a number, got 'x'"), ("-1", "must not be negative, got -1.0")],
)
def test_a_rotor_inertia_that_is_none_is_refused(value: str, message: str) -> None:
    extra = (
        f"<transmission>{JOINT}<actuator name='m'><motorInertia>{value}</motorInertia></actuator>"
        "</transmission>"
    )
    with pytest.raises(ModelFileError, match=message):
        parse_urdf(urdf({}, extra), "arm.urdf")


@pytest.mark.parametrize(
    "ratio", ["<mechanicalReduction>0</mechanicalReduction>", "<drake:gear_ratio value='-0.0'/>"]
)
def test_a_gear_ratio_of_zero_is_refused(ratio: str) -> None:
    extra = (
        f"<transmission>{JOINT}<actuator name='m'><motorInertia>1</motorInertia>{ratio}</actuator>"
        "</transmission>"
    )
    with pytest.raises(ModelFileError, match="expected a gear ratio other than 0, got 0"):
        parse_urdf(urdf({}, extra), "arm.urdf")


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("planar", "base_joint", "line 1: rotors: 'base_joint' is a planar joint; expected"),
        ("floating", "base_joint", "line 1: rotors: 'base_joint' is a floating joint; expected"),
        ("fixed", "base_joint", "line 1: rotors: 'base_joint' is a fixed joint; expected"),
        ("planar", "base_jont", "is no joint and no linear actuator; expected"),
    ],
)
def test_rotors_of_other_joints_are_refused(kind: str, name: str, message: str) -> None:
    text = f"""<robot name="r"><link name="world"/><link name="base"/><joint name="base_joint"
      type="{kind}"><parent link="world"/><child link="base"/></joint></robot>"""
    mechanisms = parse_mechanisms(f"rotors: {{{name}: {{inertia: 1}}}}", "r.yaml")
    with pytest.raises(ModelFileError, match=message):
        Model(parse_urdf(text, "r.urdf"), mechanisms)


def test_robots_of_a_world_keep_their_rotors(tmp_path: Path) -> None:
    from charmie_dynamics.simulation import load_world

    extra = TRANSMISSIONS["text"][0]
    (tmp_path / "arm.urdf").write_text(urdf({}, extra), encoding="utf-8")
    (tmp_path / "arm.yaml").write_text("rotors: {to_lower: {inertia: 0.4}}", encoding="utf-8")
    (tmp_path / "world.yaml").write_text(
        "entities: {one: {urdf: arm.urdf, mechanisms: arm.yaml}}", encoding="utf-8"
    )
    model = load_world(tmp_path / "world.yaml").model
    np.testing.assert_allclose(model.flat.mechanisms.rotors.joint_rotor[:2], [0.5, 0.4])
