# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whole models at the edges: of reach, of the springs, of the inputs, of what a robot can be."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from charmie_dynamics import Model, OutOfReachError, State
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.description.urdf_form import MOST_LINKS

NO_INERTIA = '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'


def robot(*parts: str) -> Model:
    text = f'<robot name="edge">{"".join(parts)}</robot>'
    return Model(parse_urdf(text, "edge.urdf"), MechanismSet())


def link(name: str, mass: float, x: float) -> str:
    return (
        f'<link name="{name}"><inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>'
        f"{NO_INERTIA}</inertial></link>"
    )


@pytest.fixture
def stance(charmie: Model) -> np.ndarray:
    position = np.zeros(21)
    position[3:5] = 0.45, 0.4
    return position


def finite(state: State) -> bool:
    return all(np.isfinite(array).all() for array in (*state.kinematics, *state.dynamics))


# reach


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("ulps", [-1, 0, 1])
def test_torso_actuator_at_its_reach_is_refused_or_computed_but_never_not_a_number(
    charmie: Model, stance: np.ndarray, end: int, ulps: int
) -> None:
    length = charmie.reach("torso_actuator")[end]
    stance[4] = np.nextafter(length, length + ulps) if ulps else length
    try:
        state = charmie.compute(stance, np.full(21, 0.01), np.full(21, 0.01))
    except OutOfReachError as error:
        assert error.name == "torso_actuator"
    else:
        assert finite(state)


@pytest.mark.parametrize("end", [0, 1])
def test_torso_actuator_just_within_its_reach_is_computed(
    charmie: Model, stance: np.ndarray, end: int
) -> None:
    stance[4] = charmie.reach("torso_actuator")[end] + (1e-9, -1e-9)[end]
    state = charmie.compute(stance, np.full(21, 1e-9), np.zeros(21))
    assert finite(state)
    # by virtual work on the small lever
    lever = state.joint_velocity[4] / state.velocity[4]
    effort = state.dynamics.joint_effort[4] * lever
    assert state.actuator_effort[4] == pytest.approx(effort, rel=1e-6)
    assert abs(lever) > 1e3


# rise of the bar's tip over its pivot: 0.29 - q + 0.25 - 0.15 - 0.3 = 0.09 - q; the bar is 0.2
@pytest.mark.parametrize(
    ("lift", "reached"),
    [
        (0.29 - 1e-9, True),
        (0.29 - 1e-12, True),
        (0.29 + 1e-12, False),
        (-0.11 + 1e-9, True),
        (-0.11 - 1e-9, False),
    ],
)
def test_balance_mechanism_reaches_as_far_as_its_bar(
    charmie: Model, stance: np.ndarray, lift: float, reached: bool
) -> None:
    stance[3] = charmie.actuator_from_joint("lift_joint", lift)[0]
    if reached:
        assert finite(charmie.compute(stance, np.full(21, 0.01)))
    else:
        with pytest.raises(OutOfReachError, match="'lift_balance_left'"):
            charmie.compute(stance)


# springs


def with_torso_spring(charmie: Model, **values: float) -> Model:
    spring = replace(charmie.mechanisms.springs[0], **values)
    return Model(charmie.tree, replace(charmie.mechanisms, springs=(spring,)))


def test_spring_at_exactly_its_free_length_is_slack(charmie: Model, stance: np.ndarray) -> None:
    length = float(charmie.compute(stance).spring_length["torso_spring"])
    state = with_torso_spring(charmie, free_length=length).compute(stance)
    assert float(state.spring_length["torso_spring"]) == length
    assert state.spring_tension["torso_spring"] == 0.0
    gone = Model(charmie.tree, replace(charmie.mechanisms, springs=())).compute(stance)
    assert state.actuator_effort.tolist() == gone.actuator_effort.tolist()


# masses


