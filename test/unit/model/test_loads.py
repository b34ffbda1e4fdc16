# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Payloads and wrenches from outside enter the efforts as mechanics says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import InputError, Model, UnknownNameError
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.loads import Payload, Wrench
from charmie_dynamics.model.stability import centre_of_mass

INERTIA = ((0.02, 0.001, -0.002), (0.001, 0.03, 0.003), (-0.002, 0.003, 0.025))
PAYLOAD = Payload(2.5, (0.03, -0.04, 0.12), INERTIA)
WRENCH = Wrench((3.0, -7.0, 11.0), (0.5, 1.5, -0.7))


def with_link(model: Model, parent: str) -> Model:
    """The model with a link that has the payload's inertial, fixed to another by the URDF."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = INERTIA
    x, y, z = PAYLOAD.p_link_com
    extra = f"""
  <link name="held"><inertial><origin xyz="{x} {y} {z}"/><mass value="{PAYLOAD.mass}"/>
    <inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/></inertial></link>
  <joint name="hold" type="fixed"><parent link="{parent}"/><child link="held"/></joint>
</robot>"""
    tree = parse_urdf(model.tree.urdf.replace("</robot>", extra), "held.urdf")
    return Model(tree, model.mechanisms)


# one link with a mass of its own, one without
@pytest.mark.parametrize("link", ["left_arm_link_4", "right_tool"])
def test_payload_is_as_a_link_of_the_urdf(charmie: Model, link: str) -> None:
    state = random_state(charmie, np.random.default_rng(1))
    found = charmie.with_loads({link: PAYLOAD}).compute(*state)
    expected = with_link(charmie, link).compute(*state)
    np.testing.assert_allclose(found.actuator_effort, expected.actuator_effort, atol=1e-11)
    np.testing.assert_allclose(found.base_wrench, expected.base_wrench, atol=1e-11)


def test_base_has_to_hold_against_a_wrench(charmie: Model) -> None:
    position = charmie.zero_position()
    state = charmie.compute(position)
    loaded = charmie.with_loads(wrenches={"left_tool": WRENCH}).compute(position)
    p_base, R_base = state.frame("base")
    p, R = state.frame("left_tool")
    force = R_base.T @ R @ WRENCH.force
    torque = R_base.T @ (R @ WRENCH.torque + np.cross(p - p_base, R @ WRENCH.force))
    change = np.subtract(state.base_wrench, loaded.base_wrench)
    np.testing.assert_allclose(change, [force, torque], atol=1e-11)


def test_loads_replace_those_before(charmie: Model) -> None:
    position = charmie.zero_position()
    once = charmie.with_loads({"left_tool": PAYLOAD}, {"left_tool": WRENCH})
    again = once.with_loads({"left_tool": PAYLOAD})
    expected = charmie.with_loads({"left_tool": PAYLOAD}).compute(position).actuator_effort
    np.testing.assert_array_equal(again.compute(position).actuator_effort, expected)
    nothing = once.with_loads().compute(position).actuator_effort
    np.testing.assert_array_equal(nothing, charmie.compute(position).actuator_effort)


def test_model_without_loads_stays_as_it_is(charmie: Model) -> None:
    position = charmie.zero_position()
    before = charmie.compute(position).actuator_effort
    charmie.with_loads({"left_tool": PAYLOAD}, {"left_tool": WRENCH})
    np.testing.assert_array_equal(charmie.compute(position).actuator_effort, before)


def test_load_on_an_unknown_link_is_refused_with_the_nearest_name(charmie: Model) -> None:
    with pytest.raises(UnknownNameError, match=r"'left_tol' is unknown.*left_tool"):
        charmie.with_loads({"left_tol": PAYLOAD})


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ((0.0,), "mass: expected a positive number, got 0"),
        ((-1.0,), "mass: expected a positive number"),
        ((math.nan,), "mass: expected a positive number"),
        ((1.0, (0.0, 0.0)), r"centre of mass: expected finite numbers of shape \(3,\)"),
        ((1.0, (0.0, math.inf, 0.0)), "centre of mass: expected finite"),
        ((1.0, (0.0, 0.0, 0.0), np.diag([1.0, 1.0, -0.1])), "without negative principal moments"),
        ((1.0, (0.0, 0.0, 0.0), np.triu(np.ones((3, 3)))), "symmetric"),
        ((1.0, (0.0, 0.0, 0.0), np.diag([1.0, 1.0, 2.1])), "triangle inequality"),
    ],
)
def test_payload_that_no_body_can_be_is_refused(values: tuple, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Payload(*values)


@pytest.mark.parametrize("values", [(math.nan, 0.0, 0.0), (1.0, 2.0), ("a", 0.0, 0.0)])
def test_wrench_that_is_no_vector_is_refused(values: tuple) -> None:
    with pytest.raises(InputError, match="wrench: torque"):
        Wrench((0.0, 0.0, 0.0), values)


def test_payload_moves_the_centre_of_mass(charmie: Model) -> None:
    position = charmie.zero_position()
    p, R = charmie.compute(position).frame("left_tool")
    before = centre_of_mass(charmie.compute(position))
    found = centre_of_mass(charmie.with_loads({"left_tool": PAYLOAD}).compute(position))
    masses = (charmie.total_mass, PAYLOAD.mass)
    moment = masses[0] * before + masses[1] * (p + R @ PAYLOAD.p_link_com)
    np.testing.assert_allclose(found, moment / sum(masses), atol=1e-12)
