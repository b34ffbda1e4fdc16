# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What one cycle looks like on the wire: names, order, stamps, frames."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from graph import EACH_CYCLE, LATCHED, OUTPUTS, Checker, nanoseconds, stamp_of, stamps_of
from node_process import start_dynamics_node
from robot_inputs import ACTUATORS, Inputs, named, pose
from visualization_msgs.msg import Marker

AUXILIARY = {
    *("lift_actuator_tube", "lift_actuator_rod", "torso_actuator_tube", "torso_actuator_rod"),
    *("torso_spring_base", "torso_spring_tip"),
    *(
        f"lift_balance_{side}_{part}"
        for side in ("left", "right")
        for part in ("bar", "upright", "spring_base", "spring_tip")
    ),
}


@pytest.fixture(scope="module")
def checker(folder: Any) -> Iterator[Checker]:
    """A checker that has seen three cycles of three poses, markers with each."""
    with start_dynamics_node(folder, {"marker_rate": 0.0}):
        with Checker((*OUTPUTS, *LATCHED)) as checker:
            inputs = Inputs(checker)
            checker.inputs = inputs
            for number in (1, 2, 3):
                checker.last_stamp = inputs.next_stamp()
                checker.last_cycle = inputs.cycle(pose(number), checker.last_stamp, topics=OUTPUTS)
            checker.wait_for(lambda: all(checker.received[t] for t in LATCHED), "latched topics")
            yield checker


@pytest.fixture(scope="module")
def cycle(checker: Checker) -> dict[str, Any]:
    return checker.last_cycle


@pytest.fixture(scope="module")
def urdf(checker: Checker) -> ElementTree.Element:
    return ElementTree.fromstring(checker.received["robot_description"][-1].data)


def transforms(checker: Checker, cycle: dict[str, Any]) -> dict[str, Any]:
    """Return all transforms by their child frame."""
    every = [t for m in checker.received["/tf_static"] for t in m.transforms]
    return {t.child_frame_id: t for t in [*every, *cycle["/tf"].transforms]}


@pytest.mark.parametrize("topic", OUTPUTS)
def test_every_stamp_in_a_message_is_that_of_the_joint_sample(
    checker: Checker, cycle: dict[str, Any], topic: str
) -> None:
    assert stamps_of(cycle[topic]) == {checker.last_stamp}


@pytest.mark.parametrize("topic", EACH_CYCLE)
def test_each_joint_sample_gives_one_message(checker: Checker, topic: str) -> None:
    stamps = [stamp for message in checker.received[topic] for stamp in stamps_of(message)]
    assert len(checker.received[topic]) == len(set(stamps)) == 3


def test_efforts_name_the_actuators_in_their_order(cycle: dict[str, Any]) -> None:
    assert tuple(cycle["actuator_efforts"].name) == ACTUATORS


def test_efforts_carry_the_position_of_the_actuators(cycle: dict[str, Any]) -> None:
    message = cycle["actuator_efforts"]
    assert dict(zip(message.name, message.position, strict=True)) == pose(3)


def test_efforts_carry_the_velocity_of_the_actuators(cycle: dict[str, Any]) -> None:
    assert list(cycle["actuator_efforts"].velocity) == [0.0] * len(ACTUATORS)


def test_resolved_joint_states_hold_every_movable_joint_of_the_urdf(
    cycle: dict[str, Any], urdf: ElementTree.Element
) -> None:
    movable = [j.get("name") for j in urdf.iter("joint") if j.get("type") != "fixed"]
    assert sorted(cycle["resolved_joint_states"].name) == sorted(movable)


def test_resolved_joint_states_replace_the_lengths_by_joints(cycle: dict[str, Any]) -> None:
    names = set(cycle["resolved_joint_states"].name)
    assert {"lift_joint", "torso_joint"} <= names
    assert not {"lift_actuator", "torso_actuator"} & names


def test_spring_forces_name_the_springs(cycle: dict[str, Any]) -> None:
    assert sorted(cycle["spring_forces"].name) == [
        "lift_balance_left",
        "lift_balance_right",
        "torso_spring",
    ]


@pytest.mark.parametrize("topic", ["actuator_efforts", "resolved_joint_states", "spring_forces"])
def test_all_values_of_a_joint_state_are_finite(cycle: dict[str, Any], topic: str) -> None:
    message = cycle[topic]
    values = [*message.position, *message.velocity, *message.effort]
    assert len(message.effort) == len(message.name)
    assert np.isfinite(values).all()


def test_base_wrench_is_in_the_base_frame(cycle: dict[str, Any]) -> None:
    assert cycle["base_wrench"].header.frame_id == "base"


def test_base_wrench_at_rest_carries_the_weight(cycle: dict[str, Any], model: Any) -> None:
    assert cycle["base_wrench"].wrench.force.z == pytest.approx(9.81 * model.total_mass, abs=1e-9)


def test_each_frame_has_one_parent_on_both_tf_topics(checker: Checker) -> None:
    parents: dict[str, set[str]] = {}
    for topic in ("/tf", "/tf_static"):
        for message in checker.received[topic]:
            for transform in message.transforms:
                parents.setdefault(transform.child_frame_id, set()).add(transform.header.frame_id)
    assert {child: found for child, found in parents.items() if len(found) != 1} == {}


