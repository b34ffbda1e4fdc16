# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Entities that come, go and are put elsewhere in random order, while a world is played."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import pytest
from node_process import Process
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntityState,
    SetEntityState,
    SpawnEntity,
)
from simulator_client import FAILED, NOT_FOUND, OK, PAUSED, PLAYING, STOPPED, SimulatorClient

CALLS = 150
NOT_UNIQUE, NAME_INVALID, NO_RESOURCE, PARSE, INVALID_POSE = 101, 102, 104, 106, 109
FIRST = ["ground", "athena"]
RESOURCES = (
    "{shape: box, size: [0.1, 0.1, 0.1], mass: 0.5}",
    "{shape: sphere, size: [0.05], mass: 0.2}",
    "{shape: capsule, size: [0.03, 0.1], mass: 0.2}",
    "{shape: cylinder, size: [0.05, 0.2], moves: fixed}",
)


SIMULATOR_PARAMETERS = {"world": "athena"}


HEARD = ("/clock", "ground_truth/odom")


class RandomWorld:
    """Makes calls that a seed draws, and knows which entities there have to be."""

    def __init__(self, client: SimulatorClient, seed: int) -> None:
        self.client, self.draw = client, random.Random(seed)
        self.there = list(FIRST)
        self.codes: Counter[tuple[str, int]] = Counter()

    def run(self, calls: int) -> None:
        actions = (self.spawn, self.spawn, self.delete, self.put, self.go_on, self.reset)
        for _ in range(calls):
            self.draw.choice(actions)()
            request = GetEntities.Request()
            assert list(self.client.call(GetEntities, "get_entities", request).entities) == (
                self.there
            )

    def note(self, name: str, result: Any, *allowed: int) -> bool:
        assert result.result in allowed, (name, result)
        assert result.error_message or result.result in (OK, 101), (name, result)
        self.codes[name, result.result] += 1
        return bool(result.result == OK)

    def place(self, pose: Any) -> None:
        pose.position.x, pose.position.y = (self.draw.uniform(-2.0, 2.0) for _ in "xy")
        pose.position.z = self.draw.choice([0.3, 0.5, math.nan, -0.2])

    def spawn(self) -> None:
        name = self.draw.choice(["a", "b", "c", "athena", "", "x/y"])
        request = SpawnEntity.Request(name=name, allow_renaming=self.draw.random() < 0.5)
        request.resource_string = self.draw.choice([*RESOURCES, "", "{shape: cube}"])
        if self.draw.random() < 0.1 and len(self.there) < 6:
            request.uri = "athena"
        self.place(request.initial_pose.pose)
        answer = self.client.call(SpawnEntity, "spawn_entity", request)
        codes = (OK, FAILED, NOT_UNIQUE, NAME_INVALID, NO_RESOURCE, PARSE, INVALID_POSE)
        if self.note("spawn", answer.result, *codes):
            assert answer.entity_name not in self.there
            self.there.append(answer.entity_name)
        else:
            assert not answer.entity_name

    def delete(self) -> None:
        name = self.draw.choice([*self.there[2:], "athena", "nobody"])
        request = DeleteEntity.Request(entity=name)
        result = self.client.call(DeleteEntity, "delete_entity", request).result
        if self.note("delete", result, OK, FAILED if name == "athena" else NOT_FOUND):
            self.there.remove(name)

    def put(self) -> None:
        name = self.draw.choice(self.there)
        get = GetEntityState.Request(entity=name)
        state = self.client.call(GetEntityState, "get_entity_state", get).state
        assert math.isfinite(state.pose.position.z)
        self.place(state.pose)
        request = SetEntityState.Request(entity=name, state=state)
        result = self.client.call(SetEntityState, "set_entity_state", request).result
        self.note("put", result, OK, FAILED, 101)

    def go_on(self) -> None:
        wanted = self.draw.choice([PLAYING, PAUSED])
        self.client.set_state(wanted)
        if wanted == PAUSED:
            self.client.step(self.draw.choice([1, 20, 100]))
        self.client.spin(0.05)

    def reset(self) -> None:
        scope = self.draw.choice([0, 1, 2, 4, 6, 255])
        assert self.client.reset(scope).result == OK
        if scope in (0, 6, 255):
            self.there = list(FIRST)
        elif scope == 4:
            self.there = [name for name in self.there if name in FIRST]


@pytest.mark.parametrize("seed", [1, 2])
def test_entities_are_those_that_came_and_did_not_go(
    client: SimulatorClient, simulator: Process, seed: int
) -> None:
    world = RandomWorld(client, seed)
    assert client.reset().result == OK
    world.run(CALLS)
    assert {("spawn", OK), ("delete", OK), ("put", OK), ("spawn", INVALID_POSE)} <= set(world.codes)
    assert simulator.is_running()
    assert "Traceback" not in simulator.output()


def test_afterwards_the_robot_stands_as_before(client: SimulatorClient) -> None:
    client.set_state(STOPPED)
    client.set_state(PAUSED)
    client.drain()
    client.forget()
    assert client.step(1000).result == OK
    odometry = client.wait_for_samples("ground_truth/odom", 100)[-1]
    assert odometry.pose.pose.position.z == pytest.approx(0.142, abs=2e-3)
