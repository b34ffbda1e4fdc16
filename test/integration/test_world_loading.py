# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Worlds that are loaded and unloaded at run time, their poses, bounds and features."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, Vector3
from graph import nanoseconds
from node_process import Process, start_node
from simulation_interfaces import srv
from simulation_interfaces.msg import (
    Bounds,
    EntityCategory,
    EntityInfo,
    Resource,
    SimulatorFeatures,
    SpawnEntity,
    TagsFilter,
)
from simulator_client import OK, PAUSED, PLAYING, SAMPLES, STOPPED, SimulatorClient

from charmie_dynamics.model.description.package_robots import PACKAGE_WORLDS

FIRST_START = 300.0  # s
NO_WORLD, LOADING = 4, 5
UNSUPPORTED, NOT_FOUND, INCORRECT_STATE, FAILED = 0, 2, 3, 4
FORMAT, NO_RESOURCE, PARSE, MISSING, NO_WORLD_LOADED = 101, 102, 103, 104, 101
LAWS = """
contacts: {default: {normal: lankarani_nikravesh, stiffness: 1.0e6, restitution: 0.3,
                     friction: elasto_plastic, kinetic: 0.5, tangential_stiffness: 1.0e4,
                     tangential_damping: 20.0}}
"""
ROOM = f"""
world: room
description: a table
tags: [indoor, small]
{LAWS}
named_poses:
  door:
    pose: [0, 2, 0.3, 0, 0, {math.pi / 2}]
    description: by the door
    tags: [spawn]
    bounds: {{box: [-0.2, -0.2, -0.3, 0.2, 0.2, 0.3]}}
  charger: {{pose: [1, 2, 0, 0, 0, 0], tags: [parking, spawn]}}
entities:
  ground: {{shape: plane}}
  table: {{shape: box, size: [0.4, 0.4, 0.2], moves: fixed, pose: [2, 0, 0.1, 0, 0, 0]}}
  ball: {{shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.3, 0, 0, 0]}}
  arm: {{urdf: scara, pose: [-2, 0, 0.5, 0, 0, 0]}}
"""
YARD = f"""
world: yard
{LAWS}
entities:
  ground: {{shape: plane}}
  stone: {{shape: box, size: [0.2, 0.2, 0.2], mass: 2.0, pose: [0, 0, 0.1, 0, 0, 0]}}
"""
OF_ROOM = ["ground", "table", "ball", "arm"]
CUBE = "{shape: box, size: [0.1, 0.1, 0.1], mass: 0.5}"
SIMULATOR_PARAMETERS = {"model": "scara", "paused": True}
# scara has no lengths
EACH_SAMPLE = (
    *(topic for topic in SAMPLES if topic != "actuator_lengths"),
    *("/clock", "/tf", "ground_truth/contact_points"),
)
COMPARED = (*EACH_SAMPLE, "ground_truth/contacts")
HEARD = ("/clock",)  # of any world


def request(client: SimulatorClient, name: str, /, **fields: Any) -> Any:
    kind = getattr(srv, name.title().replace("_", ""))
    return client.call(kind, name, kind.Request(**fields))


def load(client: SimulatorClient, text: str = "", uri: str = "", code: int = OK) -> Any:
    message = srv.LoadWorld.Request(uri=uri, resource_string=text)
    future = client.call_later(srv.LoadWorld, "load_world", message)
    client.wait_for(future.done, "the world", timeout=FIRST_START)  # compiles contacts at first
    answer = future.result()
    assert answer.result.result == code, answer.result
    return answer


def entities(client: SimulatorClient, **filters: Any) -> list[str]:
    message = srv.GetEntities.Request()
    for key, value in filters.items():
        setattr(message.filters, key, value)
    answer = client.call(srv.GetEntities, "get_entities", message)
    assert answer.result.result == OK, answer.result
    return list(answer.entities)


def code_of(client: SimulatorClient, name: str, /, **fields: Any) -> int:
    return int(request(client, name, **fields).result.result)


def samples(client: SimulatorClient, *, is_matched: bool) -> dict[str, list[bytes]]:
    """Return the serialised messages of 50 steps from the start.

    Publishers that are new must have found the client: then the start is repeated.
    """
    client.set_state(PAUSED)
    if not is_matched:
        client.wait_for(
            lambda: client.step(10).result == OK and all(client.received[t] for t in COMPARED),
            "a message of each topic",
        )
        client.set_state(STOPPED)
        client.set_state(PAUSED)
    client.drain()
    client.forget()
    assert client.step(50).result == OK
    client.wait_for(lambda: all(len(client.received[t]) >= 5 for t in EACH_SAMPLE), "samples")
    client.drain()
    return {topic: list(client.received[topic]) for topic in COMPARED}


