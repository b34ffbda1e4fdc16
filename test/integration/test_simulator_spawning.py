# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Entities of a simulated world by simulation_interfaces: asked about, put, spawned, deleted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from node_process import Process, start_node
from simulation_interfaces.msg import EntityCategory, SimulatorFeatures
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntitiesStates,
    GetEntityInfo,
    GetEntityState,
    GetSimulatorFeatures,
    GetSpawnables,
    SetEntityState,
    SpawnEntity,
)
from simulator_client import FAILED, NOT_FOUND, OK, PAUSED, STOPPED, UNSUPPORTED, SimulatorClient

FIRST_START = 300.0  # s
NOT_UNIQUE, NAME_INVALID, FORMAT, NO_RESOURCE, NAMESPACE, PARSE = 101, 102, 103, 104, 105, 106
INVALID_POSE, INVALID_STATE = 109, 101
CUBE = "{shape: box, size: [0.1, 0.1, 0.1], mass: 0.5}"
CAN = """<robot name="can"><link name="can">
<inertial><mass value="0.4"/><inertia ixx="4e-4" iyy="4e-4" izz="2e-4" ixy="0" ixz="0" iyz="0"/>
</inertial><collision><geometry><cylinder radius="0.03" length="0.1"/></geometry></collision>
</link></robot>"""
WORLD = """
world: table and ball
contacts: {default: {normal: lankarani_nikravesh, stiffness: 1.0e6, restitution: 0.3,
                     friction: elasto_plastic, kinetic: 0.5, tangential_stiffness: 1.0e4,
                     tangential_damping: 20.0}}
entities:
  ground: {shape: plane}
  table: {shape: box, size: [0.4, 0.4, 0.2], moves: fixed, pose: [2, 0, 0.1, 0, 0, 0]}
  ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.05, 0, 0, 0]}
  arm: {urdf: scara, pose: [-2, 0, 0.5, 0, 0, 0]}
"""


@pytest.fixture(scope="module")
def simulator(folder: Path) -> Iterator[Process]:
    path = folder / "table.yaml"
    path.write_text(WORLD, encoding="utf-8")
    parameters = {"world": str(path), "paused": True}
    with start_node("simulator_node", folder, parameters) as process:
        process.wait_for_output("ready", FIRST_START)
        yield process


HEARD = ("/clock", "/tf", "joint_states")


@pytest.fixture(autouse=True)
def paused(client: SimulatorClient) -> None:
    """Each test begins paused at the start of the world."""
    client.set_state(STOPPED)
    client.set_state(PAUSED)


def entities(client: SimulatorClient, pattern: str = "", *categories: int) -> list[str]:
    request = GetEntities.Request()
    request.filters.filter = pattern
    request.filters.categories = [EntityCategory(category=c) for c in categories]
    return list(client.call(GetEntities, "get_entities", request).entities)


def state_of(client: SimulatorClient, name: str) -> Any:
    request = GetEntityState.Request(entity=name)
    answer = client.call(GetEntityState, "get_entity_state", request)
    assert answer.result.result == OK, answer.result.error_message
    return answer.state


def place_of(client: SimulatorClient, name: str) -> tuple[float, float, float]:
    p = state_of(client, name).pose.position
    return p.x, p.y, p.z


def spawn(client: SimulatorClient, name: str, at: tuple[float, float, float] = (0, 1, 0.2),
          **fields: Any) -> Any:  # fmt: skip
    request = SpawnEntity.Request(name=name)
    p = request.initial_pose.pose.position
    p.x, p.y, p.z = map(float, at)
    for field, value in fields.items():
        setattr(request, field, value)
    return client.call(SpawnEntity, "spawn_entity", request)


def delete(client: SimulatorClient, name: str) -> Any:
    request = DeleteEntity.Request(entity=name)
    return client.call(DeleteEntity, "delete_entity", request).result


def put(client: SimulatorClient, name: str, state: Any) -> Any:
    request = SetEntityState.Request(entity=name, state=state)
    return client.call(SetEntityState, "set_entity_state", request).result


def test_all_entities_are_found_by_name_and_category(client: SimulatorClient) -> None:
    assert entities(client) == ["ground", "table", "ball", "arm"]
    assert entities(client, "^[tb]a") == ["table", "ball"]
    assert entities(client, "", EntityCategory.CATEGORY_ROBOT) == ["arm"]
    assert entities(client, "", EntityCategory.CATEGORY_DYNAMIC_OBJECT) == ["ball"]
    assert entities(client, "", EntityCategory.CATEGORY_STATIC_OBJECT) == ["ground", "table"]
    request = GetEntitiesStates.Request()
    request.filters.filter = "ball|table"
    answer = client.call(GetEntitiesStates, "get_entities_states", request)
    assert [state.pose.position.x for state in answer.states] == [2.0, 0.0]
    info = client.call(GetEntityInfo, "get_entity_info", GetEntityInfo.Request(entity="ball")).info
    assert "sphere" in info.description and "1 kg" in info.description


