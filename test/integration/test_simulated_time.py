# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The node on simulated time, from a clock that the test publishes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from graph import EACH_CYCLE, Checker, stamp_of, stamps_of, to_time
from node_process import Process, start_node
from robot_inputs import JOINTS, LENGTHS, Inputs, joint_state, named, pose
from rosgraph_msgs.msg import Clock

SECOND = 1_000_000_000
START = 1000 * SECOND
TIMEOUT = 0.5  # s, of an input


class SimulatedClock:
    """Publishes a time that grows with each tick, and an input of that time."""

    def __init__(self, checker: Checker) -> None:
        self.now = START
        self._publisher = checker.node.create_publisher(Clock, "/clock", 10)

    def tick(self, step: int = 10_000_000) -> int:
        self.now += step
        self._publisher.publish(Clock(clock=to_time(self.now)))
        return self.now


NODE_PARAMETERS = {"use_sim_time": True}


HEARD = (*EACH_CYCLE, "/diagnostics")


@pytest.fixture(scope="module")
def inputs(checker: Checker) -> Inputs:
    return Inputs(checker)


@pytest.fixture(scope="module")
def clock(checker: Checker) -> SimulatedClock:
    return SimulatedClock(checker)


def all_stamps(checker: Checker, topic: str) -> set[int]:
    return {s for message in checker.received[topic] for s in stamps_of(message)}


def stamps(checker: Checker) -> set[int]:
    return all_stamps(checker, "actuator_efforts")


def send_without_stamp(inputs: Inputs) -> None:
    for publisher, names in ((inputs.lengths, LENGTHS), (inputs.joints, JOINTS)):
        publisher.publish(joint_state({name: pose()[name] for name in names}, 0))


def test_before_a_clock_is_published_samples_with_a_stamp_are_used(
    checker: Checker, inputs: Inputs
) -> None:
    inputs.stamp = SECOND
    inputs.cycle(pose(), topics=["actuator_efforts"])


def test_before_a_clock_is_published_samples_without_a_stamp_are_refused(
    checker: Checker, inputs: Inputs, node: Process
) -> None:
    checker.forget()
    checker.wait_for(
        lambda: "no stamp, and the clock has no time yet" in node.output(),
        "a warning",
        doing=lambda: send_without_stamp(inputs),
    )
    checker.spin(0.3)
    assert 0 not in stamps(checker)


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
        send_without_stamp(inputs)

    checker.wait_for(lambda: stamps(checker), "a cycle", doing=send)
    assert all(START < stamp <= clock.now for stamp in stamps(checker))


def test_diagnostics_have_the_simulated_time(checker: Checker, clock: SimulatedClock) -> None:
    checker.forget()
    checker.wait_for(lambda: checker.received["/diagnostics"], "diagnostics", doing=clock.tick)
    assert START < stamp_of(checker.received["/diagnostics"][-1]) <= clock.now


@pytest.mark.parametrize("silent", [LENGTHS, JOINTS], ids=["lengths", "joints"])
def test_input_that_falls_silent_while_time_pauses_is_named_and_outputs_end(
    checker: Checker, inputs: Inputs, clock: SimulatedClock, silent: tuple[str, ...]
) -> None:
    """The clock stands and the other input goes on; 0.5 s of steady time make the input stale."""
    checker.wait_for(
        lambda: stamps(checker),
        "a cycle",
        doing=lambda: inputs.send(pose(), clock.tick()),
    )
    ended = time.monotonic()
    sent: dict[int, float] = {}
    inputs.stamp = clock.now
    going_on = {name: value for name, value in pose().items() if name not in silent}

    def send() -> None:
        sent[inputs.send(going_on)] = time.monotonic()

    def names_the_silent_only(status: DiagnosticStatus, _: object) -> bool:
        return status.level == b"\x02" and all(
            (name in status.message) == (name in silent) for name in (*LENGTHS, JOINTS[0])
        )

    checker.wait_for_status(": inputs", names_the_silent_only, "an error of inputs", doing=send)
    # the timeout, one period of the reports, and as much for a machine that is busy
    assert time.monotonic() - ended < TIMEOUT + 2.0
    checker.wait_for(lambda: max(sent.values()) > ended + 1.5, "later samples", doing=send)
    checker.spin(0.2)
    late = {stamp for stamp, when in sent.items() if when > ended + TIMEOUT + 0.1}
    assert late
    assert not late & {s for topic in EACH_CYCLE for s in all_stamps(checker, topic)}
    clock.now = max(sent)


@pytest.mark.parametrize("leap", [3600 * SECOND, -3600 * SECOND])
def test_samples_without_stamps_go_on_one_period_after_a_leap_of_the_clock(
    checker: Checker, inputs: Inputs, clock: SimulatedClock, leap: int
) -> None:
    clock.now = max(clock.now, 10_000 * SECOND)
    for _ in range(5):
        clock.tick()
        send_without_stamp(inputs)
        checker.spin(0.02)
    checker.drain()
    clock.tick(leap)
    checker.spin(0.1)
    first = clock.now
    checker.forget()
    for _ in range(3):
        now = clock.tick()
        checker.spin(0.1)
        send_without_stamp(inputs)
        checker.spin(0.1)
    expected = {first + 20_000_000, now}
    checker.wait_for(lambda: expected <= stamps(checker), "cycles after the leap")
    assert max(stamps(checker)) == now


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
