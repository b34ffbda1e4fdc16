# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Spawning and moving entities by the messages of simulation_interfaces 1 and 2.

Version 1 is installed. The classes with a 2 have the fields of 2.1 and, like real messages, refuse
all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from geometry_msgs.msg import PoseStamped
from simulation_interfaces import srv
from simulation_interfaces.msg import (
    Bounds,
    EntityState,
    Resource,
    SimulatorFeatures,
    Spawnable,
)
from simulation_interfaces.srv import GetEntityState, GetSpawnables, SetEntityState, SpawnEntity

from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS
from charmie_dynamics.ros.simulator import spawning
from charmie_dynamics.ros.simulator.entities import EntityServices
from charmie_dynamics.ros.simulator.offering import resource_field
from charmie_dynamics.ros.simulator.simulation_state import FEATURES_OF_A_WORLD, features_of
from charmie_dynamics.ros.simulator.spawning import SpawnServices
from charmie_dynamics.simulation import load_world
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

OK, INVALID_POSE = 1, 101
CUBE = "{shape: box, size: [0.1, 0.1, 0.1], mass: 0.5}"
WORLD = """
contacts: {default: {normal: lankarani_nikravesh, stiffness: 1.0e6, restitution: 0.3}}
entities:
  ground: {shape: plane}
  ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.5, 0, 0, 0]}
"""


@dataclass(slots=True)
class SpawnRequest2:
    name: str = ""
    allow_renaming: bool = False
    entity_resource: Resource = field(default_factory=Resource)
    entity_namespace: str = ""
    initial_pose: PoseStamped = field(default_factory=PoseStamped)


@dataclass(slots=True)
class Spawnable2:
    entity_resource: Resource = field(default_factory=Resource)
    description: str = ""
    spawn_bounds: Bounds = field(default_factory=Bounds)


@dataclass(slots=True)
class StateRequest2:
    entity: str = ""
    state: EntityState = field(default_factory=EntityState)
    set_pose: bool = False
    set_twist: bool = False
    set_acceleration: bool = False


class Services:
    """The callbacks of the services, called without a graph."""

    def __init__(self, folder: Path) -> None:
        path = folder / "world.yaml"
        path.write_text(WORLD, encoding="utf-8")
        self.session = Session(SimulatedSystem.of_world(load_world(path), ""), SessionSettings())
        self._answers: dict[str, Callable[[Any, Any], Any]] = {}
        node: Any = self
        EntityServices(node, self.session, "world", lambda: None)
        SpawnServices(node, self.session, "world", lambda: None)

    def create_service(self, _: Any, name: str, answer: Callable[[Any, Any], Any]) -> None:
        self._answers[name] = answer

    @property
    def names(self) -> set[str]:
        return set(self._answers)

    def call(self, kind: Any, name: str, request: Any) -> Any:
        return self._answers[name](request, kind.Response())

    def state(self, name: str) -> EntityState:
        request = GetEntityState.Request(entity=name)
        return self.call(GetEntityState, "get_entity_state", request).state

    def put(self, request: Any) -> int:
        answer = self.call(SetEntityState, "set_entity_state", request)
        return int(answer.result.result)


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path)


@pytest.mark.parametrize("kind", [SpawnEntity.Request, SpawnRequest2], ids=["1", "2"])
@pytest.mark.parametrize(
    ("resource", "name"), [({"resource_string": CUBE}, "cube"), ({"uri": "scara"}, "scara")]
)
def test_an_entity_is_spawned(
    services: Services, kind: Any, resource: dict[str, str], name: str
) -> None:
    request = kind(name=name)
    request.initial_pose.pose.position.y = 2.0
    request.initial_pose.pose.position.z = 0.5
    for key, value in resource.items():
        setattr(resource_field(request), key, value)
    answer = services.call(SpawnEntity, "spawn_entity", request)
    assert answer.result.result == OK, answer.result.error_message
    assert answer.entity_name == name
    assert services.state(name).pose.position.y == 2.0


@pytest.mark.parametrize("kind", [SpawnEntity.Request, SpawnRequest2], ids=["1", "2"])
def test_a_request_without_resource_is_refused(services: Services, kind: Any) -> None:
    answer = services.call(SpawnEntity, "spawn_entity", kind(name="cube"))
    assert answer.result.result == SpawnEntity.Response.NO_RESOURCE


@pytest.mark.parametrize("kind", [Spawnable, Spawnable2], ids=["1", "2"])
def test_the_robots_of_the_package_are_spawnable(
    services: Services, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spawning, "Spawnable", kind)
    # the response of the installed version refuses the entries of another one
    response = type("Response", (), {"result": GetSpawnables.Response().result})
    answer = services.call(type("Kind", (), {"Response": response}), "get_spawnables",
                           GetSpawnables.Request())  # fmt: skip
    listed = {resource_field(each).uri: each.description for each in answer.spawnables}
    assert listed == {name: robot.description for name, robot in PACKAGE_ROBOTS.items()}


@pytest.mark.parametrize("field", ["world_resource", "level_resource"])
def test_the_world_of_a_request_is_read_in_each_version(field: str) -> None:
    assert resource_field(srv.LoadWorld.Request(uri="athena")).uri == "athena"
    assert resource_field(SimpleNamespace(**{field: Resource(uri="athena")})).uri == "athena"


def test_a_service_whose_type_is_not_installed_is_neither_offered_nor_listed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    feature = SimulatorFeatures.SPAWNING_ENTITIES
    assert feature in features_of(FEATURES_OF_A_WORLD)
    assert "spawn_entities" in Services(tmp_path).names
    monkeypatch.delattr(srv, "SpawnEntities")
    assert feature not in features_of(FEATURES_OF_A_WORLD)
    assert "spawn_entities" not in Services(tmp_path).names


@pytest.mark.parametrize("flags", [(True, True), (True, False), (False, True), (False, False)])
def test_the_flags_of_version_2_choose_what_is_set(
    services: Services, flags: tuple[bool, bool]
) -> None:
    before = services.state("ball")
    state = EntityState()
    state.pose.position.z, state.twist.linear.x = 0.8, 0.3
    request = StateRequest2("ball", state, *flags)
    assert services.put(request) == OK
    after = services.state("ball")
    expected = [new if flag else old for flag, new, old in (
        (flags[0], 0.8, before.pose.position.z), (flags[1], 0.3, before.twist.linear.x),
    )]  # fmt: skip
    assert [after.pose.position.z, after.twist.linear.x] == pytest.approx(expected, abs=1e-12)


def test_version_1_sets_pose_and_twist(services: Services) -> None:
    state = EntityState()
    state.pose.position.z, state.twist.linear.x = 0.8, 0.3
    assert services.put(SetEntityState.Request(entity="ball", state=state)) == OK
    after = services.state("ball")
    found = [after.pose.position.z, after.twist.linear.x]
    assert found == pytest.approx([0.8, 0.3], abs=1e-12)


def test_a_bad_pose_is_refused_by_releases_without_a_name_for_it(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(type(SetEntityState.Response), "INVALID_POSE")
    state = EntityState()
    state.pose.orientation.w = 0.0
    assert services.put(SetEntityState.Request(entity="ball", state=state)) == INVALID_POSE
