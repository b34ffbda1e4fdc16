# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies slide, stick, roll, spin and stand as they are known to."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from small_worlds import GROUND, world

from charmie_dynamics.simulation import world_of

SOFT = "normal: hunt_crossley, stiffness: 1.0e6, restitution: 0.5"
STICKS = (
    "friction: elasto_plastic, kinetic: 0.5, tangential_stiffness: 1.0e5, tangential_damping: 150.0"
)
BOX = "box: {shape: box, size: [0.3, 0.3, 0.1], mass: 1.0, pose: [0, 0, 0.05, 0, 0, 0]}"
TANGENT = 0.3


def on_slope(tangent: float) -> str:
    """Return gravity as seen from a slope that descends along x."""
    angle = math.atan(tangent)
    return f"[{9.81 * math.sin(angle)!r}, 0, {-9.81 * math.cos(angle)!r}]"


def gravity_on(tangent: float) -> list[float]:
    """Return the numbers of `on_slope`."""
    return [float(x) for x in on_slope(tangent).strip("[]").split(",")]


@pytest.mark.parametrize(
    ("friction", "speed"),
    [
        ("threlfall, kinetic: 0.5, v0: 0.02", -0.02 * math.log(1.0 - TANGENT / 0.5) / 3.0),
        (
            "bengisu_akay, kinetic: 0.5, static: 0.6, v0: 0.02",
            0.02 * (1.0 - math.sqrt(1.0 - TANGENT / 0.6)),
        ),
        ("ambrosio, kinetic: 0.5, v0: 0.005, v1: 0.02", 0.005 + 0.015 * TANGENT / 0.5),
    ],
)
def test_a_block_creeps_down_a_slope_as_fast_as_its_law_says(friction: str, speed: float) -> None:
    slope = world(f"{SOFT}, friction: {friction}", GROUND, BOX, gravity=on_slope(TANGENT))
    run = slope.simulate(2.0, integrator="rk4")
    assert run.twist("box").linear[-1] == pytest.approx([speed, 0.0, 0.0], abs=1e-6)


def test_a_block_on_a_slope_sticks_with_elasto_plastic_friction() -> None:
    slope = world(f"{SOFT}, {STICKS}", GROUND, BOX, gravity=on_slope(TANGENT))
    run = slope.simulate(10.0, integrator="rk4", times=np.linspace(0.0, 10.0, 101))
    moved = run.pose("box")[0][:, 0]
    # of the load on four corners by their springs, and what is lost until they bear it
    assert 0.0 < moved[-1] < 1e-3
    assert np.ptp(moved[run.time > 1.0]) < 1e-9
    forces = run.contacts.force_on("box", run.time)[-1]
    assert forces == pytest.approx([-x for x in gravity_on(TANGENT)], abs=1e-6)


def test_a_block_beyond_its_cone_slides_with_constant_acceleration() -> None:
    slope = world(f"{SOFT}, {STICKS}", GROUND, BOX, gravity=on_slope(0.8))
    run = slope.simulate(1.0, integrator="rk4")
    speed, half = run.twist("box").linear[:, 0], len(run.time) // 2
    along, _, down = gravity_on(0.8)
    # bristles that are dragged faster than a step resolves hold a little less than they should
    found = (speed[-1] - speed[half]) / (run.time[-1] - run.time[half])
    assert found == pytest.approx(along + 0.5 * down, rel=5e-3)


def test_a_ball_rolls_down_a_slope_without_slip() -> None:
    ball = "ball: {shape: sphere, size: [0.1], mass: 2.0, pose: [0, 0, 0.1, 0, 0, 0]}"
    slope = world(f"{SOFT}, {STICKS}", GROUND, ball, gravity=on_slope(TANGENT))
    run = slope.simulate(2.0, integrator="rk4")
    motion, half = run.twist("ball"), len(run.time) // 2
    gained = motion.linear[-1, 0] - motion.linear[half, 0]
    acceleration = gained / (run.time[-1] - run.time[half])
    # the ball is pressed in: 5/7 for an arm as long as its radius
    arm = run.pose("ball")[0][-1, 2] - run.contacts.point[-1, 2]
    share = 1.0 / (1.0 + 0.4 * (0.1 / arm) ** 2)
    assert share == pytest.approx(5.0 / 7.0, rel=5e-3)
    assert acceleration == pytest.approx(share * gravity_on(TANGENT)[0], rel=1e-5)
    assert motion.linear[-1, 0] == pytest.approx(arm * motion.angular[-1, 1], rel=1e-4)


