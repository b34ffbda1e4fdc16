# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import numpy as np
import pytest
from scenes import POSES, in_world, pose, shapes_of

from charmie_dynamics import Model
from charmie_dynamics.visual.shapes.colors import NEUTRAL, load_color


def windings(coil: np.ndarray) -> float:
    """Turns of a curve about the z axis."""
    angle = np.unwrap(np.arctan2(coil[2:-2, 1], coil[2:-2, 0]))
    return float((angle[-1] - angle[0]) / (2.0 * math.pi))


def test_turns_of_a_spring_do_not_change_with_its_length(charmie: Model) -> None:
    counts = []
    for lift, torso in POSES:
        shapes = shapes_of(charmie, pose(charmie, lift, torso), "springs")
        assert [shape.frame for shape in shapes] == [
            "torso_spring_base",
            "lift_balance_left_spring_base",
            "lift_balance_right_spring_base",
        ]
        counts.append([windings(shape.points) for shape in shapes])
        assert len({shape.points.shape for shape in shapes}) == 1
    assert np.ptp(counts) < 1e-9
    assert counts[0][0] > 5.0


@pytest.mark.parametrize(("lift", "torso"), POSES)
def test_ends_of_a_spring_are_on_its_pins(charmie: Model, lift: float, torso: float) -> None:
    position = pose(charmie, lift, torso)
    state = charmie.compute(position)
    spring = charmie.mechanisms.springs[0]
    shape = shapes_of(charmie, position, "springs")[0]
    for end, body, point in (
        (0, spring.base_body, spring.base_point),
        (-1, spring.tip_body, spring.tip_point),
    ):
        p, R = state.frame(body)
        got = in_world(charmie, position, shape, shape.points[end])
        np.testing.assert_allclose(got, p + R @ point, atol=1e-12)


def test_spring_of_a_balance_reaches_from_its_anchor_to_the_bar(charmie: Model) -> None:
    position = pose(charmie, 0.1, 0.0)
    p_base, R_base = charmie.compute(position).frame("base")
    bar, _ = charmie.compute(position).frame("lift_balance_left_spring_tip")
    shape = shapes_of(charmie, position, "springs")[1]
    anchor = p_base + R_base @ charmie.mechanisms.balance_mechanisms[0].spring_anchor
    np.testing.assert_allclose(
        in_world(charmie, position, shape, shape.points[0]), anchor, atol=1e-12
    )
    np.testing.assert_allclose(
        in_world(charmie, position, shape, shape.points[-1]), bar, atol=1e-12
    )


@pytest.mark.parametrize(("lift", "torso"), POSES)
def test_bar_and_upright_of_a_balance_are_as_long_as_they_are(
    charmie: Model, lift: float, torso: float
) -> None:
    position = pose(charmie, lift, torso)
    state = charmie.compute(position)
    bar, upright, slider = shapes_of(charmie, position, "balance")[3:]
    part = charmie.mechanisms.balance_mechanisms[1]
    assert (bar.frame, bar.scale[2]) == ("lift_balance_right_bar", part.bar_length)
    assert (upright.frame, upright.scale[2]) == ("lift_balance_right_upright", part.link_height)
    end = np.array([0.0, 0.0, 0.5])
    foot, _ = state.frame("lift_balance_right_upright")
    tip = in_world(charmie, position, bar, end * part.bar_length)
    np.testing.assert_allclose(tip, foot, atol=1e-12)
    np.testing.assert_allclose(
        in_world(charmie, position, upright, -end * part.link_height), foot, atol=1e-12
    )
    # the slider is on top of it, in the slot of the carried body
    p, _ = state.frame(part.carried_body)
    slot = p[2] + part.carried_point_z
    assert in_world(charmie, position, slider, np.zeros(3))[2] == pytest.approx(slot, abs=1e-12)


@pytest.mark.parametrize(("lift", "torso"), POSES)
def test_tube_and_rod_reach_from_pin_to_pin(charmie: Model, lift: float, torso: float) -> None:
    position = pose(charmie, lift, torso)
    state = charmie.compute(position)
    shapes = {shape.frame: shape for shape in shapes_of(charmie, position, "actuators")}
    for actuator in charmie.mechanisms.linear_actuators:
        tube, rod = (shapes[f"{actuator.name}_{piece}"] for piece in ("tube", "rod"))
        near = in_world(charmie, position, tube, np.array([0.0, 0.0, -0.5 * tube.scale[2]]))
        far = in_world(charmie, position, rod, np.array([0.0, 0.0, 0.5 * rod.scale[2]]))
        for got, body, point in (
            (near, actuator.base_body, actuator.base_point),
            (far, actuator.tip_body, actuator.tip_point),
        ):
            p, R = state.frame(body)
            np.testing.assert_allclose(got, p + R @ point, atol=1e-12)
        length = position[charmie.actuator_names.index(actuator.name)]
        assert tube.scale[2] < length < tube.scale[2] + rod.scale[2]


def test_tube_has_the_colour_of_its_share_of_the_rated_force(charmie: Model) -> None:
    position = pose(charmie, 0.1, -0.9)
    state = charmie.compute(position)
    colors = {shape.frame: shape.color for shape in shapes_of(charmie, position, "actuators")}
    for actuator in charmie.mechanisms.linear_actuators:
        effort = state.actuator_effort[charmie.actuator_names.index(actuator.name)]
        share = float(effort / actuator.limit.effort)
        assert colors[f"{actuator.name}_tube"] == load_color(share) != NEUTRAL


def test_spring_has_the_colour_of_its_tension(charmie: Model) -> None:
    position = pose(charmie, 0.1, -0.9)
    tension = charmie.compute(position).spring_tension["torso_spring"]
    part = charmie.mechanisms.springs[0]
    rated = part.pretension + 0.5 * part.stiffness * part.free_length
    spring = shapes_of(charmie, position, "springs")[0]
    assert spring.color == load_color(-float(tension / rated)) != NEUTRAL
