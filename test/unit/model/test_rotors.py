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

from charmie_dynamics import Model, ModelFileError, load_model
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.robot import Rotor
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.equations.numbers import numbers_of
from charmie_dynamics.simulation import Plant, simulate

STEP = 1e-5
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


def test_a_rotor_of_a_linear_actuator_acts_along_its_length() -> None:
    model = arm(rotors={"cylinder": CYLINDER_ROTOR}, has_cylinder=True)
    bare = arm(has_cylinder=True)
    sample = sample_of(model)
    k = model.actuator_names.index("cylinder")
    added = model.compute(*sample).actuator_effort - bare.compute(*sample).actuator_effort
    expected = CYLINDER_ROTOR["inertia"] * CYLINDER_ROTOR["gear_ratio"] ** 2
    assert added[k] == pytest.approx(expected * sample.acceleration[k], rel=1e-12)
    assert not np.delete(added, k).any()


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


def test_rotors_do_not_change_the_wrench_on_the_base() -> None:
    model, bare = arm(rotors=ROTORS), arm()
    sample = sample_of(model)
    for with_rotors, without in zip(
        model.compute(*sample).base_wrench, bare.compute(*sample).base_wrench, strict=True
    ):
        np.testing.assert_array_equal(with_rotors, without)


def test_forward_dynamics_returns_the_acceleration_of_inverse_dynamics(driven: Model) -> None:
    sample = sample_of(driven)
    effort = driven.compute(*sample).actuator_effort
    state = driven.forward(sample.position, sample.velocity, effort)
    np.testing.assert_allclose(state.acceleration, sample.acceleration, atol=1e-12)
    np.testing.assert_allclose(state.actuator_effort, effort, rtol=1e-11, atol=1e-11)


def test_the_equations_of_motion_give_the_efforts(driven: Model) -> None:
    q, v, a = sample_of(driven)
    terms = driven.equations(q, v)
    effort = terms.mass_matrix @ a + terms.coriolis_matrix @ v
    effort += terms.gravity_effort + terms.spring_effort
    np.testing.assert_allclose(effort, driven.compute(q, v, a).actuator_effort, atol=1e-12)


def test_kinetic_energy_is_that_of_the_mass_matrix(driven: Model) -> None:
    q, v, _ = sample_of(driven)
    expected = 0.5 * v @ driven.equations(q, v).mass_matrix @ v
    assert driven.energy(q, v).kinetic == pytest.approx(expected, rel=1e-13)


def test_contributions_sum_to_the_efforts(driven: Model) -> None:
    q, v, a = sample_of(driven)
    contributions = driven.contributions(q, v)
    assert contributions.body_names[-1] == "rotors"
    effort = contributions.inertia.sum(axis=0) @ a + contributions.spring_effort
    for of_bodies in ("centrifugal_effort", "coriolis_effort", "gravity_effort"):
        effort = effort + getattr(contributions, of_bodies).sum(axis=0)
    np.testing.assert_allclose(effort, driven.compute(q, v, a).actuator_effort, atol=1e-12)


def test_the_regressor_and_the_effort_of_rotors_give_the_efforts(driven: Model) -> None:
    sample = sample_of(driven)
    effort = driven.regressor(*sample) @ driven.inertial_parameters
    effort += driven.rotor_effort(*sample)
    effort += driven.equations(*sample[:2]).spring_effort
    np.testing.assert_allclose(effort, driven.compute(*sample).actuator_effort, atol=1e-12)
    rows = [np.array([each, each]) for each in sample]
    np.testing.assert_array_equal(driven.rotor_effort(*rows)[1], driven.rotor_effort(*sample))


def test_the_open_tree_keeps_rotors_of_joints(driven: Model) -> None:
    state = driven.compute(*sample_of(driven))
    joints = state.joint_position, state.joint_velocity, state.joint_acceleration
    effort = driven.open_tree().compute(*joints).actuator_effort
    np.testing.assert_allclose(effort, state.generalized_force, atol=1e-12)


