# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification of robots with loop joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from cranes import crane
from identified_robots import other_robot, with_noise
from loop_robots import (
    four_bar,
    joint,
    link,
    looped_charmie,
    rod_between_balls,
    slider_crank,
    stewart,
    welded_four_bar,
)
from loop_robots import robot as loaded

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are identified")

from charmie_dynamics import InputError, Model, OutOfReachError, Wrench, load_model
from charmie_dynamics.errors import LoopError, UnsupportedError
from charmie_dynamics.model.description.robot import Inertial, JointFriction, Rotor
from charmie_dynamics.studies import (
    EffortSamples,
    ExcitationSettings,
    IdentificationResult,
    IdentificationSettings,
    Unknowns,
    find_base_parameters,
    identify,
    propose,
    samples_of_motion,
    samples_of_positions,
)
from charmie_dynamics.studies.identification.written_files import (
    identified_mechanisms,
    identified_urdf,
)
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

TIME = np.arange(0.0, 12.0, 0.02)
Motion = tuple[np.ndarray, np.ndarray, np.ndarray]


def motion_of(
    model: Model, seed: int, size: float = 0.15, pace: float = 1.0, time: np.ndarray = TIME
) -> Motion:
    """Return a motion (n, a) of the actuators about the start."""
    closing, rng = ClosedMotions(model, "test"), np.random.default_rng(seed)
    position = np.tile(closing.start[closing.entries], (len(time), 1))
    velocity, acceleration = np.zeros((2, *position.shape))
    for k in range(1, 6):
        w = 1.2 * pace * k
        a = size / k * rng.uniform(0.5, 1.0, position.shape[1])
        angle = w * time[:, None] + rng.uniform(0.0, 6.0, position.shape[1])
        position += a * np.sin(angle)
        velocity += a * w * np.cos(angle)
        acceleration -= a * w * w * np.sin(angle)
    return position, velocity, acceleration


def efforts(true: Model, motion: Motion) -> np.ndarray:
    return true.compute(*ClosedMotions(true, "test").of(motion)).actuator_effort


def samples(model: Model, true: Model, motion: Motion) -> EffortSamples:
    return samples_of_motion(model, TIME, motion, efforts(true, motion))


def prediction(result: IdentificationResult, motion: Motion) -> np.ndarray:
    """Return the efforts that the estimates predict."""
    columns = result.columns
    data = samples_of_motion(result.model, TIME, motion, np.zeros_like(motion[0]))
    deviation = (result.fit.values - columns.subtracted)[columns.places]
    own = columns.of(data.position, data.velocity, data.acceleration)
    return data.described + np.einsum("nmc,mc->nm", own, deviation)


def require_prediction(
    result: IdentificationResult, true: Model, motion: Motion, share: float = 1e-6
) -> None:
    expected = efforts(true, motion)
    error = abs(prediction(result, motion) - expected).max()
    assert error < share * abs(expected).max(), error / abs(expected).max()


def charmie_of_loops(folder: Path) -> Model:
    model = looped_charmie(folder)
    pose = {"lift_rod": 0.48, "torso_rod": 0.39}
    return Model(model.tree, replace(model.mechanisms, rest_pose=pose))