def test_the_features_of_a_world_are_more(client: SimulatorClient) -> None:
    request = GetSimulatorFeatures.Request()
    features = client.call(GetSimulatorFeatures, "get_simulator_features", request).features
    assert {SimulatorFeatures.SPAWNING, SimulatorFeatures.DELETING} <= set(features.features)
    assert {"urdf", "yaml"} <= set(features.spawn_formats)
    answer = client.call(GetSpawnables, "get_spawnables", GetSpawnables.Request())
    assert {"athena", "scara"} <= {spawnable.uri for spawnable in answer.spawnables}


def test_what_is_spawned_falls_and_has_a_frame_and_goes_again(client: SimulatorClient) -> None:
    assert spawn(client, "cube", resource_string=CUBE).result.result == OK
    assert place_of(client, "cube") == (0.0, 1.0, 0.2)
    client.forget()
    assert client.step(1000).result == OK
    assert place_of(client, "cube")[2] == pytest.approx(0.05, abs=1e-3)
    client.wait_for_samples("/tf", 90)
    assert "cube" in {t.child_frame_id for t in client.received["/tf"][-1].transforms}
    assert delete(client, "cube").result == OK
    assert entities(client) == ["ground", "table", "ball", "arm"]
    client.drain()
    client.forget()
    assert client.step(20).result == OK
    client.wait_for_samples("/tf", 2)
    assert "cube" not in {t.child_frame_id for t in client.received["/tf"][-1].transforms}


def test_what_was_there_moves_on_when_something_comes(client: SimulatorClient) -> None:
    state = state_of(client, "ball")
    state.pose.position.z, state.twist.linear.x = 0.5, 0.7
    assert put(client, "ball", state).result == OK
    assert client.step(100).result == OK
    before = state_of(client, "ball")
    assert spawn(client, "cube", resource_string=CUBE).result.result == OK
    after = state_of(client, "ball")
    assert after.pose == before.pose and after.twist == before.twist
    assert after.twist.linear.x == pytest.approx(0.7, abs=1e-6)
    assert client.step(100).result == OK
    fallen = 0.5 - 0.5 * 9.81 * 0.2**2
    assert place_of(client, "ball")[2] == pytest.approx(fallen, abs=1e-6)


@pytest.mark.parametrize(
    ("resource", "moves"),
    [({"resource_string": CAN}, True), ({"uri": "athena"}, True), ({"uri": "arm_6r"}, False)],
)
def test_robots_and_bodies_are_spawned_where_their_base_is_to_be(
    client: SimulatorClient, resource: dict[str, str], moves: bool
) -> None:
    answer = spawn(client, "", (0.0, 1.0, 0.3), **resource)
    name = answer.entity_name
    assert answer.result.result == OK, answer.result.error_message
    assert name == {"athena": "athena", "arm_6r": "arm_6r"}.get(resource.get("uri", ""), "can")
    assert place_of(client, name) == pytest.approx((0.0, 1.0, 0.3), abs=1e-9)
    assert client.step(500).result == OK
    assert (place_of(client, name)[2] < 0.29) == moves
    # the robot whose topics are published is the same
    client.forget()
    assert client.step(10).result == OK
    message = client.wait_for_samples("joint_states", 1)[-1]
    assert message.name[0] == "joint_1"