TOP = """<robot name="top"><link name="top">
<inertial><origin xyz="0 0 {l}"/><mass value="0.5"/>
<inertia ixx="{a}" iyy="{a}" izz="{c}" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.01"/></geometry></collision></link></robot>"""


def test_a_top_on_a_smooth_floor_precesses_steadily(tmp_path: Path) -> None:
    """With the centre of mass at rest: (C s - A p cos t) p = m g l, about that centre."""
    length, across, axial, tilt, precession = 0.06, 4e-4, 6e-4, 0.4, 5.0
    weight, stiffness = 0.5 * 9.81, 1e6
    (tmp_path / "top.urdf").write_text(TOP.format(l=length, a=across, c=axial))
    # spin about the axis, from which the whole of the angular velocity follows
    spin = (weight * length / precession + across * precession * math.cos(tilt)) / axial
    axis = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    angular = precession * np.array([0.0, 0.0, 1.0])
    angular += (spin - precession * math.cos(tilt)) * axis
    linear = -np.cross(angular, length * axis)  # of the tip, so that the centre rests
    twist = [*linear.tolist(), *angular.tolist()]
    height = 0.01 - weight / stiffness
    top = (
        f"top: {{urdf: top.urdf, moves: free, pose: [0, 0, {height!r}, 0, {tilt}, 0], "
        f"twist: {twist}}}"
    )
    text = (
        f"contacts: {{default: {{normal: hooke, stiffness: {stiffness}}}}}\n"
        f"entities:\n  {GROUND}\n  {top}\n"
    )
    run = world_of(text, tmp_path).simulate(2.0, rtol=1e-9, atol=1e-12)
    tip, q = run.pose("top")
    x, y, z, w = q.T
    pointing = np.array(
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)]
    ).T
    assert np.arccos(pointing[:, 2]) == pytest.approx(tilt, abs=1e-5)
    turned = np.unwrap(np.arctan2(pointing[:, 1], pointing[:, 0]))
    assert turned == pytest.approx(precession * run.time, abs=1e-4)
    assert tip + length * pointing == pytest.approx(
        np.tile([length * axis[0], 0.0, height + length * axis[2]], (len(tip), 1)), abs=1e-6
    )
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.kinetic[0]


def test_a_stack_of_boxes_stands() -> None:
    boxes = [
        f"box{k}: {{shape: box, size: [0.1, 0.1, 0.1], mass: {1.0 + k}, "
        f"pose: [{0.004 * k}, 0, {0.05 + 0.1 * k}, 0, 0, {0.05 * k}]}}"
        for k in range(3)
    ]
    stack = world(
        "normal: hunt_crossley, stiffness: 1.0e5, exponent: 1.5, restitution: 0.3, " + STICKS,
        GROUND, *boxes,
    )  # fmt: skip
    run = stack.simulate(1.0, integrator="rk4", times=np.linspace(0.0, 1.0, 11))
    assert np.abs(run.energy.error).max() < 1e-6
    for k in range(3):
        position, quaternion = run.pose(f"box{k}")
        # each contact gives way by some 2 mm
        assert position[-1] == pytest.approx(position[0], abs=8e-3)
        assert quaternion[-1] == pytest.approx(quaternion[0], abs=1e-2)
        assert np.abs(run.twist(f"box{k}").linear[-1]).max() < 1e-3
    total = run.contacts.of("ground").force_on("box0", run.time)[-1]
    assert total == pytest.approx([0.0, 0.0, 6.0 * 9.81], abs=0.1)
