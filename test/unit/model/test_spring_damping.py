# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Springs with dampers, and springs that push: a slide in line with its spring, and an arm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.errors import ModelFileError

URDF = """
<robot name="buffer">
  <link name="base"/>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="cart"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="cart"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="cart"/><child link="arm"/>
    <origin xyz="0 0.1 0.2" rpy="0.3 0 0"/><axis xyz="0 1 0"/></joint>
  <link name="arm"><inertial><origin xyz="0.2 0 0.1"/><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
</robot>"""
STIFFNESS, DAMPING, FREE_LENGTH = 100.0, 8.0, 0.5


def buffer(folder: Path, tip: str = "cart", point: str = "[0.5, 0, 0]", more: str = "") -> Model:
    urdf, mechanisms = folder / "buffer.urdf", folder / "buffer.yaml"
    urdf.write_text(URDF, encoding="utf-8")
    mechanisms.write_text(
        f"springs:\n  spring: {{base_body: base, base_point: [0, 0, 0], tip_body: {tip}, "
        f"tip_point: {point}, stiffness: {STIFFNESS}, free_length: {FREE_LENGTH}{more}}}\n",
        encoding="utf-8",
    )
    return load_model(urdf=urdf, mechanisms=mechanisms)


@pytest.mark.parametrize(
    ("acts", "slide", "speed", "tension"),
    [
        ("tension", 0.1, 0.5, 14.0),
        ("tension", 0.1, -0.5, 6.0),
        ("tension", 0.1, -5.0, 0.0),  # 10 - 40: it would have to push
        ("tension", -0.1, 5.0, 0.0),
        ("both", 0.1, -5.0, -30.0),
        ("both", -0.1, 0.5, -6.0),
    ],
)
def test_a_spring_pulls_by_its_length_and_its_rate(
    tmp_path: Path, acts: str, slide: float, speed: float, tension: float
) -> None:
    model = buffer(tmp_path, more=f", damping: {DAMPING}, acts: {acts}")
    state = model.compute((slide, 0.0), (speed, 0.0))
    assert state.spring_tension["spring"] == pytest.approx(tension, abs=1e-12)
    # the actuator of the slide holds the spring
    moved = state.actuator_effort[0]
    free = buffer(tmp_path).compute((-0.2, 0.0), (speed, 0.0)).actuator_effort[0]
    assert moved - free == pytest.approx(tension, abs=1e-12)


def test_the_energy_of_a_spring_that_pushes_is_that_of_its_law(tmp_path: Path) -> None:
    model = buffer(tmp_path, more=f", pretension: 3, damping: {DAMPING}, acts: both")
    energy = model.energy((-0.1, 0.0), (2.0, 0.0))
    assert energy.elastic == pytest.approx(0.5 * STIFFNESS * 0.01 - 0.3)


@pytest.mark.parametrize("acts", ["tension", "both"])
@pytest.mark.parametrize("speed", [0.3, 9.0])  # so fast that it would have to push
def test_derivatives_hold_the_dampers(tmp_path: Path, acts: str, speed: float) -> None:
    model = buffer(tmp_path, "arm", "[0.7, 0.3, 0.2]", f", damping: {DAMPING}, acts: {acts}")
    position, velocity = np.array((0.2, 0.3)), np.array((-speed, 0.4))
    acceleration = np.array((1.0, 2.0))
    found = model.derivatives(position, velocity, acceleration)
    step = 1e-6
    for k, unit in enumerate(np.eye(2)):
        for matrix, changed in (
            (found.effort_by_position, (step * unit, 0.0)),
            (found.effort_by_velocity, (0.0, step * unit)),
        ):
            above, below = (
                model.compute(
                    position + sign * changed[0], velocity + sign * changed[1], acceleration
                ).actuator_effort
                for sign in (1.0, -1.0)
            )
            expected = (above - below) / (2.0 * step)
            np.testing.assert_allclose(matrix[:, k], expected, rtol=1e-6, atol=1e-6)


def test_derivatives_count_a_damper_next_to_a_linear_actuator_once(tmp_path: Path) -> None:
    ram = (
        "}\nlinear_actuators:\n  ram: {joint: hinge, base_body: cart, "
        "base_point: [0.3, 0.1, -0.1], tip_body: arm, tip_point: [0.3, 0, 0.2]"
    )
    damping = f", damping: {DAMPING}, acts: both"
    model = buffer(tmp_path, "arm", "[0.7, 0.3, 0.2]", damping + ram)
    length, rate, _ = model.actuator_from_joint("hinge", 0.3, 0.8)
    position, velocity, step = np.array([0.2, length]), np.array([-0.3, rate]), 1e-6
    found = model.derivatives(position, velocity).effort_by_position
    for k, unit in enumerate(step * np.eye(2)):
        above, below = (
            model.compute(position + sign * unit, velocity).actuator_effort for sign in (1.0, -1.0)
        )
        np.testing.assert_allclose(
            found[:, k], (above - below) / (2.0 * step), rtol=1e-6, atol=1e-5
        )


@pytest.mark.parametrize(
    ("more", "expected"),
    [(", damping: -1", "damping"), (", acts: push", "acts"), (", damped: 1", "damping")],
)
def test_what_no_spring_can_be_is_refused(tmp_path: Path, more: str, expected: str) -> None:
    with pytest.raises(ModelFileError, match=expected):
        buffer(tmp_path, more=more)
