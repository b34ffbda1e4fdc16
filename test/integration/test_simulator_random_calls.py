# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulator under calls in random order: each is answered as the interfaces say."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from geometry_msgs.msg import WrenchStamped
from node_process import Process
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from simulation_interfaces.msg import Bounds, EntityCategory
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntitiesStates,
    GetEntityInfo,
    GetEntityState,
    GetSimulatorFeatures,
    SetEntityState,
    SpawnEntity,
)
from simulator_client import (
    FAILED,
    NOT_FOUND,
    OK,
    PAUSED,
    PLAYING,
    STOPPED,
    UNSUPPORTED,
    SimulatorClient,
)
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

CALLS = 400
SEED = 1
ALREADY, INVALID_POSE, INCORRECT_TRANSITION = 101, 101, 103
ROBOT = "charmie"
STRANGE = ("", "charmi", "CHARMIE", "charmie/arm", "robot\u00fc", "x" * 300)
ODD = (math.nan, math.inf, -math.inf, 1e300, -1e18, 1e-300)


SIMULATOR_PARAMETERS = {"motion": "wave"}


HEARD = ("/clock", "ground_truth/actuators")


class RandomCaller:
    """Makes calls that a seed draws, and holds each answer against the interface."""

    def __init__(self, client: SimulatorClient, seed: int) -> None:
        self.client, self.draw = client, random.Random(seed)
        self.codes: Counter[tuple[str, int]] = Counter()
        self.goals: list[Any] = []

    def run(self, calls: int) -> None:
        actions: list[Callable[[], None]] = [
            *(self.play, self.play, self.step, self.step, self.reset, self.look),
            *(self.put, self.put, self.ask, self.spawn, self.command, self.command),
            *(self.plain, self.speed, self.goal),
        ]
        for _ in range(calls):
            self.draw.choice(actions)()
            if self.draw.random() < 0.3:
                self.client.spin(0.03 * self.draw.random())

    def note(self, name: str, result: Any, *allowed: int) -> None:
        assert result.result in allowed, (name, result)
        if result.result not in (OK, ALREADY):
            assert result.error_message, name
        self.codes[name, result.result] += 1

    def play(self) -> None:
        before = self.client.state()
        wanted = self.draw.choice([STOPPED, PLAYING, PLAYING, PAUSED, PAUSED, 4, 5, 255])
        result = self.client.set_state(wanted)
        if wanted > PAUSED:
            self.note("set state", result, INCORRECT_TRANSITION)
            assert self.client.state() in (before, PAUSED)
        else:
            self.note("set state", result, OK, ALREADY)
            # what plays may be pushed where it cannot go on, and pauses by itself
            assert self.client.state() in ((wanted,) if wanted != PLAYING else (PLAYING, PAUSED))

    def step(self) -> None:
        before = self.client.state()
        result = self.client.step(self.draw.choice([0, 1, 7, 10, 60, 12_000]))
        self.note("step", result, OK, FAILED)
        if before == STOPPED:
            assert result.result == FAILED

    def reset(self) -> None:
        scope = self.draw.choice([0, 1, 2, 3, 4, 6, 64, 255])
        result = self.client.reset(scope)
        self.note("reset", result, OK if scope in (0, 1, 2, 3, 255) else UNSUPPORTED)

    def look(self) -> None:
        request = GetSimulatorFeatures.Request()
        features = self.client.call(GetSimulatorFeatures, "get_simulator_features", request)
        assert features.features.features
        assert self.client.state() in (STOPPED, PLAYING, PAUSED)

    def name(self) -> str:
        return ROBOT if self.draw.random() < 0.7 else self.draw.choice(STRANGE)

    def put(self) -> None:
        name = self.name()
        get = GetEntityState.Request(entity=ROBOT)
        state = self.client.call(GetEntityState, "get_entity_state", get).state
        places = ("pose.position", "pose.orientation", "twist.linear", "twist.angular")
        state.pose.position.x = self.draw.uniform(-2.0, 2.0)
        state.twist.linear.y = self.draw.choice([0.0, 0.3])
        valid = self.draw.random() < 0.4
        if not valid:
            place, axis = self.draw.choice(places), self.draw.choice("xyz")
            part: Any = state
            for field in place.split("."):
                part = getattr(part, field)
            setattr(part, axis, self.draw.choice((*ODD, 0.4)))
            state.header.frame_id = self.draw.choice(["", "odom", "world", "kitchen"])
        request = SetEntityState.Request(entity=name, state=state)
        result = self.client.call(SetEntityState, "set_entity_state", request).result
        if name != ROBOT:
            self.note("put", result, NOT_FOUND)
        else:
            self.note("put", result, OK, INVALID_POSE)

    def ask(self) -> None:
        name = self.name()
        for kind, service in (
            (GetEntityState, "get_entity_state"),
            (GetEntityInfo, "get_entity_info"),
        ):
            answer = self.client.call(kind, service, kind.Request(entity=name))
            self.note(service, answer.result, OK if name == ROBOT else NOT_FOUND)
            if kind is GetEntityState and name == ROBOT:
                p = answer.state.pose.position
                assert all(math.isfinite(x) for x in (p.x, p.y, p.z))
        request = GetEntities.Request()
        request.filters.filter = self.draw.choice(["", "^char", "(", "[z-a]", "*", "\u00fc"])
        if self.draw.random() < 0.3:
            request.filters.categories = [EntityCategory(category=self.draw.randrange(256))]
        if self.draw.random() < 0.2:
            request.filters.bounds.type = self.draw.choice([Bounds.TYPE_SPHERE, 77])
        for kind, service in (
            (GetEntities, "get_entities"),
            (GetEntitiesStates, "get_entities_states"),
        ):
            of_kind = kind.Request(filters=request.filters)
            answer = self.client.call(kind, service, of_kind)
            self.note(service, answer.result, OK, FAILED, UNSUPPORTED)

    def spawn(self) -> None:
        kind, service = self.draw.choice(
            [(SpawnEntity, "spawn_entity"), (DeleteEntity, "delete_entity")]
        )
        self.note(service, self.client.call(kind, service, kind.Request()).result, UNSUPPORTED)

    def number(self, most: float) -> float:
        if self.draw.random() < 0.1:
            return self.draw.choice(ODD)
        return self.draw.uniform(-most, most)

    def command(self) -> None:
        kind = self.draw.choice(["efforts", "trajectory", "wrench"])
        if kind == "efforts":
            count = self.draw.choice([21, 21, 21, 0, 20])
            values = [self.draw.uniform(-30.0, 30.0)] * count
            if count and self.draw.random() < 0.3:
                values[0] = self.draw.choice(ODD)
            self.client.efforts.publish(Float64MultiArray(data=values))
        elif kind == "wrench":
            message = WrenchStamped()
            message.header.frame_id = self.draw.choice(["left_tool", "right_tool", "", "elbow"])
            message.wrench.force.z = self.number(40.0)
            self.client.wrenches.publish(message)
        else:
            names = self.draw.choice(
                [["neck_pan_joint"], ["lift_actuator"], ["elbow"], [], ["torso_joint"]]
            )
            message = JointTrajectory(joint_names=names)
            for k in range(self.draw.randrange(4)):
                point = JointTrajectoryPoint(positions=[self.number(0.6)] * len(names))
                point.time_from_start.nanosec = 200_000_000 * self.draw.choice([k, k + 1])
                message.points.append(point)
            self.client.trajectories.publish(message)

    def plain(self) -> None:
        if self.draw.random() < 0.5:
            request = SetBool.Request(data=self.draw.random() < 0.5)
            assert self.client.call(SetBool, "pause", request).success
        else:
            assert self.client.call(Trigger, "reset", Trigger.Request()).success

    def speed(self) -> None:
        value = self.draw.choice([0.0, 0.2, 1.0, 3.0, -1.0, *ODD])
        parameter = Parameter("speed", value=value).to_parameter_msg()
        request = SetParameters.Request(parameters=[parameter])
        service = "charmie_simulator/set_parameters"
        taken = self.client.call(SetParameters, service, request).results[0].successful
        assert taken == (value in (0.0, 0.2, 1.0, 3.0, 1e-300)), value

    def goal(self) -> None:
        goal = self.client.begin_steps(self.draw.choice([0, 5, 300, 100_000]))
        assert goal.accepted
        if self.draw.random() < 0.5:
            goal.cancel_goal_async()
        if self.draw.random() < 0.5:
            self.client.set_state(PAUSED)  # ends it
            self.client.reset()
        self.goals.append(goal.get_result_async())

    def end(self) -> None:
        """Stop it, and wait for the answers of all goals."""
        self.client.set_state(STOPPED)
        for future in self.goals:
            self.client.wait_for(future.done, "a goal's result", timeout=60.0)
            self.note("goal", future.result().result.result, OK, FAILED)