def test_an_entity_file_is_spawned(client: SimulatorClient, tmp_path: Path) -> None:
    path = tmp_path / "crate.yaml"
    path.write_text(CUBE, encoding="utf-8")
    for uri, name in ((str(path), "crate"), (path.as_uri(), "crate_2")):
        at = (0.0, 1.0, 0.3) if name == "crate" else (0.0, 2.0, 0.3)
        answer = spawn(client, "", at, uri=uri, allow_renaming=True)
        assert (answer.result.result, answer.entity_name) == (OK, name), answer.result


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "a taken name": ({"name": "ball", "resource_string": CUBE}, NOT_UNIQUE, "ball"),
    "no name": ({"resource_string": CUBE}, NAME_INVALID, "name"),
    "a bad name": ({"name": "a/b", "resource_string": CUBE}, NAME_INVALID, "a/b"),
    "the world's name": ({"name": "world", "resource_string": CUBE}, NAME_INVALID, "world"),
    "nothing": ({"name": "x"}, NO_RESOURCE, "uri"),
    "another format": ({"name": "x", "uri": "cup.sdf"}, FORMAT, ".urdf"),
    "a nearly known robot": ({"name": "x", "uri": "athina"}, FORMAT, "athena"),
    "another scheme": ({"name": "x", "uri": "http://x/cup.urdf"}, FORMAT, "http"),
    "no such file": ({"name": "x", "uri": "/nowhere/cup.urdf"}, NOT_FOUND, "/nowhere"),
    "a bad namespace": (
        {"name": "x", "resource_string": CUBE, "entity_namespace": "1 2"}, NAMESPACE, "1 2"),
    "a namespace": (
        {"name": "x", "resource_string": CUBE, "entity_namespace": "a"}, UNSUPPORTED, "topics"),
    "a broken URDF": ({"name": "x", "resource_string": "<robot"}, PARSE, "line 1"),
    "an unknown key": ({"name": "x", "resource_string": "{shap: box}"}, PARSE, "shap"),
    "a pose of its own": (
        {"name": "x", "resource_string": "{shape: box, size: [1, 1, 1], mass: 1, "
         "pose: [0, 0, 9, 0, 0, 0]}"}, PARSE, "initial_pose"),
    "no mass": ({"name": "x", "resource_string": "{shape: sphere, size: [1]}"}, PARSE, "mass"),
    "a place in the table": (
        {"name": "x", "resource_string": CUBE, "at": (2.0, 0.0, 0.2)}, INVALID_POSE, "table"),
    "a place that is none": (
        {"name": "x", "resource_string": CUBE, "at": (math.nan, 0.0, 0.2)}, INVALID_POSE, "finite"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_spawned_is_refused_and_changes_nothing(
    client: SimulatorClient, case: str
) -> None:
    given, code, text = REFUSED[case]
    before = entities(client), state_of(client, "ball")
    fields = dict(given)
    answer = spawn(client, fields.pop("name", ""), fields.pop("at", (0, 1, 0.2)), **fields)
    assert (answer.result.result, answer.entity_name) == (code, ""), answer.result
    assert text in answer.result.error_message
    assert (entities(client), state_of(client, "ball")) == before


def test_what_does_not_move_is_put_elsewhere_without_a_velocity(client: SimulatorClient) -> None:
    state = state_of(client, "table")
    state.pose.position.x, state.pose.position.y = 1.0, 0.5
    assert put(client, "table", state).result == OK
    assert place_of(client, "table") == (1.0, 0.5, 0.1)
    static = {t.child_frame_id: t.transform.translation for t in latched_frames(client)}
    assert static["table"].y == pytest.approx(0.5)
    state.twist.linear.x = 0.1
    assert put(client, "table", state).result == FAILED
    state.twist.linear.x, state.pose.position.x, state.pose.position.y = 0.0, 0.0, 0.0
    answer = put(client, "table", state)
    assert answer.result == INVALID_STATE and "overlap" in answer.error_message
    assert place_of(client, "table") == (1.0, 0.5, 0.1)
    client.set_state(STOPPED)
    assert place_of(client, "table") == (2.0, 0.0, 0.1)


def latched_frames(client: SimulatorClient) -> list[Any]:
    client.spin(0.1)
    return list(client.latched("/tf_static").transforms)


def test_a_reset_of_what_is_spawned_leaves_the_rest_moving(client: SimulatorClient) -> None:
    assert spawn(client, "cube", resource_string=CUBE).result.result == OK
    state = state_of(client, "ball")
    state.pose.position.z = 0.5
    assert put(client, "ball", state).result == OK
    assert client.step(100).result == OK
    before = state_of(client, "ball")
    assert client.reset(4).result == OK
    assert "cube" not in entities(client)
    assert state_of(client, "ball").pose == before.pose
    assert delete(client, "ball").result == OK
    assert spawn(client, "cube", resource_string=CUBE).result.result == OK
    assert client.reset(2).result == OK
    assert entities(client) == ["ground", "table", "arm", "cube"]
    assert client.reset().result == OK
    assert entities(client) == ["ground", "table", "ball", "arm"]
    assert place_of(client, "ball") == (0.0, 0.0, 0.05)


def test_the_robot_and_the_unknown_are_not_deleted(client: SimulatorClient) -> None:
    answer = delete(client, "arm")
    assert answer.result == FAILED and "topics" in answer.error_message
    answer = delete(client, "bal")
    assert answer.result == NOT_FOUND and "ball" in answer.error_message


def test_nothing_was_raised(simulator: Process) -> None:
    assert simulator.is_running()
    assert "Traceback" not in simulator.output()
