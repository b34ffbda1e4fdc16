# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CHARMIE on Swedish wheels: what the paper counts, what its suspension does, and its equations."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest

from charmie_dynamics import Model, Wrench, load_model
from charmie_dynamics.model.description.mechanisms.springs import Spring

CORNERS = tuple(f"{end}_{side}" for end in ("front", "rear") for side in ("left", "right"))
RADIUS = 0.1015  # m
ARM = 0.14  # m, from the axis of a suspension arm to the axle
LEVER = 0.11  # m, of the strut about that axis
GRAVITY = 9.81


@pytest.fixture(scope="module")
def robot() -> Model:
    return load_model("charmie_wheeled")


def strut_of(model: Model) -> Spring:
    return next(spring for spring in model.mechanisms.springs if spring.name == "front_left_strut")


def test_it_has_36_degrees_of_freedom(robot: Model) -> None:
    names = robot.velocity_names
    by_kind = {
        "base": [name for name in names if name.startswith("base_joint/")],
        "suspension": [name for name in names if name.endswith("_suspension_joint")],
        "wheels": [name for name in names if name.endswith("_wheel_joint")],
        "rollers": [name for name in names if name.endswith("_roller_joint")],
        "hip": [name for name in names if name in ("lift_actuator", "torso_actuator")],
        "arms": [name for name in names if "_arm_joint_" in name or "_gripper_" in name],
        "head": [name for name in names if name.startswith("neck_")],
    }
    assert [len(found) for found in by_kind.values()] == [6, 4, 4, 4, 2, 14, 2]
    assert len(names) == sum(len(found) for found in by_kind.values()) == 36


def test_bodies_and_joints_add_up_to_those_of_the_paper(robot: Model) -> None:
    """As the table in docs/robot.md counts them."""
    links, mechanisms = robot.tree.links, robot.mechanisms
    moved = [joint for joint in robot.tree.joints if joint.mimic is None]
    with_mass = [joint for joint in moved if links[joint.child].inertial is not None]
    assert len(with_mass) == 32  # base included
    struts = [spring for spring in mechanisms.springs if spring.acts == "both"]
    telescopes = len(struts) + len(mechanisms.linear_actuators)
    bare = len(mechanisms.springs) - len(struts) + 2 * len(mechanisms.balance_mechanisms)
    floor = 1
    assert floor + len(with_mass) + 2 * telescopes == 45
    joints = [joint for joint in with_mass if joint.type != "floating"]
    assert len(joints) + 3 * telescopes + bare == 54


def test_it_weighs_what_the_robot_on_a_sliding_base_does(robot: Model, charmie: Model) -> None:
    assert robot.total_mass == pytest.approx(charmie.total_mass, abs=1e-9)
    assert robot.warnings == ()


def test_left_and_right_are_mirrored(robot: Model) -> None:
    state = robot.compute(robot.zero_position())
    mirror = np.diag([-1.0, 1.0, 1.0])
    for end in ("front", "rear"):
        for part in ("suspension_arm", "wheel", "roller"):
            bodies = []
            for side in ("left", "right"):
                name = f"{end}_{side}_{part}"
                p, R = state.frame(name)
                inertial = robot.tree.links[name].inertial
                assert inertial is not None
                inertia = R @ inertial.inertia @ R.T
                bodies.append((inertial.mass, p + R @ inertial.p_link_com, inertia))
            (m, c, J), (m_right, c_right, J_right) = bodies
            assert m == m_right
            np.testing.assert_allclose(mirror @ c_right, c, atol=1e-12)
            np.testing.assert_allclose(mirror @ J_right @ mirror, J, atol=1e-12)


def test_each_roller_turns_about_the_direction_that_the_mechanisms_file_gives(robot: Model) -> None:
    state = robot.compute(robot.zero_position())
    for corner in CORNERS:
        wheel, roller = (robot.tree.joint_of(f"{corner}_{part}") for part in ("wheel", "roller"))
        assert wheel is not None
        assert roller is not None
        axle = state.frame(wheel.child)[1] @ wheel.axis
        angle = robot.mechanisms.rollers[wheel.child].angle
        cosine, sine = math.cos(angle), math.sin(angle)
        turned = (cosine * axle[0] - sine * axle[1], sine * axle[0] + cosine * axle[1], axle[2])
        np.testing.assert_allclose(state.frame(roller.child)[1] @ roller.axis, turned, atol=1e-12)
        # the four axes form a diamond: each is square to the way from the middle to its wheel
        assert abs(np.dot(turned[:2], state.frame(wheel.child)[0][:2])) < 1e-12