def test_batches_are_bit_equal_to_single_states(driven: Model) -> None:
    sample = sample_of(driven)
    rows = [np.tile(each, (11, 1)) for each in sample]
    state, batch = driven.compute(*sample), driven.compute(*rows)
    np.testing.assert_array_equal(batch.actuator_effort, rows[0] * 0.0 + state.actuator_effort)
    efforts = np.tile(state.actuator_effort, (11, 1))
    one = driven.forward(*sample[:2], state.actuator_effort).acceleration
    many = driven.forward(*rows[:2], efforts).acceleration
    np.testing.assert_array_equal(many, np.tile(one, (11, 1)))


def test_derivatives_are_those_of_differences(driven: Model) -> None:
    sample = sample_of(driven)
    found = driven.derivatives(*sample)
    for k, by in enumerate(("position", "velocity", "acceleration")):
        exact = getattr(found, f"effort_by_{by}")
        scale = abs(exact).max()
        for i in range(len(driven.actuator_names)):
            ends = []
            for sign in (1.0, -1.0):
                moved = [each.copy() for each in sample]
                moved[k][i] += sign * STEP
                ends.append(driven.compute(*moved).actuator_effort)
            slope = (ends[0] - ends[1]) / (2.0 * STEP)
            np.testing.assert_allclose(exact[:, i], slope, atol=1e-7 * scale)


def test_forward_derivatives_are_those_of_differences(driven: Model) -> None:
    q, v, a = sample_of(driven)
    effort = driven.compute(q, v, a).actuator_effort
    names = [n for n in driven.parameters if n.startswith("rotors.") and n.endswith("inertia")]
    found = driven.forward_derivatives(q, v, effort, parameters=names)
    for k, by in enumerate(("position", "velocity")):
        exact = getattr(found, f"acceleration_by_{by}")
        for i in range(len(q)):
            ends = []
            for sign in (1.0, -1.0):
                moved = [q.copy(), v.copy()]
                moved[k][i] += sign * STEP
                ends.append(driven.forward(*moved, effort).acceleration)
            slope = (ends[0] - ends[1]) / (2.0 * STEP)
            np.testing.assert_allclose(exact[:, i], slope, atol=1e-7 * abs(exact).max())
    for column, name in zip(found.acceleration_by_parameter.T, names, strict=True):
        number = numbers_of(driven)[name]
        step = 1e-4 * number.value
        ends = [
            Model(*number.changed(number.value + s)).forward(q, v, effort).acceleration
            for s in (step, -step)
        ]
        slope = (ends[0] - ends[1]) / (2.0 * step)
        np.testing.assert_allclose(column, slope, atol=1e-6 * abs(column).max() + 1e-12)


@pytest.mark.parametrize("section", ["rotors.", "joint_springs.", "linear_actuators."])
def test_derivatives_by_numbers_are_those_of_differences(driven: Model, section: str) -> None:
    sample = sample_of(driven)
    names = [name for name in driven.parameters if name.startswith(section)]
    exact = driven.derivatives(*sample, parameters=names).effort_by_parameter
    for column, name in zip(exact.T, names, strict=True):
        number = numbers_of(driven)[name]
        step = 1e-5 * max(abs(number.value), 0.1)
        ends = [
            Model(*number.changed(number.value + s)).compute(*sample).actuator_effort
            for s in (step, -step)
        ]
        slope = (ends[0] - ends[1]) / (2.0 * step)
        np.testing.assert_allclose(column, slope, atol=1e-6 * max(abs(column).max(), 1e-3))


@pytest.mark.parametrize("integrator", ["adaptive", "rk4", "rosenbrock"])
def test_energy_balances(driven: Model, integrator: str) -> None:
    q, v, _ = sample_of(driven)
    step = None if integrator == "adaptive" else 1e-3
    run = simulate(driven, q, 0.2 * v, 0.1, integrator=integrator, step=step)
    energy = run.energy
    total = energy.kinetic + energy.gravitational + energy.elastic - energy.work + energy.lost
    scale = energy.kinetic.max() + energy.lost.max()
    tolerance = 2e-3 if integrator == "rosenbrock" else 1e-5
    assert energy.lost[-1] > 0.0
    np.testing.assert_allclose(total, total[0], atol=tolerance * scale)