ROBOTS: dict[str, tuple[Callable[[Path], Model], float, float]] = {
    "redundant hinge": (four_bar, 0.4, 1.0),
    "ball joint": (lambda folder: four_bar(folder, "spherical"), 0.4, 1.0),
    "weld": (welded_four_bar, 0.4, 1.0),
    "guide": (slider_crank, 0.4, 1.0),
    "distances": (lambda folder: stewart(folder, "distance"), 0.06, 2.0),
    "delta": (lambda folder: load_model("delta"), 0.25, 1.7),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_efforts_of_another_motion_are_predicted(tmp_path: Path, name: str) -> None:
    make, size, pace = ROBOTS[name]
    model = make(tmp_path)
    rng = np.random.default_rng(2)
    true = other_robot(model, rng, viscous=0.4, coulomb=0.2)
    result = identify(model, [samples(model, true, motion_of(model, 3, size, pace))])
    require_prediction(result, true, motion_of(model, 4, size, pace))
    for actuator, friction in result.friction.items():
        expected = true.mechanisms.friction[actuator]
        assert friction.viscous == pytest.approx(expected.viscous, rel=1e-3)
        assert friction.coulomb == pytest.approx(expected.coulomb, rel=1e-3)


def test_base_parameters_of_a_loop_give_its_efforts(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    base = find_base_parameters(model)
    closed = ClosedMotions(model, "test").of(motion_of(model, 1))
    expected = model.compute(*closed).actuator_effort
    found = model.regressor(*closed)[:, :, base.columns] @ base.values
    np.testing.assert_allclose(found, expected, atol=1e-9 * abs(expected).max())
    # three links in a plane have less than their three times three
    assert len(base.names) == 8


def test_cylinders_in_loops_have_the_efforts_of_linear_actuators(
    charmie: Model, tmp_path: Path
) -> None:
    still = [name for name in charmie.actuator_names if "arm" in name or "neck" in name]
    looped = charmie_of_loops(tmp_path)
    names = {"lift_actuator": "lift_rod", "torso_actuator": "torso_rod"}
    order = [looped.actuator_names.index(names.get(n, n)) for n in charmie.actuator_names]
    moves = np.array([name not in still for name in charmie.actuator_names])
    rest = charmie.rest_position()
    size = np.where([name in names for name in charmie.actuator_names], 0.02, 0.1) * moves
    rng = np.random.default_rng(5)
    angle = np.array([1.1, 1.9, 3.1])[:, None, None] * TIME[:, None]
    angle = angle + rng.uniform(0.0, 6.0, (3, 1, len(rest)))
    w = np.array([1.1, 1.9, 3.1])[:, None, None]
    motion = (
        rest + size * np.sin(angle).sum(axis=0),
        size * (w * np.cos(angle)).sum(axis=0),
        -size * (w * w * np.sin(angle)).sum(axis=0),
    )
    # without Coulomb friction, whose ramp depends on the rated velocity
    true = other_robot(charmie, rng, viscous=5.0)
    effort = true.compute(*motion).actuator_effort
    unknowns = IdentificationSettings(unknowns=Unknowns(springs=False))
    predicted = []
    for model, own in ((charmie, np.arange(len(rest))), (looped, np.argsort(order))):
        given = tuple(part[:, own] for part in motion)
        data = samples_of_motion(model, TIME, given, effort[:, own])
        result = identify(model, [data], unknowns)
        columns = result.columns
        left = columns.of(data.position, data.velocity, data.acceleration)
        deviation = (result.fit.values - columns.subtracted)[columns.places]
        found = data.described + np.einsum("nmc,mc->nm", left, deviation)
        predicted.append(found[:, np.argsort(own)])
    scale = abs(effort).max(axis=0)
    for found in predicted:
        assert (abs(found - effort).max(axis=0) < 1e-6 * scale).all()


def sprung(folder: Path) -> Model:
    """Return a four-bar with springs, rotors, and friction of a passive joint."""
    model = four_bar(folder)
    spring = {
        "base_body": "ground",
        "base_point": [0.5, 0.1, 0.6],
        "tip_body": "coupler",
        "tip_point": [0.0, 0.0, 0.3],
        "stiffness": 40.0,
        "free_length": 0.1,
        "pretension": 3.0,
    }
    text = (folder / "four_bar.urdf").read_text()
    for name in ("rocker_joint", "coupler_joint"):
        place = text.index("<axis", text.index(f'<joint name="{name}"'))
        text = text[:place] + '<dynamics damping="0.05" friction="0.1"/>' + text[place:]
    (folder / "four_bar.urdf").write_text(text)
    mechanisms = (folder / "four_bar.yaml").read_text()
    extra = {
        "springs": {"coil": spring},
        "joint_springs": {"twist": {"joint": "rocker_joint", "stiffness": 2.0, "rest": 0.3}},
        "rotors": {"crank_joint": {"inertia": 1e-4, "gear_ratio": 30.0}},
    }
    (folder / "four_bar.yaml").write_text(mechanisms + yaml.safe_dump(extra))
    assert model.actuator_names == ("crank_joint",)
    return load_model(folder / "four_bar.urdf", folder / "four_bar.yaml")


def changed(model: Model) -> Model:
    """Return the sprung four-bar with other parameters."""
    true = other_robot(model, np.random.default_rng(8), springs=0.2, viscous=0.3, coulomb=0.2)
    joints = tuple(
        replace(each, friction=JointFriction(0.12, 0.23)) if each.name == "rocker_joint" else each
        for each in true.tree.joints
    )
    (twist,) = true.mechanisms.joint_springs
    mechanisms = replace(
        true.mechanisms,
        joint_springs=(replace(twist, stiffness=3.1, rest=0.2),),
        rotors={"crank_joint": Rotor(3e-4, 30.0)},
    )
    return Model(replace(true.tree, joints=joints), mechanisms)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, IdentificationResult]:
    model = sprung(tmp_path_factory.mktemp("sprung"))
    true = changed(model)
    return true, identify(model, [samples(model, true, motion_of(model, 3, 0.5, 1.5))])


def test_springs_rotors_and_friction_of_passive_joints_are_identified(
    found: tuple[Model, IdentificationResult],
) -> None:
    true, result = found
    require_prediction(result, true, motion_of(result.model, 4, 0.5, 1.5))
    values = {number.name: number.estimate for number in result.numbers}
    assert values["rocker_joint viscous"] == pytest.approx(0.12, rel=1e-5)
    assert values["rocker_joint coulomb"] == pytest.approx(0.23, rel=1e-5)
    assert values["coupler_joint viscous"] == pytest.approx(0.05, rel=1e-5)
    assert values["twist stiffness"] == pytest.approx(3.1, rel=1e-5)
    assert values["twist effort_at_zero"] == pytest.approx(0.62, rel=1e-5)
    # the pretension cannot be separated from the stiffness and the weights
    (coil,) = true.mechanisms.springs
    expected = coil.stiffness - 10.0 * coil.pretension
    assert values["coil stiffness - 10 coil pretension"] == pytest.approx(expected, rel=1e-5)


def test_loads_do_not_count_as_friction_of_passive_joints(tmp_path: Path) -> None:
    model = sprung(tmp_path)
    loads = {}, {"rocker": Wrench(np.array([9.0, 2.0, -5.0]), np.zeros(3))}
    loaded_model, true = model.with_loads(*loads), changed(model).with_loads(*loads)
    result = identify(loaded_model, [samples(loaded_model, true, motion_of(model, 3, 0.5, 1.5))])
    assert result.number("rocker_joint viscous").estimate == pytest.approx(0.12, rel=1e-5)
    assert result.number("rocker_joint coulomb").estimate == pytest.approx(0.23, rel=1e-5)


def test_written_files_describe_the_identified_loop(
    found: tuple[Model, IdentificationResult], tmp_path: Path
) -> None:
    true, result = found
    assert result.joint_friction["rocker_joint"].viscous == pytest.approx(0.12, rel=0.05)
    urdf, file = tmp_path / "r.urdf", tmp_path / "r.yaml"
    sprung(tmp_path)
    described = (tmp_path / "four_bar.yaml").read_text()
    urdf.write_text(identified_urdf(result, "test"))
    file.write_text(identified_mechanisms(result, described, "test"))
    written = load_model(urdf, file)
    motion = motion_of(written, 6, 0.5, 1.5)
    expected = efforts(true, motion)
    assert abs(efforts(written, motion) - expected).max() < 0.02 * abs(expected).max()


def test_friction_of_a_loop_joint_is_written_to_the_mechanisms_file(tmp_path: Path) -> None:
    def with_pin(viscous: float, coulomb: float) -> Model:
        four_bar(tmp_path)
        file = tmp_path / "four_bar.yaml"
        friction = {"pin": {"viscous": viscous, "coulomb": coulomb}}
        file.write_text(file.read_text() + yaml.safe_dump({"friction": friction}))
        return load_model(tmp_path / "four_bar.urdf", file)

    true, model = with_pin(0.5, 0.8), with_pin(0.1, 0.2)
    result = identify(model, [samples(model, true, motion_of(model, 3, 0.5, 1.5))])
    urdf, file = tmp_path / "r.urdf", tmp_path / "r.yaml"
    urdf.write_text(identified_urdf(result, "test"))
    described = (tmp_path / "four_bar.yaml").read_text()
    file.write_text(identified_mechanisms(result, described, "test"))
    assert set(yaml.safe_load(file.read_text())["friction"]) == {"crank_joint", "pin"}
    written = load_model(urdf, file)
    motion = motion_of(written, 6, 0.5, 1.5)
    expected = efforts(true, motion)
    assert abs(efforts(written, motion) - expected).max() < 0.02 * abs(expected).max()


def test_friction_of_a_joint_that_a_cylinder_moves_is_identified(tmp_path: Path) -> None:
    model = crane(tmp_path)
    name = model.mechanisms.linear_actuators[0].joint

    def with_friction(viscous: float, coulomb: float) -> Model:
        joints = tuple(
            replace(each, friction=JointFriction(viscous, coulomb)) if each.name == name else each
            for each in model.tree.joints
        )
        return Model(replace(model.tree, joints=joints), model.mechanisms)

    described, true = with_friction(30.0, 20.0), with_friction(70.0, 50.0)
    rest = described.rest_position()
    motion = tuple(
        part + (rest if k == 0 else 0.0)
        for k, part in enumerate(
            (
                0.05 * np.sin(TIME[:, None] + np.arange(len(rest))),
                0.05 * np.cos(TIME[:, None] + np.arange(len(rest))),
                -0.05 * np.sin(TIME[:, None] + np.arange(len(rest))),
            )
        )
    )
    unknowns = IdentificationSettings(unknowns=Unknowns(inertials=False, springs=False))
    data = samples_of_motion(described, TIME, motion, true.compute(*motion).actuator_effort)
    result = identify(described, [data], unknowns)
    assert result.number(f"{name} viscous").estimate == pytest.approx(70.0, rel=1e-6)
    assert result.number(f"{name} coulomb").estimate == pytest.approx(50.0, rel=1e-6)


def test_intervals_contain_the_parameters_of_noisy_loops(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        true = other_robot(model, rng, viscous=0.3, coulomb=0.1)
        time = np.arange(0.0, 20.0, 0.01)
        motion = motion_of(model, seed, 0.5, 0.8, time)
        effort = with_noise(efforts(true, motion), 0.02, rng)
        position = motion[0] + 5e-5 * rng.normal(size=motion[0].shape)
        result = identify(model, [samples_of_positions(model, time, position, effort)])
        truth = result.columns.base.combination @ true.inertial_parameters
        for number, value in zip(result.numbers, truth, strict=False):
            # all depend on the same few directions, so that each run is about one sample
            assert abs(number.estimate - value) <= 2.0 * number.half_width, number.name
        assert result.judgements[0].identified < 0.03 * result.judgements[0].measured


def test_measured_passive_joints_select_the_assembly(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    motion = motion_of(model, 3)
    usual = ClosedMotions(model, "test").of(motion)[0]
    other = model.assemble([motion[0][0, 0], 2.5, 3.5]).position
    assert abs(other - usual[0]).max() > 0.5
    whole = np.full((len(TIME), 3), np.nan)
    whole[0], whole[:, 0] = other, motion[0][:, 0]
    rates = [np.pad(part, ((0, 0), (0, 2)), constant_values=np.nan) for part in motion[1:]]
    data = samples_of_motion(model, TIME, (whole, rates[0], rates[1]), np.zeros_like(motion[0]))
    assert abs(data.position[0] - other).max() < 1e-9
    assert abs(data.position[:, 1:] - usual[:, 1:]).min(axis=0).max() > 0.5
    errors = [np.abs(model.constraints(q).error).max() for q in data.position[::50]]
    assert max(errors) < 1e-10


def test_contradicting_passive_joints_are_refused(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    motion = ClosedMotions(model, "test").of(motion_of(model, 3))
    effort = np.zeros((len(TIME), 1))
    whole = motion[0].copy()
    whole[:, 2] += 2.0 * np.pi + 0.01  # noise, and another turn
    kept = samples_of_motion(model, TIME, (whole, *motion[1:]), effort)
    np.testing.assert_allclose(np.sin(kept.position), np.sin(motion[0]), atol=1e-9)
    whole[40, 1] += 0.2
    with pytest.raises(InputError, match=r"passive joint 'coupler_joint' is .* in sample 40"):
        samples_of_motion(model, TIME, (whole, *motion[1:]), effort)
    whole[40, 0] = np.nan
    with pytest.raises(InputError, match="position: expected finite values"):
        samples_of_motion(model, TIME, (whole, *motion[1:]), effort)
    noisy = samples_of_positions(model, TIME, motion[0], effort)
    assert abs(noisy.position - motion[0])[50:-50].max() < 1e-3
    assert noisy.errors is not None and not noisy.errors[0][:, 1:].any()


def test_bodies_that_spin_idly_are_symmetric_or_refused(tmp_path: Path) -> None:
    model = rod_between_balls(tmp_path, is_thin=True)
    rng = np.random.default_rng(1)
    links = dict(other_robot(model, rng, viscous=0.2, coulomb=0.1).tree.links)
    rod = model.tree.links["rod"]
    assert rod.inertial is not None
    body = Inertial(1.3 * rod.inertial.mass, rod.inertial.p_link_com, 1.6 * rod.inertial.inertia)
    links["rod"] = replace(rod, inertial=body)
    true = Model(replace(model.tree, links=links), model.mechanisms)
    result = identify(model, [samples(model, true, motion_of(model, 3, 0.3))])
    require_prediction(result, true, motion_of(model, 4, 0.3))
    with pytest.raises(UnsupportedError, match=r"the idle motion of .*spin_joint.*symmetric"):
        find_base_parameters(rod_between_balls(tmp_path))


def test_more_or_fewer_actuators_than_motions_are_refused(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    rest = dict(zip(model.position_names, model.assemble(np.zeros(3)).position, strict=True))
    pose = {name: float(rest[name]) for name in ("crank_joint", "rocker_joint")}
    mechanisms = replace(model.mechanisms, passive_joints=("coupler_joint",), rest_pose=pose)
    model = Model(model.tree, mechanisms)
    with pytest.raises(UnsupportedError, match=r"got 1 and 2 of 'four_bar'.*redundant"):
        find_base_parameters(model)
    parts = [
        *(link(name, 1.0, (0.0, 0.0, 0.1)) for name in ("base", "a", "b", "c", "d")),
        joint("to_a", "continuous", "base", "a"),
        joint("to_b", "continuous", "a", "b", (0, 0, 0.3)),
        joint("to_c", "continuous", "b", "c", (0, 0, 0.4)),
        joint("to_d", "continuous", "base", "d", (0.4, 0, 0)),
    ]
    pin: dict[str, Any] = {"type": "revolute", "first_body": "c", "second_body": "d"}
    pin |= {"first_point": [0, 0, 0.3], "second_point": [0, 0, 0.5], "axis": [0, 1, 0]}
    passive = ["to_b", "to_c", "to_d"]
    free = loaded(tmp_path, parts, {"loop_joints": {"pin": pin}, "passive_joints": passive})
    with pytest.raises(LoopError, match="to_"):
        find_base_parameters(free)


def test_motions_out_of_reach_are_refused(tmp_path: Path) -> None:
    model = four_bar(tmp_path, first_point=[0.0, 0.0, 0.25])
    position, velocity, acceleration = motion_of(model, 3, 3.0)
    with pytest.raises(OutOfReachError, match="pin"):
        samples_of_motion(model, TIME, (position, velocity, acceleration), velocity)


def test_proposed_motions_keep_loops_closed_and_passive_limits(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    urdf = tmp_path / "four_bar.urdf"
    text = urdf.read_text().replace(
        '"rocker_joint" type="continuous">',
        '"rocker_joint" type="revolute">'
        '<limit lower="-0.25" upper="0.3" effort="0" velocity="0.9"/>',
    )
    urdf.write_text(text)
    model = load_model(urdf, tmp_path / "four_bar.yaml")
    settings = ExcitationSettings(duration=10.0, rounds=2, harmonics=3)
    found = propose(model, settings)
    motion = found.motion
    assert motion.position.shape == (1001, 1)
    assert np.ptp(motion.position) > 0.1
    closed = ClosedMotions(model, "test").of(
        (motion.position, motion.velocity, motion.acceleration)
    )
    assert -0.25 <= closed[0][:, 2].min() and closed[0][:, 2].max() <= 0.3
    assert abs(closed[1][:, 2]).max() <= 0.9
    for part in (motion.velocity, motion.acceleration):
        assert abs(part[[0, -1]]).max() < 1e-9
    conditioning = [model.constraints(q).conditioning for q in closed[0][::10]]
    assert min(conditioning) > 0.05
