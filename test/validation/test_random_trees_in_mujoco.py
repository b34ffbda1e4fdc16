# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random trees with springs and dampers between bodies against MuJoCo."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import mujoco
import numpy as np
import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "unit"), str(TESTS / "combinations")]

from descriptions import Description, of_quaternion  # noqa: E402
from generator import JointPlan, Plan, add_damped_spring, described  # noqa: E402
from situations import DescribedSituation, assert_close  # noqa: E402

KINDS = "revolute", "prismatic", "continuous", "fixed"
TYPES = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "floating": "free"}


def robot_of(seed: int) -> Description:
    """Return a tree whose springs MuJoCo has: without pretension, slack ones without damper."""
    rng = np.random.default_rng(seed)
    kinds = ["floating" if seed % 2 else "revolute", *rng.choice(KINDS, 5)]
    parents = [int(rng.integers(n > 0, n + 1)) for n in range(len(kinds))]
    joints = tuple(JointPlan(str(k), n, False) for k, n in zip(kinds, parents, strict=True))
    robot = described(Plan(joints, ("gravity",), seed)).copy()
    for _ in range(3):
        add_damped_spring(robot, rng)
    for spring in robot.section("springs").values():
        spring["pretension"] = 0.0
        spring["damping"] *= spring["acts"] == "both"
    return robot


def text(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)


def mjcf(robot: Description) -> str:
    sites = {link.name: "" for link in robot.links}
    tendons = ""
    for name, spring in robot.section("springs").items():
        for end in ("base", "tip"):
            at = text(spring[f"{end}_point"])
            sites[spring[f"{end}_body"]] += f'<site name="{name}_{end}" pos="{at}"/>'
        free = spring["free_length"]
        rest = text([free] if spring["acts"] == "both" else [0.0, free])
        law = f'stiffness="{spring["stiffness"]!r}" damping="{spring["damping"]!r}"'
        ends = "".join(f'<site site="{name}_{end}"/>' for end in ("base", "tip"))
        tendons += f'<spatial springlength="{rest}" {law}>{ends}</spatial>'

    def content(link: str) -> str:
        parts = sites[link]
        for joint in (each for each in robot.joints if each.parent == link):
            carried = robot.link(joint.child)
            x, y = joint.R.T[:2]
            parts += f'<body pos="{text(joint.p)}" xyaxes="{text([*x, *y])}">'
            if joint.kind in TYPES:
                axis = f'type="{TYPES[joint.kind]}" axis="{text(joint.axis)}"'
                parts += f'<joint name="{joint.name}" {axis}/>'
            if carried.mass:
                I = carried.inertia  # noqa: E741
                moments = text([*np.diag(I), I[0, 1], I[0, 2], I[1, 2]])
                parts += (
                    f'<inertial pos="{text(carried.com)}" mass="{carried.mass!r}" '
                    f'fullinertia="{moments}"/>'
                )
            parts += content(joint.child) + "</body>"
        return parts

    gravity = text(robot.mechanisms["gravity"])
    return (
        f'<mujoco><compiler angle="radian" autolimits="false"/><option gravity="{gravity}"/>'
        f"<worldbody>{content(robot.links[0].name)}</worldbody><tendon>{tendons}</tendon></mujoco>"
    )


@pytest.mark.parametrize("seed", range(30))
def test_efforts_and_accelerations_agree(seed: int) -> None:
    robot = robot_of(seed)
    s = DescribedSituation(robot)
    theirs = mujoco.MjModel.from_xml_string(mjcf(robot))
    data = mujoco.MjData(theirs)
    ratio = np.zeros((theirs.nv, len(s.v)))  # of their velocities to those of the model
    drift = np.zeros(theirs.nv)
    for joint in robot.independent(*TYPES):
        own = theirs.joint(joint.name)
        q, v = own.qposadr[0], own.dofadr[0]
        x, rates, _ = robot.motion[joint.name]
        if joint.kind == "floating":
            # from the frame of the parent, the root, to the world; their quaternions begin with w
            first = s.model.velocity_names.index(f"{joint.name}/vx")
            R = joint.R @ of_quaternion(x[3:])
            data.qpos[q : q + 3] = joint.p + joint.R @ x[:3]
            mujoco.mju_mat2Quat(data.qpos[q + 3 : q + 7], R.ravel())
            ratio[v : v + 3, first : first + 3] = R
            ratio[v + 3 : v + 6, first + 3 : first + 6] = np.eye(3)
            drift[v : v + 3] = R @ np.cross(rates[3:], rates[:3])
        else:
            data.qpos[q] = x[0]
            ratio[v, s.model.velocity_names.index(joint.name)] = 1.0
    data.qvel[:], data.qacc[:] = ratio @ s.v, ratio @ s.a + drift
    mujoco.mj_inverse(theirs, data)
    assert_close(s.efforts(s.state), ratio.T @ data.qfrc_inverse, 1e-10)
    effort = np.zeros(len(s.v))
    effort[s.model.actuator_index] = s.effort
    data.qfrc_applied[:] = np.linalg.solve(ratio.T, effort)
    mujoco.mj_forward(theirs, data)
    found = s.model.forward(s.x, s.v, s.effort).acceleration
    assert_close(ratio @ found + drift, data.qacc, 1e-8)