@pytest.fixture
def room(client: SimulatorClient) -> None:
    load(client, ROOM)
    client.set_state(PAUSED)


def test_a_robot_alone_is_no_world(client: SimulatorClient) -> None:
    for name in ("get_current_world", "unload_world"):
        assert code_of(client, name) == NO_WORLD_LOADED
    assert entities(client) == ["scara"]
    bounds = request(client, "get_entity_bounds", entity="scara").bounds
    assert bounds.type == Bounds.TYPE_BOX and bounds.points[0].z > bounds.points[1].z


def test_the_state_is_that_of_loading_and_then_stopped(client: SimulatorClient) -> None:
    load(client, YARD)
    client.set_state(PLAYING)
    seen = set()
    future = client.call_later(srv.LoadWorld, "load_world", srv.LoadWorld.Request(uri="kitchen"))

    def is_done() -> bool:
        seen.add(client.state())
        if LOADING in seen and not future.done():
            assert client.set_state(PLAYING).result in (103, OK)
        return bool(future.done())

    client.wait_for(is_done, "the world", timeout=FIRST_START)
    assert future.result().result.result == OK
    assert {LOADING} <= seen <= {PLAYING, LOADING, STOPPED}
    assert "charmie" in entities(client)


def test_without_a_world_nothing_moves_until_one_is_loaded(client: SimulatorClient) -> None:
    load(client, ROOM)
    client.set_state(PLAYING)
    assert code_of(client, "unload_world") == OK
    assert client.state() == NO_WORLD and entities(client) == []
    for state in (STOPPED, PLAYING, PAUSED):
        assert client.set_state(state).result == 103
    assert client.set_state(NO_WORLD).result == 101
    assert client.step().result == FAILED
    assert client.reset().result == INCORRECT_STATE
    assert code_of(client, "spawn_entity", name="cube", resource_string=CUBE) == INCORRECT_STATE
    assert code_of(client, "delete_entity", entity="ball") == INCORRECT_STATE
    assert code_of(client, "get_entity_state", entity="ball") == NOT_FOUND
    for name in ("get_current_world", "unload_world"):
        assert code_of(client, name) == NO_WORLD_LOADED
    assert json.loads(client.latched("ground_truth/shapes").data) == []
    load(client, YARD)
    assert client.state() == STOPPED and entities(client) == ["ground", "stone"]


