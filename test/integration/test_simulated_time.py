"""The node on simulated time, from a clock that the test publishes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from graph import EACH_CYCLE, Checker, stamp_of, stamps_of, to_time
from node_process import Process, start_dynamics_node, start_node
from robot_inputs import JOINTS, LENGTHS, Inputs, joint_state, named, pose
from rosgraph_msgs.msg import Clock

SECOND = 1_000_000_000
START = 1000 * SECOND


class SimulatedClock:
    """Publishes a time that grows with each tick, and an input of that time."""

    def __init__(self, checker: Checker) -> None:
        self.now = START
        self._publisher = checker.node.create_publisher(Clock, "/clock", 10)

    def tick(self, step: int = 10_000_000) -> int:
        self.now += step
        self._publisher.publish(Clock(clock=to_time(self.now)))
        return self.now


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[Process]:
    with start_dynamics_node(folder, {"use_sim_time": True}) as process:
        yield process


@pytest.fixture(scope="module")
def checker(node: Process) -> Iterator[Checker]:
    with Checker((*EACH_CYCLE, "/diagnostics")) as checker:
        yield checker


@pytest.fixture(scope="module")
def inputs(checker: Checker) -> Inputs:
    return Inputs(checker)


@pytest.fixture(scope="module")
def clock(checker: Checker) -> SimulatedClock:
    return SimulatedClock(checker)


def stamps(checker: Checker) -> set[int]:
    return {s for message in checker.received["actuator_efforts"] for s in stamps_of(message)}


def test_cycles_have_the_simulated_stamps_of_their_samples(
    checker: Checker, inputs: Inputs, clock: SimulatedClock
) -> None:
    sent: list[int] = []
    checker.wait_for(
        lambda: len(stamps(checker)) >= 20,
        "twenty cycles",
        doing=lambda: sent.append(inputs.send(pose(), clock.tick())),
    )
    assert stamps(checker) <= set(sent)


def test_a_message_without_stamp_gets_the_simulated_time(
    checker: Checker, inputs: Inputs, clock: SimulatedClock
) -> None:
    checker.forget()

    def send() -> None:
        clock.tick()
        for publisher, names in ((inputs.lengths, LENGTHS), (inputs.joints, JOINTS)):
            publisher.publish(joint_state({name: pose()[name] for name in names}, 0))

    checker.wait_for(lambda: stamps(checker), "a cycle", doing=send)
    assert all(START < stamp <= clock.now for stamp in stamps(checker))


def test_diagnostics_have_the_simulated_time(checker: Checker, clock: SimulatedClock) -> None:
    checker.forget()
    checker.wait_for(lambda: checker.received["/diagnostics"], "diagnostics", doing=clock.tick)
    assert START < stamp_of(checker.received["/diagnostics"][-1]) <= clock.now


def test_outputs_go_on_after_a_jump_back_of_time(
    checker: Checker, inputs: Inputs, clock: SimulatedClock
) -> None:
    """The first sample after the jump computes anew, from values of the new time alone."""
    checker.wait_for(
        lambda: stamps(checker),
        "a cycle before the jump",
        doing=lambda: inputs.send(pose(1), clock.tick()),
    )
    clock.now = START // 2
    checker.wait_for(
        lambda: any(stamp < START for stamp in stamps(checker)),
        "cycles after the jump",
        doing=lambda: inputs.send(pose(2), clock.tick()),
    )
    early = min(stamps(checker))
    message = checker.by_stamp("actuator_efforts")[early]
    assert named(message, "position") == pytest.approx(pose(2), abs=1e-12)
    assert list(message.velocity) == [0.0] * len(message.name)


def test_the_player_follows_simulated_time(
    folder: Path, checker: Checker, clock: SimulatedClock
) -> None:
    with Checker(("joint_states",), namespace="sim", name="sim_checker") as other:
        player = start_node("motion_player", folder, {"use_sim_time": True}, namespace="sim")
        with player:
            start = clock.now
            other.wait_for(
                lambda: len(other.received["joint_states"]) >= 10, "samples", doing=clock.tick
            )
    found = [stamp_of(message) for message in other.received["joint_states"]]
    # the player rounds to its grid
    assert all(start < stamp <= clock.now + 10_000_000 for stamp in found)


def test_nothing_was_raised_in_the_node(node: Process, checker: Checker) -> None:
    assert node.is_running()
    assert "Traceback" not in node.output()