@pytest.mark.parametrize("mass", ["0", "5e-324", "1e-300"])
def test_robot_without_weight_holds_its_springs_alone(
    charmie: Model, stance: np.ndarray, mass: str
) -> None:
    text, count = re.subn(
        r'<mass value="[^"]*"/>\s*<inertia [^>]*/>',
        f'<mass value="{mass}"/>{NO_INERTIA}',
        charmie.tree.urdf,
    )
    assert count == 24
    light = Model(parse_urdf(text, "light.urdf"), charmie.mechanisms)
    efforts = light.compute(stance, np.full(21, 0.1), np.ones(21)).actuator_effort
    springless = Model(charmie.tree, replace(charmie.mechanisms, springs=(), balance_mechanisms=()))
    expected = charmie.compute(stance).actuator_effort - springless.compute(stance).actuator_effort
    np.testing.assert_allclose(efforts, expected, atol=1e-10)
    assert np.abs(efforts[3:5]).min() > 100.0
    open_tree = Model(light.tree, MechanismSet())
    # at most 1e-299 kg times some metres per second squared
    force = open_tree.compute(np.zeros(21), np.ones(21), np.ones(21)).generalized_force
    assert np.abs(force).max() <= float(mass) * 24 * 100
    assert finite(open_tree.compute(np.zeros(21), np.ones(21), np.ones(21)))


# inputs


def test_denormal_numbers_count_as_zero(charmie: Model, stance: np.ndarray) -> None:
    expected = charmie.compute(stance).actuator_effort
    tiny = np.full(21, 5e-324)
    near = np.where(stance == 0.0, 5e-324, stance)
    state = charmie.compute(near, tiny, -tiny)
    np.testing.assert_allclose(state.actuator_effort, expected, atol=1e-12)
    assert finite(state)


# robots

BEAM = link("beam", 2.0, 0.5)
STAND = '<link name="stand"/>'
WELD = '<joint name="weld" type="fixed"><parent link="stand"/><child link="beam"/></joint>'


@pytest.mark.parametrize("parts", [(BEAM,), (STAND, BEAM, WELD)], ids=["one link", "welded"])
def test_robot_without_movable_joint_is_held_against_its_weight(parts: tuple[str, ...]) -> None:
    model = robot(*parts)
    assert model.actuator_names == model.joint_names == ()
    assert model.zero_position().shape == (0,)
    state = model.compute([])
    assert state.actuator_effort.shape == state.generalized_force.shape == (0,)
    force, torque = state.base_wrench
    np.testing.assert_allclose(force, [0.0, 0.0, 2.0 * 9.81], rtol=1e-15)
    np.testing.assert_allclose(torque, [0.0, -0.5 * 2.0 * 9.81, 0.0], rtol=1e-15)
    assert state.frame("beam")[0].tolist() == [0.0, 0.0, 0.0]
    assert model.compute(np.zeros((3, 0))).base_wrench[0].shape == (3, 3)


def test_root_with_mass_is_weighed_but_burdens_no_joint() -> None:
    arm = (
        link("arm", 1.0, 0.4),
        '<joint name="hinge" type="continuous"><parent link="root"/><child link="arm"/>'
        '<axis xyz="0 -1 0"/></joint>',
    )
    light = robot('<link name="root"/>', *arm).compute([0.3])
    heavy = robot(link("root", 50.0, 0.2), *arm).compute([0.3])
    assert heavy.actuator_effort.tolist() == light.actuator_effort.tolist()
    assert heavy.actuator_effort[0] == pytest.approx(9.81 * 0.4 * math.cos(0.3), rel=1e-14)
    assert heavy.base_wrench[0][2] == pytest.approx(51.0 * 9.81, rel=1e-14)
    assert light.base_wrench[0][2] == pytest.approx(9.81, rel=1e-14)


def test_urdf_of_as_many_links_as_it_may_have_loads_and_computes() -> None:
    count, mass, length = MOST_LINKS - 1, 0.3, 0.02  # and the stand
    parts = [STAND]
    for i in range(count):
        parent, x = (f"link_{i - 1}", length) if i else ("stand", 0.0)
        parts.append(link(f"link_{i}", mass, 0.5 * length))
        parts.append(
            f'<joint name="hinge_{i}" type="continuous"><parent link="{parent}"/>'
            f'<child link="link_{i}"/><origin xyz="{x} 0 0"/><axis xyz="0 -1 0"/></joint>'
        )
    model = robot(*parts)
    assert len(model.actuator_names) == count
    state = model.compute(np.zeros(count))
    after = count - np.arange(count)
    # straight and level: the weight of what follows, half way out
    np.testing.assert_allclose(
        state.generalized_force, 9.81 * mass * after * 0.5 * length * after, rtol=1e-11
    )
    assert state.base_wrench[0][2] == pytest.approx(count * mass * 9.81, rel=1e-11)
    assert state.frame(f"link_{count - 1}")[0][0] == pytest.approx((count - 1) * length, rel=1e-11)
