# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The files for MoveIt, Nav2 and ros2_control agree with the robot."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

from charmie_dynamics import Model, load_model
from charmie_dynamics.collision.contact_shape import shapes_of_robot
from charmie_dynamics.execution.groups import groups_of
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.motions.trajectory import columns_of
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import SelfCollisionPairs, load_world, self_collision_pairs

BASE_JOINTS = ("base_x_joint", "base_y_joint", "base_yaw_joint")


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


def read(*parts: str) -> Any:
    return yaml.safe_load(share_file("config", *parts).read_text(encoding="utf-8"))


def parsed(*parts: str) -> ElementTree.Element:
    return ElementTree.fromstring(share_file("config", *parts).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def srdf() -> ElementTree.Element:
    return parsed("moveit", "charmie.srdf")


@pytest.fixture(scope="module")
def controllers() -> dict[str, Any]:
    return read("moveit", "moveit_controllers.yaml")["moveit_simple_controller_manager"]


@pytest.fixture(scope="module")
def pairs(model: Model) -> SelfCollisionPairs:
    return self_collision_pairs(model, samples=2000)


def joints_of(group: ElementTree.Element, model: Model) -> list[str]:
    """Return the independent joints of a group of an SRDF: of its chain, or its own."""
    chain = group.find("chain")
    if chain is None:
        names = [joint.get("name", "") for joint in group.findall("joint")]
    else:
        names, link = [], chain.get("tip_link", "")
        while link != chain.get("base_link"):
            joint = model.tree.joint_of(link)
            assert joint is not None, f"{link} is the root: the chain has no such base"
            names.insert(0, joint.name)
            link = joint.parent
    return [name for name in names if name in model.joint_names]


def joint_position(model: Model, name: str) -> float:
    """Return the position of a joint of the tree in the rest pose."""
    positions = model.kinematics(model.rest_position()).kinematics.joint_position
    return float(positions[model.joint_names.index(name)])


def test_groups_of_moveit_are_the_groups_of_the_controller(
    srdf: ElementTree.Element, model: Model
) -> None:
    found = {
        group.get("name"): tuple(columns_of(model, joints_of(group, model)))
        for group in srdf.findall("group")
    }
    assert found == {name: group.columns for name, group in groups_of(model).items()}


def test_every_name_of_the_srdf_exists_in_the_urdf(srdf: ElementTree.Element, model: Model) -> None:
    joints = {joint.name for joint in model.tree.joints}
    assert {e.get("name") for e in srdf.iter("joint")} <= joints
    attributes = ("link1", "link2", "base_link", "tip_link", "child_link", "parent_link")
    links = {e.get(name) for e in srdf.iter() for name in attributes if e.get(name) is not None}
    assert links and links <= set(model.tree.links)
    (virtual,) = srdf.findall("virtual_joint")
    assert virtual.get("child_link") == model.tree.root
    groups = {group.get("name") for group in srdf.findall("group")}
    for end in srdf.findall("end_effector"):
        assert {end.get("group"), end.get("parent_group")} <= groups


def test_poses_are_within_limits_and_rest_is_the_rest_pose(
    srdf: ElementTree.Element, model: Model
) -> None:
    rest = set()
    for state in srdf.findall("group_state"):
        for joint in state.findall("joint"):
            name, value = joint.get("name", ""), float(joint.get("value", "nan"))
            limit = next(j.limit for j in model.tree.joints if j.name == name)
            assert limit.lower <= value <= limit.upper, name
            if state.get("name") == "rest":
                rest.add(name)
                assert value == pytest.approx(joint_position(model, name), abs=1e-4)
    assert rest == set(model.joint_names)


def test_exactly_the_pairs_that_cannot_touch_are_disabled(
    srdf: ElementTree.Element, model: Model, pairs: SelfCollisionPairs
) -> None:
    disabled = {
        (*sorted((e.get("link1", ""), e.get("link2", ""))), e.get("reason"))
        for e in srdf.findall("disable_collisions")
    }
    # those of 50 000 samples
    touching = {tuple(pair) for pair in load_world_self("kitchen")}
    solid = sorted({shape.link for shape in shapes_of_robot(model.tree, model.mechanisms)})
    expected = {
        (*pair, "Adjacent" if pair in pairs.adjacent else "Never")
        for pair in itertools.combinations(solid, 2)
        if pair not in touching
    }
    assert disabled == expected, json.dumps(sorted(expected), indent=1)
    # an own sample, of other poses
    assert not pairs.always and set(pairs.sometimes) <= touching


def load_world_self(name: str) -> list[list[str]]:
    """Return the pairs of links of CHARMIE that can touch in a world."""
    text = share_file("worlds", f"{name}.yaml").read_text(encoding="utf-8")
    found: list[list[str]] = yaml.safe_load(text)["entities"]["charmie"]["self"]
    return found


def test_controllers_of_moveit_are_those_of_the_controller_node(
    controllers: dict[str, Any], model: Model
) -> None:
    groups = groups_of(model)
    assert controllers["controller_names"] == [f"{name}_controller" for name in groups]
    assert set(controllers) == {"controller_names", *controllers["controller_names"]}
    for name, group in groups.items():
        entry = controllers[f"{name}_controller"]
        assert tuple(columns_of(model, entry["joints"])) == group.columns
        assert set(entry["joints"]) <= set(model.joint_names)
        kind = ("gripper_cmd", "GripperCommand")
        if not group.is_gripper:
            kind = ("follow_joint_trajectory", "FollowJointTrajectory")
        assert (entry["action_ns"], entry["type"]) == kind


def test_velocity_limits_of_moveit_are_those_of_the_urdf(model: Model) -> None:
    limits = read("moveit", "joint_limits.yaml")["joint_limits"]
    rated = {joint.name: joint.limit.velocity for joint in model.tree.joints}
    assert {name: limit["max_velocity"] for name, limit in limits.items()} == {
        name: rated[name] for name in model.joint_names
    }


def test_accelerations_of_moveit_need_no_more_than_the_rated_efforts(model: Model) -> None:
    file = read("moveit", "joint_limits.yaml")
    scale = file["default_acceleration_scaling_factor"]
    equations = model.equations(model.rest_position())
    for group in groups_of(model).values():
        # joints that linear actuators move have other units; their accelerations are small
        if not set(group.names) <= set(file["joint_limits"]):
            continue
        columns = list(group.columns)
        most = [scale * file["joint_limits"][name]["max_acceleration"] for name in group.names]
        inertial = np.abs(equations.mass_matrix[np.ix_(columns, columns)]) @ most
        static = np.abs(equations.gravity_effort + equations.spring_effort)[columns]
        rated = [model.actuator_limits()[k].effort for k in columns]
        assert (inertial + static <= rated).all(), group.name


def test_inverse_kinematics_are_of_the_chains(srdf: ElementTree.Element) -> None:
    chains = {g.get("name") for g in srdf.findall("group") if g.find("chain") is not None}
    assert set(read("moveit", "kinematics.yaml")) == chains


def leaves(node: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """Return paths and values of all entries of a parsed YAML file."""
    if not isinstance(node, dict):
        return [(path, node)]
    return [leaf for key, value in node.items() for leaf in leaves(value, (*path, key))]


@pytest.fixture(scope="module")
def nav2() -> dict[str, Any]:
    return read("nav2.yaml")


def test_the_footprint_contains_wheels_and_platform(nav2: dict[str, Any], model: Model) -> None:
    state = model.kinematics(model.rest_position())
    (p_base, R_base), (p_foot, R_foot) = (state.frame(n) for n in ("base", "base_footprint"))
    shapes = shapes_of_robot(model.tree, model.mechanisms)
    points = [
        model.mechanisms.wheel_contacts,
        *(s.p_link_shape + s.corners @ s.R_link_shape.T for s in shapes if s.link == "base"),
    ]
    in_foot = ((np.concatenate(points) @ R_base.T + p_base) - p_foot) @ R_foot
    texts = [value for path, value in leaves(nav2) if path[-1] == "footprint"]
    assert len(texts) == 2
    for text in texts:
        assert is_inside(in_foot[:, :2], np.array(json.loads(text)))


def is_inside(points: Floats, polygon: Floats) -> bool:
    """Return whether points (n, 2) are in a convex polygon (k, 2) that turns to the left."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    relative = points[:, None] - polygon
    return bool((edges[:, 0] * relative[..., 1] - edges[:, 1] * relative[..., 0] >= 0.0).all())


def test_velocities_of_nav2_are_at_most_the_rated_ones(nav2: dict[str, Any], model: Model) -> None:
    rated = [next(j.limit.velocity for j in model.tree.joints if j.name == n) for n in BASE_JOINTS]
    path = nav2["controller_server"]["ros__parameters"]["FollowPath"]
    smoother = nav2["velocity_smoother"]["ros__parameters"]
    for velocity in (
        [path[name] for name in ("vx_max", "vy_max", "wz_max")],
        smoother["max_velocity"],
        np.negative(smoother["min_velocity"]),
    ):
        assert (np.array(velocity) > 0.0).all() and (np.array(velocity) <= rated).all()


def test_nav2_has_the_frames_and_topics_of_the_robot(nav2: dict[str, Any], model: Model) -> None:
    frames = {
        value
        for path, value in leaves(nav2)
        if path[-1].endswith(("_frame", "frame_id", "base_frame")) or path[-1] == "global_frame"
    }
    assert frames == {"map", "odom", "base_footprint"}
    assert "base_footprint" in model.frame_names
    topics = {str(v).lstrip("/") for path, v in leaves(nav2) if path[-1].endswith("topic")}
    assert {"scan", "odom", "cmd_vel"} <= topics
    stamped = {v for path, v in leaves(nav2) if path[-1] == "enable_stamped_cmd_vel"}
    assert stamped == {False}  # as the simulator's stamped_cmd_vel
    assert all(key == "ros__parameters" for key in keys_of_nodes(nav2))


def keys_of_nodes(file: dict[str, Any]) -> list[str]:
    """Return the keys below the names of nodes; costmaps are in a namespace of their name."""
    nodes = [
        entry[name] if name in entry else entry  # type: ignore[operator]
        for name, entry in file.items()
    ]
    return [key for node in nodes for key in node]


def test_every_plugin_of_nav2_has_a_type(nav2: dict[str, Any]) -> None:
    for path, names in leaves(nav2):
        if path[-1].endswith("plugins"):
            section = nav2
            for key in path[:-1]:
                section = section[key]
            assert all("::" in section[name]["plugin"] for name in names), path


def test_the_room_is_visible_to_the_scanner_and_apart_from_the_robot() -> None:
    world = load_world("room")
    world.require_apart()


def hardware_joints() -> dict[str, ElementTree.Element]:
    found = parsed("ros2_control", "charmie.ros2_control.urdf").findall("ros2_control/joint")
    return {joint.get("name", ""): joint for joint in found}


def test_the_hardware_starts_in_the_rest_pose_of_joints_that_the_simulator_publishes(
    model: Model,
) -> None:
    joints = hardware_joints()
    assert set(joints) <= set(model.actuator_names) & set(model.joint_names)
    for name, joint in joints.items():
        (command,) = joint.findall("command_interface")
        assert command.get("name") == "position"
        initial = joint.findtext("state_interface/param[@name='initial_value']")
        assert float(initial or "nan") == pytest.approx(joint_position(model, name)), name
        # the hardware of Jazzy fails at a value of `joint_states` without its interface
        states = [each.get("name") for each in joint.findall("state_interface")]
        assert states == ["position", "velocity", "effort"]


def test_controllers_of_ros2_control_are_groups_with_hardware(model: Model) -> None:
    file = read("ros2_control", "controllers.yaml")
    manager = file.pop("controller_manager")["ros__parameters"]
    joints, groups = set(hardware_joints()), groups_of(model)
    expected = {
        f"{name}_controller": list(group.names)
        for name, group in groups.items()
        if set(group.names) <= joints
    }
    found: dict[str, Sequence[str]] = {}
    for name, entry in file.items():
        values = entry["ros__parameters"]
        found[name] = values.get("joints") or [values["joint"]]
        is_gripper = groups[name[: -len("_controller")]].is_gripper
        # a goal may name some of the joints, as in the tutorial
        assert is_gripper or values["allow_partial_joints_goal"] is True
        assert manager[name]["type"].endswith(
            "GripperActionController" if is_gripper else "JointTrajectoryController"
        )
    assert found == expected
