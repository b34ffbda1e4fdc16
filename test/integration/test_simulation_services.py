# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulator's services: play, pause, step, reset, entities."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from node_process import start_node
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from simulation_interfaces.msg import EntityCategory, SimulatorFeatures
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
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
    QUITTING,
    SAMPLES,
    STOPPED,
    UNSUPPORTED,
    SimulatorClient,
)
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

STEP = 1_000_000  # ns
PER_SAMPLE = 10


SIMULATOR_PARAMETERS = {"paused": True}


@pytest.fixture(autouse=True)
def stopped(client: SimulatorClient) -> None:
    """Each test begins at the start of simulated time."""
    client.set_state(STOPPED)
    client.drain()
    client.forget()


def now(client: SimulatorClient) -> int:
    """Return simulated time (ns): the newest clock."""
    stamp = client.received["/clock"][-1].clock
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def test_a_step_while_stopped_or_playing_is_refused(client: SimulatorClient) -> None:
    assert client.step().result == FAILED
    client.set_state(PLAYING)
    answer = client.step()
    assert answer.result == FAILED and "pause" in answer.error_message


def test_steps_end_where_they_are_told_to(client: SimulatorClient) -> None:
    client.set_state(PAUSED)
    assert client.step(3 * PER_SAMPLE - 1).result == OK
    client.wait_for_samples("joint_states", 2)
    assert client.state() == PAUSED
    assert client.step().result == OK
    client.wait_for_samples("joint_states", 3)
    client.drain()
    assert [len(client.received[topic]) for topic in SAMPLES] == [3] * len(SAMPLES)
    assert now(client) == 3 * PER_SAMPLE * STEP


def test_playing_follows_real_time_and_a_pause_stops_it(client: SimulatorClient) -> None:
    assert client.set_state(PLAYING).result == OK
    client.wait_for_samples("joint_states", 50)
    assert client.set_state(PAUSED).result == OK
    client.drain()
    count = len(client.received["joint_states"])
    client.spin(0.3)
    assert len(client.received["joint_states"]) == count


def test_a_state_that_it_is_in_already_is_said_to_be(client: SimulatorClient) -> None:
    assert client.set_state(STOPPED).result == 101
    assert client.set_state(7).result == 103


def test_a_reset_of_time_leaves_the_robot_and_one_of_the_state_leaves_time(
    client: SimulatorClient,
) -> None:
    client.set_state(PAUSED)
    client.efforts.publish(Float64MultiArray(data=[0.0] * 21))
    client.spin(0.2)
    client.step(20)
    client.wait_for_samples("ground_truth/actuators", 2)
    moved = client.received["ground_truth/actuators"][-1].points[0].positions
    assert client.reset(scope=1).result == OK
    client.forget()
    client.step(PER_SAMPLE)
    client.wait_for_samples("ground_truth/actuators", 1)
    assert now(client) == PER_SAMPLE * STEP
    held = client.received["ground_truth/actuators"][-1].points[0].positions
    assert max(abs(a - b) for a, b in zip(moved, held, strict=True)) < 0.05
    assert client.reset(scope=2).result == OK
    client.step(PER_SAMPLE)
    client.wait_for_samples("ground_truth/actuators", 2)
    assert now(client) == 2 * PER_SAMPLE * STEP
    anew = client.received["ground_truth/actuators"][-1].points[0].positions
    assert max(abs(a - b) for a, b in zip(moved, anew, strict=True)) > 1e-4


def test_a_reset_of_what_is_spawned_is_not_supported(client: SimulatorClient) -> None:
    answer = client.reset(scope=4)
    assert answer.result == UNSUPPORTED and "spawned" in answer.error_message


def test_steps_of_the_action_are_reported_in_their_order(client: SimulatorClient) -> None:
    client.set_state(PAUSED)
    told: list[int] = []
    goal = client.begin_steps(25, lambda feedback: told.append(feedback.completed_steps))
    end = client.end_of(goal)
    assert end.result.result.result == OK
    # rclpy drops feedback that it has not handled when the result arrives
    assert told and told == sorted(set(told)) and set(told) <= set(range(1, 26))
    assert client.step(5).result == OK
    client.wait_for_samples("joint_states", 3)
    assert now(client) == 30 * STEP


def test_steps_of_the_action_can_be_cancelled_and_watched_by_services(
    client: SimulatorClient,
) -> None:
    client.set_state(PAUSED)
    goal = client.begin_steps(10_000_000)
    assert client.state() == PAUSED
    assert "already" in client.step().error_message
    future = goal.cancel_goal_async()
    client.wait_for(future.done, "the cancellation")
    end = client.end_of(goal)
    assert end.result.result.result == FAILED and "cancelled" in end.result.result.error_message
    assert client.step().result == OK


def test_to_play_or_reset_ends_steps_of_the_action(client: SimulatorClient) -> None:
    client.set_state(PAUSED)
    goal = client.begin_steps(10_000_000)
    client.reset()
    assert "interrupted" in client.end_of(goal).result.result.error_message
    assert client.state() == PAUSED


def test_steps_of_the_action_are_refused_while_it_plays(client: SimulatorClient) -> None:
    client.set_state(PLAYING)
    end = client.end_of(client.begin_steps(1))
    assert end.result.result.result == FAILED