REFUSED: dict[str, tuple[dict[str, str], int, str]] = {
    "nothing": ({}, NO_RESOURCE, "uri"),
    "another format": ({"uri": "room.sdf"}, FORMAT, ".yaml"),
    "a nearly known world": ({"uri": "kitschen"}, FORMAT, "kitchen"),
    "another scheme": ({"uri": "http://x/room.yaml"}, FORMAT, "http"),
    "no such file": ({"uri": "/nowhere/room.yaml"}, NOT_FOUND, "/nowhere"),
    "no YAML": ({"text": "entities: ["}, PARSE, "line"),
    "no world": ({"text": "{a: 1}"}, PARSE, "entities"),
    "an unknown key": ({"text": "{entities: {a: {shap: plane}}}"}, PARSE, "shape"),
    "a missing robot": ({"text": "{entities: {a: {urdf: no.urdf}}}"}, MISSING, "no.urdf"),
    "a missing mesh": (
        {"text": "{entities: {a: {shape: mesh, mesh: no.stl, mass: 1}}}"}, MISSING, "no.stl"),
    "an overlap": (
        {"text": LAWS + "entities: {a: {shape: plane}, b: {shape: sphere, size: [1], mass: 1}}"},
        FAILED, "overlap"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_world_leaves_the_present_one_unchanged(
    client: SimulatorClient, room: None, case: str
) -> None:
    fields, code, text = REFUSED[case]
    client.step(20)
    before = request(client, "get_entities_states")
    answer = load(client, code=code, **fields)
    assert text in answer.result.error_message and client.state() == PAUSED
    after = request(client, "get_entities_states")
    assert after == before and after.entities == OF_ROOM
    assert request(client, "get_current_world").world.name == "room"


def test_the_clock_and_latched_topics_follow_a_new_world_and_a_reset(
    client: SimulatorClient, room: None
) -> None:
    client.wait_for(lambda: client.node.count_publishers("joint_states"), "topics of the arm")
    client.step(100)
    client.wait_for(lambda: nanoseconds(client.received["/clock"][-1].clock) >= 10**8, "0.1 s")
    assert client.reset().result == OK
    client.wait_for(lambda: nanoseconds(client.received["/clock"][-1].clock) == 0, "time zero")
    client.step(100)
    client.wait_for(lambda: nanoseconds(client.received["/clock"][-1].clock) >= 10**8, "0.1 s")
    load(client, YARD)
    client.wait_for(lambda: nanoseconds(client.received["/clock"][-1].clock) == 0, "time zero")
    shapes = json.loads(client.latched("ground_truth/shapes").data)
    assert [shape["entity"] for shape in shapes] == ["ground", "stone"]
    frames = {m.header.frame_id for m in client.latched("ground_truth/entities").markers}
    assert frames == {"ground", "stone"}
    fixed = {t.child_frame_id for t in client.latched("/tf_static").transforms}
    assert fixed == {"ground"}
    client.wait_for(lambda: not client.node.count_publishers("joint_states"), "no robot topics")


def test_worlds_are_those_of_the_package_and_of_folders(
    client: SimulatorClient, tmp_path: Path
) -> None:
    for name, text in (("room.yaml", ROOM), ("yard.yml", YARD), ("other.yaml", "{a: 1}")):
        (tmp_path / name).write_text(text, encoding="utf-8")

    def worlds(code: int = OK, **fields: Any) -> list[str]:
        answer = request(client, "get_available_worlds", **fields)
        assert answer.result.result == code, answer.result
        return [world.world_resource.uri for world in answer.worlds]

    assert worlds() == list(PACKAGE_WORLDS)
    own = [(tmp_path / name).as_uri() for name in ("room.yaml", "yard.yml")]
    assert worlds(additional_sources=[str(tmp_path)]) == [*PACKAGE_WORLDS, *own]
    wanted = TagsFilter(tags=["indoor", "small"], filter_mode=TagsFilter.FILTER_MODE_ALL)
    found = worlds(additional_sources=[tmp_path.as_uri()], filter=wanted)
    assert found == own[:1]
    assert worlds(NOT_FOUND, additional_sources=["/nowhere"]) == []
    assert worlds(additional_sources=["/nowhere"], continue_on_error=True) == list(PACKAGE_WORLDS)
    assert worlds(UNSUPPORTED, additional_sources=["http://x"]) == []
    assert worlds(additional_sources=["http://x"], offline_only=True) == list(PACKAGE_WORLDS)
    load(client, uri=found[0])


def volume(kind: int, *points: tuple[float, float, float]) -> Bounds:
    corners = [Vector3(x=float(x), y=float(y), z=float(z)) for x, y, z in points]
    return Bounds(type=kind, points=corners)


def test_entities_are_filtered_by_bounds(client: SimulatorClient, room: None) -> None:
    box, hull, sphere = Bounds.TYPE_BOX, Bounds.TYPE_CONVEX_HULL, Bounds.TYPE_SPHERE
    ball = request(client, "get_entity_bounds", entity="ball").bounds
    assert ball.type == box
    corners = [(p.x, p.y, p.z) for p in ball.points]
    np.testing.assert_allclose(corners, [[0.05] * 3, [-0.05] * 3], atol=1e-12)
    assert request(client, "get_entity_bounds", entity="ground").bounds.type == Bounds.TYPE_EMPTY
    assert entities(client, bounds=volume(box, (3, 1, 2), (1.9, -1, 0.21))) == []
    assert entities(client, bounds=volume(box, (3, 1, 2), (1.9, -1, 0.19))) == ["table"]
    # a corner of a box about the ball is nearer than the ball
    assert entities(client, bounds=volume(sphere, (0.1, 0.1, 0.3), (0.09, 0, 0))) == []
    assert entities(client, bounds=volume(sphere, (0.1, 0.1, 0.3), (0.1, 0, 0))) == ["ball"]
    flat = volume(hull, (0, 0, 0.3), (2, 0, 0.3), (2, 0, 0.1))
    assert entities(client, bounds=flat) == ["table", "ball"]
    request_of = srv.GetEntities.Request()
    for wrong in (volume(hull, (0, 0, 0), (1, 1, 1), (2, 2, 2)), volume(box, (0, 0, 0), (1, 1, 1))):
        request_of.filters.bounds = wrong
        answer = client.call(srv.GetEntities, "get_entities", request_of).result
        assert answer.result == FAILED and "bounds" in answer.error_message
    request_of.filters.bounds = volume(77, (0, 0, 0))
    answer = client.call(srv.GetEntities, "get_entities", request_of).result
    assert answer.result == UNSUPPORTED and "77" in answer.error_message


def test_filters_are_regular_expressions_of_posix(client: SimulatorClient, room: None) -> None:
    assert entities(client, filter="^[[:alpha:]]+$") == OF_ROOM
    assert entities(client, filter="^b[^[:upper:]t]{3}$") == ["ball"]
    assert entities(client, filter="[[:digit:][:space:]]") == []
    wrong = srv.GetEntities.Request()
    wrong.filters.filter = "[[:letter:]]"
    answer = client.call(srv.GetEntities, "get_entities", wrong).result
    assert answer.result == FAILED and "[:letter:]" in answer.error_message


def test_the_information_that_was_set_is_returned_and_filtered_by(
    client: SimulatorClient, room: None
) -> None:
    info = EntityInfo(description="red", tags=["toy", "round"])
    info.category.category = EntityCategory.CATEGORY_HUMAN
    assert code_of(client, "set_entity_info", entity="ball", info=info) == OK
    assert request(client, "get_entity_info", entity="ball").info == info
    assert entities(client, categories=[info.category]) == ["ball"]
    every = TagsFilter.FILTER_MODE_ALL
    assert entities(client, tags=TagsFilter(tags=["toy", "other"])) == ["ball"]
    assert entities(client, tags=TagsFilter(tags=["toy", "other"], filter_mode=every)) == []
    assert code_of(client, "set_entity_info", entity="bal", info=info) == NOT_FOUND
    info.category.category = 3
    assert code_of(client, "set_entity_info", entity="ball", info=info) == FAILED
    assert code_of(client, "set_entity_info", entity="bal", info=info) == NOT_FOUND
    assert client.reset().result == OK
    assert request(client, "get_entity_info", entity="ball").info.tags == []


def test_named_poses_are_those_of_the_world(client: SimulatorClient, room: None) -> None:
    def names(*tags: str) -> list[str]:
        answer = request(client, "get_named_poses", tags=TagsFilter(tags=list(tags)))
        return [pose.name for pose in answer.poses]

    assert names() == names("spawn") == ["door", "charger"] and names("parking") == ["charger"]
    door = request(client, "get_named_poses").poses[0]
    assert door.description == "by the door"
    assert door.pose.orientation.z == pytest.approx(math.sqrt(0.5))
    bounds = request(client, "get_named_pose_bounds", name="door").bounds
    assert bounds.type == Bounds.TYPE_BOX and bounds.points[0].z == 0.3
    assert request(client, "get_named_pose_bounds", name="charger").bounds.type == 0
    assert code_of(client, "get_named_pose_bounds", name="dor") == NOT_FOUND
    spawned = srv.SpawnEntity.Request(name="cube", resource_string=CUBE)
    spawned.initial_pose.pose = door.pose
    assert client.call(srv.SpawnEntity, "spawn_entity", spawned).result.result == OK
    spawned.name, spawned.initial_pose.header.frame_id = "other", "cube"
    spawned.initial_pose.pose = type(door.pose)()
    spawned.initial_pose.pose.position.x = 0.5  # along the y axis of the world
    assert client.call(srv.SpawnEntity, "spawn_entity", spawned).result.result == OK
    position = request(client, "get_entity_state", entity="other").state.pose.position
    assert (position.x, position.y, position.z) == pytest.approx((0.0, 2.5, 0.3), abs=1e-9)
    spawned.name, spawned.initial_pose.header.frame_id = "third", "cub"
    answer = client.call(srv.SpawnEntity, "spawn_entity", spawned)
    assert answer.result.result == 109 and "cube" in answer.result.error_message


def test_several_entities_are_spawned_or_none(client: SimulatorClient, room: None) -> None:
    def cube(name: str, x: float) -> SpawnEntity:
        message = SpawnEntity(name=name, allow_renaming=True)
        message.entity_resource = Resource(resource_string=CUBE)
        position = message.initial_pose.pose.position
        position.x, position.y, position.z = x, 2.0, 0.1
        return message

    before = request(client, "get_entities_states")
    wrong = request(
        client, "spawn_entities", spawn_requests=[cube("a", 0.0), cube("b", 0.05), cube("c", 0.5)]
    )
    assert wrong.result.result == 150
    assert [each.result.result for each in wrong.results] == [FAILED, 109, FAILED]
    assert not any(each.entity_name for each in wrong.results)
    assert request(client, "get_entities_states") == before
    answer = request(client, "spawn_entities", spawn_requests=[cube("a", 0.0), cube("a", 0.5)])
    assert answer.result.result == OK
    assert [each.entity_name for each in answer.results] == ["a", "a_2"]
    assert entities(client) == [*OF_ROOM, "a", "a_2"]
    # above an entity of the same request
    low, top = cube("low", 3.0), cube("top", 0.0)
    top.initial_pose.header.frame_id, top.initial_pose.pose.position.y = "low", 0.0
    top.initial_pose.pose.position.z = 0.3
    answer = request(client, "spawn_entities", spawn_requests=[low, top])
    assert answer.result.result == OK, answer.results
    position = request(client, "get_entity_state", entity="top").state.pose.position
    assert (position.x, position.y, position.z) == pytest.approx((3.0, 2.0, 0.4), abs=1e-9)


def test_each_feature_works_and_each_service_has_one(client: SimulatorClient, room: None) -> None:
    answer = request(client, "get_simulator_features")
    listed = set(answer.features.features)
    names = {name for name in dir(type(SimulatorFeatures)) if name.isupper()}
    names = {name for name in names if not name.startswith("_")}
    assert listed == {getattr(SimulatorFeatures, name) for name in names}
    above = PoseStamped()
    above.pose.position.z = 1.0
    # the last ones remove what the others need
    calls: dict[str, dict[str, Any]] = {
        "get_entities": {}, "get_entities_states": {}, "get_spawnables": {},
        **{f"get_entity_{what}": {"entity": "ball"} for what in ("state", "info", "bounds")},
        "set_entity_info": {"entity": "ball", "info": EntityInfo()},
        "set_entity_state": {
            "entity": "ball",
            "state": request(client, "get_entity_state", entity="ball").state,
        },
        "get_named_poses": {}, "get_named_pose_bounds": {"name": "door"},
        "get_simulation_state": {}, "step_simulation": {"steps": 2},
        "set_simulation_state": {}, "reset_simulation": {"scope": 4},
        "spawn_entity": {"name": "new", "resource_string": CUBE, "initial_pose": above},
        "spawn_entities": {}, "get_current_world": {}, "get_available_worlds": {},
        "delete_entity": {"entity": "ball"}, "unload_world": {},
        "load_world": {"resource_string": ROOM},
    }  # fmt: skip
    found = dict(client.node.get_service_names_and_types_by_node("charmie_simulator", "/"))
    offered = {name[1:] for name, kinds in found.items() if "simulation_interfaces" in kinds[0]}
    assert {name for name in offered if "/" not in name} == {*calls, "get_simulator_features"}
    for name, fields in calls.items():
        assert code_of(client, name, **fields) == OK, name
    client.set_state(PAUSED)
    assert client.end_of(client.begin_steps(3)).result.result.result == OK


def test_a_loaded_world_publishes_what_a_node_started_with_it_does(
    client: SimulatorClient, simulator: Process, folder: Path
) -> None:
    path = folder / "room.yaml"
    path.write_text(ROOM, encoding="utf-8")
    results = []
    latched = "ground_truth/shapes", "ground_truth/entities", "/tf_static"
    with SimulatorClient(COMPARED, raw=True, name="raw") as raw:
        for first in (YARD, "", ROOM):
            if first:
                load(raw, first)
                raw.set_state(PLAYING)
                raw.forget()
                raw.wait_for_samples("/clock", 20)
            answer = load(raw, uri=str(path))
            assert (answer.world.name, list(answer.world.tags)) == ("room", ["indoor", "small"])
            assert raw.state() == STOPPED
            results.append(samples(raw, is_matched=first != YARD))
        constant = [client.latched(topic) for topic in latched]
    simulator.end()  # topics of simulated time have no namespace
    with start_node("simulator_node", folder, {"world": str(path), "paused": True}) as other:
        other.wait_for_output("ready", FIRST_START)
        with SimulatorClient(COMPARED, raw=True, name="raw") as raw:
            expected = samples(raw, is_matched=False)
        assert results == [expected] * 3
        with SimulatorClient(()) as late:
            assert [late.latched(topic) for topic in latched] == constant