def test_spheres_of_the_wheels_touch_the_floor_where_the_contacts_are(robot: Model) -> None:
    state = robot.compute(robot.zero_position())
    p_base, _ = state.frame("base")
    contacts = [p_base + np.array(point) for point in robot.mechanisms.wheel_contacts]
    for corner, contact in zip(CORNERS, contacts, strict=True):
        link = ElementTree.fromstring(robot.tree.urdf).find(f"link[@name='{corner}_wheel']")
        assert link is not None
        sphere = link.find("collision/geometry/sphere")
        assert sphere is not None
        assert float(sphere.get("radius", "0")) == RADIUS
        centre = state.frame(f"{corner}_wheel")[0]
        np.testing.assert_allclose(centre - contact, (0.0, 0.0, RADIUS), atol=1e-12)


class Stance:
    """The robot on a floor: base and suspension such that the loads of the floor hold it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        joints = [f"{corner}_suspension_joint" for corner in CORNERS]
        self.in_position = [model.position_names.index(name) for name in joints]
        self.actuators = [model.actuator_names.index(name) for name in joints]
        unknown = np.append(np.zeros(7), np.full(4, 0.25 * model.total_mass * GRAVITY))
        for _ in range(6):
            fault = self.fault(unknown)
            slope = np.array([(self.fault(unknown + h) - fault) / 1e-6 for h in 1e-6 * np.eye(11)])
            unknown = unknown - np.linalg.solve(slope.T, fault)
        assert np.abs(self.fault(unknown)).max() < 1e-9
        self.drop = -float(unknown[0])  # m
        self.angles, self.loads = unknown[3:7], unknown[7:]  # rad, N

    def fault(self, unknown: np.ndarray) -> np.ndarray:
        """Return what is missing: loads of base and arms, heights of the wheels."""
        height, roll, pitch = unknown[:3]
        position = self.model.zero_position()
        position[2] = height
        position[3:5] = 0.5 * roll, 0.5 * pitch
        position[self.in_position] = unknown[3:7]
        position = self.model.normalised_position(position)
        names = [f"{corner}_wheel" for corner in CORNERS]
        poses = self.model.kinematics(position)
        wrenches = {
            name: Wrench(force=tuple(load * poses.frame(name)[1][2]))  # upward, in the wheel's axes
            for name, load in zip(names, unknown[7:], strict=True)
        }
        state = self.model.with_loads(wrenches=wrenches).compute(position)
        heights = [state.frame(name)[0][2] - RADIUS for name in names]
        loads = state.generalized_force[2:5], state.actuator_effort[self.actuators]
        return np.concatenate([*loads, heights])


@pytest.fixture(scope="module")
def stance(robot: Model) -> Stance:
    return Stance(robot)


def test_the_wheels_carry_the_weight_evenly(robot: Model, stance: Stance) -> None:
    assert stance.loads.sum() == pytest.approx(robot.total_mass * GRAVITY, rel=1e-9)
    np.testing.assert_allclose(stance.loads, stance.loads.mean(), rtol=0.1)


def test_it_settles_by_what_the_stiffness_of_the_struts_says(robot: Model, stance: Stance) -> None:
    strut = strut_of(robot)
    by_wheel = strut.stiffness * (LEVER / ARM) ** 2
    # a strut carries neither wheel and roller nor the part of the arm that weighs on the axle
    unsprung = 1.6 + 0.1 + 1.2 * 0.1 / ARM
    expected = (stance.loads - unsprung * GRAVITY) / by_wheel
    # as the arms swing up, levers change by a percent
    np.testing.assert_allclose(ARM * np.sin(stance.angles), expected, rtol=0.02)
    assert 0.003 < stance.drop < 0.005


def test_the_suspension_is_damped_without_being_hard(robot: Model) -> None:
    ratio = (LEVER / ARM) ** 2
    strut = strut_of(robot)
    sprung = 0.25 * robot.total_mass - 1.6 - 0.1 - 1.2 * (0.1 / ARM) ** 2
    damping = strut.damping * ratio / (2.0 * math.sqrt(strut.stiffness * ratio * sprung))
    assert 0.3 < damping < 0.5
