# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every body, auxiliary ones included, is in equilibrium under the reported reactions."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from pose_series import inertial_loads, poses
from random_states import random_state

from charmie_dynamics import Model, State
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.model import DEFAULT_MECHANISMS

ROUND_OFF = 1e-9  # N and N m
SEEDS = pytest.mark.parametrize("seed", range(4))
UP = np.array([0.0, 0.0, 1.0])


class Ledger:
    """Loads on bodies, as force and torque about the origin of the world. Action is reaction."""

    def __init__(self) -> None:
        self.loads: dict[str, np.ndarray] = {}

    def act(
        self, *, on: str, by: str, at: np.ndarray, force: np.ndarray, torque: np.ndarray
    ) -> None:
        load = np.concatenate([force, torque + np.cross(at, force)])
        self.loads[on] = self.loads.get(on, np.zeros(6)) + load
        self.loads[by] = self.loads.get(by, np.zeros(6)) - load


class Case(NamedTuple):
    model: Model
    state: State

    def point(self, body: str, point: tuple[float, float, float]) -> np.ndarray:
        p, R = self.state.frame(body)
        return p + R @ np.array(point)

    def body(self, name: str) -> int:
        return self.model.flat.body_names.index(name)


def charmie_with_uneven_shares(charmie: Model, repository: Path) -> Model:
    """One half, the assumption of the paper, is its own counterpart: use others as well."""
    text = repository.joinpath(*DEFAULT_MECHANISMS).read_text(encoding="utf-8")
    text = text.replace("reaction_share: 0.5", "reaction_share: 0.2")
    text = text.replace("torque_share: 0.5", "torque_share: 0.3", 1)
    mechanisms = parse_mechanisms(text, "uneven")
    assert [b.torque_share for b in mechanisms.balance_mechanisms] == [0.3, 0.5]
    return Model(charmie.tree, mechanisms)


@pytest.fixture(scope="module")
def models(charmie: Model, crane: Model, repository: Path) -> dict[str, Model]:
    uneven = charmie_with_uneven_shares(charmie, repository)
    return {"charmie": charmie, "uneven": uneven, "crane": crane}


def case_of(model: Model, seed: int) -> Case:
    return Case(model, model.compute(*random_state(model, np.random.default_rng(seed))))


def residuals(case: Case) -> dict[str, np.ndarray]:
    """Return what is left over on each body but the root: loads less inertial loads (6,)."""
    ledger = Ledger()
    _joints(case, ledger)
    _actuators(case, ledger)
    _springs(case, ledger)
    _balances(case, ledger)
    tree, state = case.model.flat.tree, case.state
    motion = poses(tree, state.joint_position, state.joint_velocity, state.joint_acceleration)
    force, torque = inertial_loads(tree, motion)
    for i, name in enumerate(case.model.flat.body_names):
        ledger.loads[name] = ledger.loads.get(name, 0.0) - np.concatenate([force[i], torque[i]])
    del ledger.loads[case.model.tree.root]
    return ledger.loads


def _joints(case: Case, ledger: Ledger) -> None:
    for joint in case.model.tree.joints:
        p, R = case.state.frame(joint.child)
        i = case.body(joint.child)
        ledger.act(
            on=joint.child,
            by=joint.parent,
            at=p,
            force=R @ case.state.dynamics.joint_force[i],
            torque=R @ case.state.dynamics.joint_torque[i],
        )


class Pin(NamedTuple):
    """What a linear actuator does to the body that it moves, in the world."""

    at: np.ndarray
    other: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    body: str
    other_body: str
    near_part: str
    far_part: str
    effort: float
    axis: np.ndarray


def pin_of(case: Case, k: int) -> Pin:
    actuator = case.model.mechanisms.linear_actuators[k]
    base = (case.point(actuator.base_body, actuator.base_point), actuator.base_body, "tube")
    tip = (case.point(actuator.tip_body, actuator.tip_point), actuator.tip_body, "rod")
    joint = next(j for j in case.model.tree.joints if j.name == actuator.joint)
    carriers = {joint.child}
    carriers |= {
        j.child for j in case.model.tree.joints if j.type == "fixed" and j.parent == joint.child
    }
    near, far = (base, tip) if actuator.base_body in carriers else (tip, base)
    _, R = case.state.frame(joint.child)
    c = case.model.actuator_names.index(actuator.name)
    return Pin(
        at=near[0],
        other=far[0],
        force=R @ case.state.dynamics.actuator_pin_force[k],
        torque=R @ case.state.dynamics.actuator_pin_torque[k],
        body=near[1],
        other_body=far[1],
        near_part=f"{actuator.name}_{near[2]}",
        far_part=f"{actuator.name}_{far[2]}",
        effort=float(case.state.actuator_effort[c]),
        axis=R @ joint.axis,
    )