def test_no_frame_is_on_both_tf_topics(checker: Checker) -> None:
    moving, static = (
        {t.child_frame_id for message in checker.received[topic] for t in message.transforms}
        for topic in ("/tf", "/tf_static")
    )
    assert moving & static == set()


def test_the_tree_has_one_root_which_is_odom(checker: Checker, cycle: dict[str, Any]) -> None:
    tree = transforms(checker, cycle)
    roots = {t.header.frame_id for t in tree.values()} - set(tree)
    assert roots == {"odom"}


def test_every_link_of_the_urdf_is_a_frame(
    checker: Checker, cycle: dict[str, Any], urdf: ElementTree.Element
) -> None:
    links = {link.get("name") for link in urdf.iter("link")}
    assert links - set(transforms(checker, cycle)) == set()


def test_the_auxiliary_bodies_are_frames(cycle: dict[str, Any]) -> None:
    frames = {t.child_frame_id for t in cycle["/tf"].transforms}
    assert AUXILIARY - frames == set()


def test_quaternions_have_unit_length(checker: Checker, cycle: dict[str, Any]) -> None:
    rotations = [t.transform.rotation for t in transforms(checker, cycle).values()]
    lengths = [math.hypot(q.x, q.y, q.z, q.w) for q in rotations]
    np.testing.assert_allclose(lengths, 1.0, atol=1e-12)


def test_base_link_is_base_turned_to_rep_103(checker: Checker, cycle: dict[str, Any]) -> None:
    """base has x right and y front; base_link has x forward and y left: +90 degrees about z."""
    transform = transforms(checker, cycle)["base_link"]
    q = transform.transform.rotation
    assert transform.header.frame_id == "base"
    half = math.sqrt(0.5)
    assert [q.x, q.y, abs(q.z), abs(q.w)] == pytest.approx([0.0, 0.0, half, half], abs=1e-12)
    assert q.z * q.w > 0.0


def test_base_footprint_is_on_the_floor_below_base_link(
    checker: Checker, cycle: dict[str, Any]
) -> None:
    """base is carried 0.0368 m above the floor, by the origin of base_x_joint."""
    tree = transforms(checker, cycle)
    frame, p, R = "base_footprint", np.zeros(3), np.eye(3)
    while frame != "base":
        t = tree[frame].transform
        x, y, z, w = t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w
        R_parent_frame = np.array(
            [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
                [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
                [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
            ]
        )
        p = R_parent_frame @ p + [t.translation.x, t.translation.y, t.translation.z]
        R = R_parent_frame @ R
        frame = tree[frame].header.frame_id
    np.testing.assert_allclose(p, [0.0, 0.0, -0.0368], atol=1e-12)
    np.testing.assert_allclose(R[:, 0], [0.0, 1.0, 0.0], atol=1e-12)


def test_markers_have_the_namespaces_of_the_interface(cycle: dict[str, Any]) -> None:
    namespaces = {marker.ns for marker in cycle["markers"].markers}
    expected = {"bodies", "springs", "actuators", "balance", "efforts", "stability"}
    assert namespaces == expected


def test_every_marker_is_in_a_published_frame(checker: Checker, cycle: dict[str, Any]) -> None:
    shown = [marker for marker in cycle["markers"].markers if marker.action == Marker.ADD]
    frames = {marker.header.frame_id for marker in shown}
    assert frames - set(transforms(checker, cycle)) == set()


def test_no_two_markers_share_namespace_and_number(cycle: dict[str, Any]) -> None:
    keys = [(marker.ns, marker.id) for marker in cycle["markers"].markers]
    assert len(set(keys)) == len(keys)


def test_every_marker_has_a_lifetime(cycle: dict[str, Any]) -> None:
    """So that nothing stands in RViz as if it were fresh when the inputs have stopped."""
    assert all(nanoseconds(marker.lifetime) > 0 for marker in cycle["markers"].markers)


def test_tensions_on_the_wire_are_those_of_the_model(cycle: dict[str, Any], model: Any) -> None:
    values = pose(3)
    state = model.compute([values[name] for name in ACTUATORS])
    expected = {name: float(tension) for name, tension in state.spring_tension.items()}
    assert named(cycle["spring_forces"]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("earlier", "later"), [("actuator_efforts", "/tf"), ("/tf", "markers")])
def test_efforts_come_before_tf_and_tf_before_markers_of_the_same_stamp(
    checker: Checker, earlier: str, later: str
) -> None:
    """By the times at which the middleware was given the messages."""
    times: dict[str, dict[int, int]] = {earlier: {}, later: {}}
    # a node that is not spun: its messages are taken by hand, which also gives their times
    # (callbacks that ask for them do not exist on Humble)
    with Checker(times, name="taker") as taker:

        def take() -> bool:
            for topic, subscription in taker.subscriptions.items():
                with subscription.handle:
                    taken = subscription.handle.take_message(subscription.msg_type, False)
                if taken is not None:
                    message, info = taken
                    times[topic][stamp_of(message)] = info["source_timestamp"]
            return len(times[earlier].keys() & times[later].keys()) >= 10

        checker.wait_for(take, "ten cycles", doing=lambda: checker.inputs.send(pose(3)), rate=50.0)
    both = times[earlier].keys() & times[later].keys()
    assert [stamp for stamp in both if times[earlier][stamp] >= times[later][stamp]] == []