def test_a_plant_moves_as_a_simulation(driven: Model) -> None:
    q, v, _ = sample_of(driven)
    run = simulate(driven, q, 0.2 * v, 0.02, integrator="rk4", step=1e-3)
    plant = Plant(driven, q, 0.2 * v, integrator="rk4", step=1e-3)
    plant.advance(np.zeros(len(driven.actuator_names)), steps=20)
    np.testing.assert_allclose(plant.position, run.position[-1], atol=1e-12)


def test_a_body_without_mass_behind_a_rotor_can_be_simulated() -> None:
    text = """<robot name="flywheel"><link name="base"/><link name="wheel"/>
      <joint name="axle" type="continuous"><parent link="base"/><child link="wheel"/>
      <axis xyz="0 0 1"/></joint></robot>"""
    model = Model(
        parse_urdf(text, "f.urdf"),
        MechanismSet(rotors={"axle": Rotor(inertia=2e-4, gear_ratio=50.0)}),
    )
    assert model.forward([0.0], [0.0], [1.5]).acceleration[0] == pytest.approx(3.0, rel=1e-12)


LOOPS = {
    "rotors": {
        "crank_joint": {"inertia": 1e-4, "gear_ratio": 30},
        "coupler_joint": {"inertia": 0.05},
        "rocker_joint": {"inertia": 0.02},
    },
    "joint_springs": {
        "on_coupler": {"joint": "coupler_joint", "stiffness": 4.0, "rest": 0.2, "damping": 0.3},
        "on_rocker": {"joint": "rocker_joint", "stiffness": 7.0, "damping": 0.2},
    },
}


@pytest.fixture(scope="module")
def four_bar(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A four-bar linkage with rotors and springs on driven and passive joints."""
    import yaml

    from charmie_dynamics.model.description.files import share_file

    source = share_file("robots", "four_bar.yaml").read_text(encoding="utf-8")
    path = tmp_path_factory.mktemp("loops") / "four_bar.yaml"
    plain = load_model(share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml"))
    names = dict(zip(LOOPS["rotors"], plain.velocity_names, strict=True))
    text = yaml.safe_dump({**yaml.safe_load(source), **LOOPS})
    for old, new in names.items():
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return load_model(share_file("robots", "four_bar.urdf"), path)


def test_loops_return_the_acceleration_of_inverse_dynamics(four_bar: Model) -> None:
    q, v, a = four_bar.assemble([0.3, 0.0, 0.0], [1.2, 0.0, 0.0], [-2.0, 0.0, 0.0])[:3]
    state = four_bar.compute(q, v, a)
    found = four_bar.forward(q, v, state.actuator_effort)
    np.testing.assert_allclose(found.acceleration, a, atol=1e-10)
    terms = four_bar.equations(q, v)
    effort = terms.mass_matrix[0, 0] * a[0] + terms.coriolis_matrix[0, 0] * v[0]
    effort += terms.gravity_effort[0] + terms.spring_effort[0]
    assert state.actuator_effort[0] == pytest.approx(effort, rel=1e-10)


def test_rotor_efforts_of_loops_are_those_of_the_actuators(four_bar: Model) -> None:
    q, v, a = four_bar.assemble([0.3, 0.0, 0.0], [1.2, 0.0, 0.0], [-2.0, 0.0, 0.0])[:3]
    effort = four_bar.regressor(q, v, a) @ four_bar.inertial_parameters
    effort = effort + four_bar.rotor_effort(q, v, a) + four_bar.equations(q, v).spring_effort
    assert effort == pytest.approx(four_bar.compute(q, v, a).actuator_effort, rel=1e-10)


def test_energy_of_loops_balances(four_bar: Model) -> None:
    q, v, _ = four_bar.assemble([0.3, 0.0, 0.0], [1.2, 0.0, 0.0])[:3]
    energy = simulate(four_bar, q, v, 0.5).energy
    total = energy.kinetic + energy.gravitational + energy.elastic - energy.work + energy.lost
    assert energy.lost[-1] > 0.0
    np.testing.assert_allclose(total, total[0], atol=1e-5 * energy.kinetic.max())


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