def _actuators(case: Case, ledger: Ledger) -> None:
    for k in range(len(case.model.mechanisms.linear_actuators)):
        pin = pin_of(case, k)
        load = {"at": pin.at, "force": pin.force, "torque": pin.torque}
        ledger.act(on=pin.body, by=pin.near_part, **load)
        ledger.act(on=pin.near_part, by=pin.far_part, **load)
        ledger.act(on=pin.far_part, by=pin.other_body, **load)


def _springs(case: Case, ledger: Ledger) -> None:
    for spring in case.model.mechanisms.springs:
        base = case.point(spring.base_body, spring.base_point)
        tip = case.point(spring.tip_body, spring.tip_point)
        pull = case.state.spring_tension[spring.name] * (tip - base) / np.linalg.norm(tip - base)
        load = {"at": base, "force": pull, "torque": np.zeros(3)}
        ledger.act(on=spring.base_body, by=f"{spring.name}_base", **load)
        ledger.act(on=f"{spring.name}_base", by=f"{spring.name}_tip", **load)
        load["at"] = tip
        ledger.act(on=f"{spring.name}_tip", by=spring.tip_body, **load)


def _balances(case: Case, ledger: Ledger) -> None:
    dynamics = case.state.dynamics
    for k, part in enumerate(case.model.mechanisms.balance_mechanisms):
        bar, upright, near, far = (
            f"{part.name}_{x}" for x in ("bar", "upright", "spring_tip", "spring_base")
        )
        _, R = case.state.frame(part.frame_body)
        tip, _ = case.state.frame(upright)
        point, _ = case.state.frame(near)
        pivot, anchor = (case.point(part.frame_body, x) for x in (part.pivot, part.spring_anchor))
        about = dynamics.balance_torque[k] * R @ UP
        lift = dynamics.balance_force[k] * R @ UP
        top = tip + part.link_height * R @ UP
        ledger.act(on=part.carried_body, by=upright, at=top, force=lift, torque=about)
        ledger.act(on=upright, by=bar, at=tip, force=lift, torque=about)
        held = R @ dynamics.balance_pivot_force[k]
        ledger.act(on=bar, by=part.frame_body, at=pivot, force=held, torque=about)
        tension = case.state.spring_tension[part.name]
        pull = tension * (anchor - point) / np.linalg.norm(anchor - point)
        load = {"at": point, "force": pull, "torque": np.zeros(3)}
        ledger.act(on=bar, by=near, **load)
        ledger.act(on=near, by=far, **load)
        ledger.act(on=far, by=part.frame_body, **load)


@SEEDS
@pytest.mark.parametrize("name", ["charmie", "uneven", "crane"])
def test_every_body_is_in_equilibrium(models: dict[str, Model], name: str, seed: int) -> None:
    left = residuals(case_of(models[name], seed))
    unbalanced = {body: load for body, load in left.items() if np.abs(load).max() > ROUND_OFF}
    assert unbalanced == {}


def test_equilibrium_is_tested_for_all_40_bodies(charmie: Model) -> None:
    joints = {joint.child: joint for joint in charmie.tree.joints}
    frames = {
        name
        for name, joint in joints.items()
        if joint.type == "fixed" and charmie.tree.links[name].inertial is None
    }
    tested = set(residuals(case_of(charmie, 0))) - frames
    assert len(tested) == 40 == charmie.census().rigid_bodies
    assert tested | frames == set(charmie.frame_names) - {charmie.tree.root}


@SEEDS
@pytest.mark.parametrize("name", ["charmie", "uneven"])
def test_force_along_a_linear_actuator_is_its_effort(
    models: dict[str, Model], name: str, seed: int
) -> None:
    case = case_of(models[name], seed)
    for k in range(2):
        pin = pin_of(case, k)
        outward = (pin.at - pin.other) / np.linalg.norm(pin.at - pin.other)
        assert pin.force @ outward == pytest.approx(pin.effort, abs=ROUND_OFF)


@SEEDS
def test_linear_actuator_without_share_is_a_two_force_member(crane: Model, seed: int) -> None:
    case = case_of(crane, seed)
    for k in range(2):
        pin = pin_of(case, k)
        outward = (pin.at - pin.other) / np.linalg.norm(pin.at - pin.other)
        np.testing.assert_allclose(pin.force, pin.effort * outward, atol=ROUND_OFF)
        np.testing.assert_allclose(pin.torque, 0.0, atol=ROUND_OFF)