def test_calls_in_random_order_are_all_answered_as_the_interfaces_say(
    client: SimulatorClient, simulator: Process
) -> None:
    caller = RandomCaller(client, SEED)
    caller.run(CALLS)
    caller.end()
    assert simulator.is_running()
    assert "Traceback" not in simulator.output()
    # it was a mixture: each kind of answer came
    named = {name for name, _ in caller.codes}
    assert {"set state", "step", "reset", "put", "get_entities", "goal"} <= named
    assert {("put", OK), ("put", NOT_FOUND), ("step", FAILED), ("step", OK)} <= set(caller.codes)


def test_afterwards_it_works_as_before(client: SimulatorClient) -> None:
    client.set_state(STOPPED)
    client.set_state(PAUSED)
    assert client.reset().result == OK
    client.drain()
    client.forget()
    assert client.step(50).result == OK
    first = client.wait_for_samples("ground_truth/actuators", 5)[0]
    assert (first.header.stamp.sec, first.header.stamp.nanosec) == (0, 10_000_000)


@pytest.mark.parametrize("way", ["pause", "reset", "stop"])
def test_endless_steps_of_the_service_leave_others_answered_and_can_be_ended(
    client: SimulatorClient, way: str
) -> None:
    client.set_state(STOPPED)
    client.set_state(PAUSED)
    future = client.step_later(2**64 - 1)
    client.forget()
    client.wait_for_samples("ground_truth/actuators", 20)
    assert client.state() == PAUSED and not future.done()
    busy = client.step()
    assert busy.result == FAILED and "already" in busy.error_message
    if way == "reset":
        assert client.reset().result == OK
    else:
        client.set_state(PAUSED if way == "pause" else STOPPED)
    client.wait_for(future.done, "the answer")
    result = future.result().result
    assert result.result == FAILED and "steps were omitted" in result.error_message
