# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Play the reference cases at rest to the node and print, as JSON, what comes back.

A process of its own, so that it can run on another middleware than the tests.
"""

from __future__ import annotations

import json
import math
from typing import Any

import rclpy
from graph import Checker
from rclpy.duration import Duration
from rclpy.time import Time
from robot_inputs import STEP, Inputs, named, static_cases
from tf2_ros import Buffer, TransformListener

TOPICS = ("actuator_efforts", "resolved_joint_states", "spring_forces", "base_wrench")


def content(cycle: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of a cycle's messages."""
    wrench = cycle["base_wrench"].wrench
    springs = cycle["spring_forces"]
    return {
        "actuator_effort": named(cycle["actuator_efforts"]),
        "actuator_names": list(cycle["actuator_efforts"].name),
        "joint_position": named(cycle["resolved_joint_states"], "position"),
        "generalized_force": named(cycle["resolved_joint_states"]),
        "spring_length": named(springs, "position"),
        "spring_tension": named(springs),
        "force": [wrench.force.x, wrench.force.y, wrench.force.z],
        "torque": [wrench.torque.x, wrench.torque.y, wrench.torque.z],
    }


def frames(checker: Checker, buffer: Buffer, names: list[str], stamp: int) -> dict[str, Any]:
    """Return position and quaternion of frames in odom, as a tf2 buffer knows them."""
    at = Time(nanoseconds=stamp)
    checker.wait_for(
        lambda: all(buffer.can_transform("odom", name, at, Duration()) for name in names),
        f"all frames at {stamp} in the tf2 buffer",
    )
    found = {}
    for name in names:
        t = buffer.lookup_transform("odom", name, at).transform
        p, q = t.translation, t.rotation
        found[name] = {"position": [p.x, p.y, p.z], "quaternion": [q.x, q.y, q.z, q.w]}
    return found


def play_cases(inputs: Inputs, buffer: Buffer, lengths_first: bool) -> list[dict[str, Any]]:
    """Send each case as a robot at rest would, and return what comes back.

    Where joints come first, their cycle has the lengths of the sample before: each case is sent
    twice, and the second cycle counts.
    """
    results = []
    for case in static_cases():
        if not lengths_first:
            inputs.cycle(_values(case), topics=TOPICS, lengths_first=False)
        stamp = inputs.next_stamp()
        topics = (*TOPICS, "/tf")
        cycle = inputs.cycle(_values(case), stamp, topics=topics, lengths_first=lengths_first)
        result = content(cycle)
        result["frames"] = frames(inputs.checker, buffer, list(case["expected"]["frames"]), stamp)
        results.append(result)
    return results


def play_positions(inputs: Inputs) -> list[dict[str, Any]]:
    """Play some cases at 100 Hz without velocities; return when the efforts have settled.

    The node has to estimate velocities and accelerations, from positions that jump from case to
    case. `settled_after` is the time by the stamps (s) from which on all efforts are right.
    """
    topic = "actuator_efforts"
    cases = static_cases()
    inputs.cycle(_values(cases[0]), topics=(topic,))
    results = []
    for case in cases[1:4]:
        first = inputs.next_stamp()
        wrong = first
        unknown = dict.fromkeys(_values(case), math.nan)
        for _ in range(110):
            stamp = inputs.next_stamp()
            cycle = inputs.cycle(_values(case), stamp, topics=(topic,), velocity=unknown)
            if not is_right(named(cycle[topic]), case["expected"]["actuator_effort"]):
                wrong = stamp
            inputs.checker.forget()
        results.append({"settled_after": (wrong + STEP - first) * 1e-9})
    return results


def is_right(got: dict[str, float], expected: dict[str, float]) -> bool:
    """Tell whether all values agree, to a relative and absolute 1e-6."""
    return all(math.isclose(got[n], expected[n], rel_tol=1e-6, abs_tol=1e-6) for n in expected)


def _values(case: dict[str, Any]) -> dict[str, float]:
    given = case["input"]
    return {**given["joint_position"], **given["actuator_length"]}


def main() -> None:
    with Checker((*TOPICS, "/tf")) as checker:
        buffer = Buffer()
        listener = TransformListener(buffer, checker.node, spin_thread=False)
        inputs = Inputs(checker)
        results = {
            "joints first": play_cases(inputs, buffer, False),
            "lengths first": play_cases(inputs, buffer, True),
            "positions only": play_positions(inputs),
        }
        del listener
    rclpy.try_shutdown()
    print(json.dumps(results))


if __name__ == "__main__":
    main()