@SEEDS
@pytest.mark.parametrize(("name", "share"), [("charmie", 0.5), ("uneven", 0.2)])
def test_pins_of_the_torso_actuator_carry_their_share(
    models: dict[str, Model], name: str, share: float, seed: int
) -> None:
    case = case_of(models[name], seed)
    dynamics, i = case.state.dynamics, case.body("upper_body")
    force, torque = dynamics.actuator_pin_force[1], dynamics.actuator_pin_torque[1]
    # eq. 36: of the force along the hinge
    total = force[0] + dynamics.joint_force[i, 0]
    assert abs(total) > 0.1
    assert force[0] == pytest.approx(share * total, abs=ROUND_OFF)
    # eq. 38: of the torques across it, each taken at its own joint
    total = torque[1:] + dynamics.joint_torque[i, 1:]
    assert np.abs(total).min() > 0.01
    np.testing.assert_allclose(torque[1:], share * total, atol=ROUND_OFF)


@SEEDS
def test_pins_and_hinge_of_the_torso_carry_no_torque_about_the_hinge(
    charmie: Model, seed: int
) -> None:
    case = case_of(charmie, seed)
    pin = pin_of(case, 1)
    at_other = pin.torque + np.cross(pin.at - pin.other, pin.force)
    hinge = case.state.dynamics.joint_torque[case.body("upper_body"), 0]
    np.testing.assert_allclose([pin.torque @ pin.axis, at_other @ pin.axis, hinge], 0.0, atol=1e-9)


@SEEDS
@pytest.mark.parametrize("name", ["charmie", "crane"])
def test_slide_carries_all_but_the_force_of_its_actuator_along_it(
    models: dict[str, Model], name: str, seed: int
) -> None:
    # eq. 42: the actuator pulls along itself, its pins carry nothing else
    case = case_of(models[name], seed)
    k = {"charmie": 0, "crane": 1}[name]
    pin = pin_of(case, k)
    outward = (pin.at - pin.other) / np.linalg.norm(pin.at - pin.other)
    np.testing.assert_allclose(pin.force, pin.effort * outward, atol=ROUND_OFF)
    np.testing.assert_allclose(pin.torque, 0.0, atol=ROUND_OFF)
    _, R = case.state.frame(pin.body)
    along = R @ case.state.dynamics.joint_force[case.body(pin.body)] @ pin.axis
    assert along == pytest.approx(0.0, abs=ROUND_OFF)


@SEEDS
@pytest.mark.parametrize(
    ("name", "body", "shares"),
    [
        ("charmie", "lower_body", [0.5, 0.5]),
        ("uneven", "lower_body", [0.3, 0.5]),
        ("crane", "cabin", [0.3, 0.6]),
    ],
)
def test_balance_mechanisms_carry_their_share_of_the_torque_about_the_slide(
    models: dict[str, Model], name: str, body: str, shares: list[float], seed: int
) -> None:
    # eq. 43: one half each, and none for the slide, in CHARMIE
    case = case_of(models[name], seed)
    dynamics = case.state.dynamics
    joint = dynamics.joint_torque[case.body(body), 2]
    total = dynamics.balance_torque.sum() + joint
    assert abs(total) > 0.01
    np.testing.assert_allclose(dynamics.balance_torque, np.multiply(shares, total), atol=ROUND_OFF)
    assert joint == pytest.approx((1.0 - sum(shares)) * total, abs=ROUND_OFF)


@SEEDS
@pytest.mark.parametrize("name", ["charmie", "crane"])
def test_shares_and_springs_do_not_reach_the_load_on_the_base(
    models: dict[str, Model], name: str, seed: int
) -> None:
    # they are internal to what stands on it
    case = case_of(models[name], seed)
    tree, state = case.model.flat.tree, case.state
    motion = poses(tree, state.joint_position, state.joint_velocity, state.joint_acceleration)
    force, torque = (load.sum(axis=0) for load in inertial_loads(tree, motion))
    p, R = state.frame(case.model.mechanisms.base_body)
    got_force, got_torque = (R @ x for x in state.base_wrench)
    np.testing.assert_allclose(got_force, force, atol=ROUND_OFF)
    np.testing.assert_allclose(got_torque + np.cross(p, got_force), torque, atol=ROUND_OFF)