def test_the_features_are_those_that_there_are(client: SimulatorClient) -> None:
    request = GetSimulatorFeatures.Request()
    answer = client.call(GetSimulatorFeatures, "get_simulator_features", request)
    features = set(answer.features.features)
    assert SimulatorFeatures.STEP_SIMULATION_ACTION in features
    assert not features & {SimulatorFeatures.SPAWNING, SimulatorFeatures.DELETING}
    for kind, name in ((SpawnEntity, "spawn_entity"), (DeleteEntity, "delete_entity")):
        assert client.call(kind, name, kind.Request()).result.result == UNSUPPORTED


def test_the_robot_is_the_only_entity(client: SimulatorClient) -> None:
    def found(pattern: str, *categories: int) -> list[str]:
        request = GetEntities.Request()
        request.filters.filter = pattern
        request.filters.categories = [EntityCategory(category=c) for c in categories]
        return list(client.call(GetEntities, "get_entities", request).entities)

    assert found("") == found("^char") == found("", 1) == ["charmie"]
    assert found("^x") == found("", 2) == []
    request = GetEntities.Request()
    request.filters.filter = "("
    assert client.call(GetEntities, "get_entities", request).result.result == FAILED
    info = client.call(GetEntityInfo, "get_entity_info", GetEntityInfo.Request(entity="charmie"))
    assert info.info.category.category == EntityCategory.CATEGORY_ROBOT
    other = GetEntityState.Request(entity="charmi")
    answer = client.call(GetEntityState, "get_entity_state", other)
    assert answer.result.result == NOT_FOUND and "charmie" in answer.result.error_message


def test_the_robot_is_put_where_its_base_can_be(client: SimulatorClient) -> None:
    client.set_state(PAUSED)
    request = SetEntityState.Request(entity="charmie")
    get = GetEntityState.Request(entity="charmie")
    state = client.call(GetEntityState, "get_entity_state", get).state
    request.state = state
    request.state.pose.position.x = 1.5
    request.state.pose.position.y = -0.5
    request.state.pose.orientation.z = math.sin(0.4)
    request.state.pose.orientation.w = math.cos(0.4)
    request.state.twist.linear.x = 0.2
    answer = client.call(SetEntityState, "set_entity_state", request)
    assert answer.result.result == OK, answer.result.error_message
    got = client.call(GetEntityState, "get_entity_state", get).state
    assert got.pose.position.x == pytest.approx(1.5, abs=1e-9)
    assert got.pose.orientation.z == pytest.approx(math.sin(0.4), abs=1e-9)
    assert got.twist.linear.x == pytest.approx(0.2, abs=1e-9)
    client.step(PER_SAMPLE)
    client.wait_for_samples("ground_truth/odom", 1)
    odom = client.received["ground_truth/odom"][-1]
    assert odom.child_frame_id == "base_link" and odom.header.frame_id == "odom"
    assert odom.pose.pose.position.y == pytest.approx(-0.5, abs=1e-3)
    # in the axes of the base
    assert odom.twist.twist.linear.x == pytest.approx(0.2 * math.cos(0.8), abs=0.05)
    request.state.pose.position.z = 0.3
    answer = client.call(SetEntityState, "set_entity_state", request)
    assert answer.result.result == 101 and "base_x_joint" in answer.result.error_message


def test_pause_and_reset_are_services_of_std_srvs_too(client: SimulatorClient) -> None:
    def pause(wanted: bool) -> str:
        return str(client.call(SetBool, "pause", SetBool.Request(data=wanted)).message)

    assert pause(False) == "playing"
    client.wait_for_samples("joint_states", 5)
    assert pause(True) == "paused"
    assert client.call(Trigger, "reset", Trigger.Request()).success
    client.drain()
    client.forget()
    client.step(PER_SAMPLE)
    client.wait_for_samples("joint_states", 1)
    assert now(client) == PER_SAMPLE * STEP


def test_the_speed_can_be_changed_while_it_plays(client: SimulatorClient) -> None:
    def set_parameter(name: str, value: object) -> bool:
        parameter = Parameter(name, value=value).to_parameter_msg()
        request = SetParameters.Request(parameters=[parameter])
        service = "charmie_simulator/set_parameters"
        return bool(client.call(SetParameters, service, request).results[0].successful)

    assert not set_parameter("step", 0.002)
    assert not set_parameter("speed", -1.0)
    assert set_parameter("speed", 0.1)
    try:
        client.set_state(PLAYING)
        client.spin(1.0)
        slow = len(client.received["joint_states"])
        assert 1 <= slow <= 15
        assert set_parameter("speed", 0.0)
        client.forget()
        client.spin(1.0)
        assert len(client.received["joint_states"]) > 2 * slow
    finally:
        assert set_parameter("speed", 1.0)


def test_quitting_ends_the_process(folder: Path) -> None:
    with start_node("simulator_node", folder, {"paused": True}, namespace="other") as process:
        process.wait_for_output("ready")
        with SimulatorClient((), namespace="other") as client:
            assert client.set_state(QUITTING).result == OK
        assert process.wait() == 0
