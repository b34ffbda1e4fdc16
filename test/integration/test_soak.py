# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A soak of some seconds, and that a soak finds what it looks for.

The full hour is run by ``scripts/soak``; its figures are in docs/reliability.md.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped
from graph import OUTPUTS
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics.live.outputs import output_topics
from charmie_dynamics.live.tracked_points import point_names
from soak.faults import KINDS, Kind
from soak.node import Sizes
from soak.outputs import is_finite, may_hold_nonsense
from soak.report import MEBIBYTE, growth, problems
from soak.run import Plan, Recovery, Result, run

SECONDS, WARM_UP = 30.0, 15.0
PLAN = Plan(SECONDS, WARM_UP, pause=(0.02, 0.1), seed=6)
# 0.3 to 0.8 MiB were measured on both distributions and middlewares, since some buffers of the
# middleware and of Python are still made; to keep 1 KiB of each sample would be more than 3 MiB
MOST_GROWTH = 2 * MEBIBYTE


@pytest.fixture(scope="module")
def result() -> Result:
    return run(PLAN)


def test_every_kind_of_fault_is_recovered_from(result: Result) -> None:
    recovered = Counter(r.kind.name for r in result.recoveries if r.seconds is not None)
    injected = Counter(r.kind.name for r in result.recoveries)
    assert recovered == injected
    assert set(injected) == {kind.name for kind in KINDS}


def test_no_output_holds_a_number_that_is_not_finite(result: Result) -> None:
    assert result.not_finite == {}
    assert all(result.received[topic] > 100 for topic in OUTPUTS)


def test_efforts_show_the_positions_sent_and_come_for_no_refused_sample(result: Result) -> None:
    assert result.wrong == {}


def test_neither_threads_nor_descriptors_leak(result: Result) -> None:
    grown = growth(result.sizes, PLAN)
    assert (grown.threads, grown.descriptors) == (0, 0)


def test_memory_stays_after_the_warm_up(result: Result) -> None:
    assert growth(result.sizes, PLAN).memory <= MOST_GROWTH


def test_nothing_else_is_wrong(result: Result) -> None:
    assert problems(result, MOST_GROWTH) == []


# what follows needs no node: would the soak notice?


def looks(change: Callable[[float], dict[str, int]] = lambda _: {}) -> list[Sizes]:
    """Return looks at a process, one a second, that does not grow but for a change over time."""
    plain = Sizes(0.0, 200 * MEBIBYTE, 100 * MEBIBYTE, 15, 18)
    times = np.arange(0.0, SECONDS)
    return [plain._replace(time=t, **change(t)) for t in times.tolist()]


def good_result(sizes: list[Sizes] | None = None, **changes: Any) -> Result:
    return Result(
        **{
            "plan": PLAN,
            "sizes": looks() if sizes is None else sizes,
            "recoveries": [Recovery(kind, 0.001, 0) for kind in KINDS],
            "received": Counter(topic.name for topic in output_topics(point_names())),
            "status": 0,
            **changes,
        }
    )


def test_a_good_run_has_no_problems() -> None:
    assert problems(good_result(), 0) == []


def test_memory_that_grows_after_the_warm_up_is_found() -> None:
    sizes = looks(lambda t: {"resident": 200 * MEBIBYTE + int(t * MEBIBYTE)})
    rise = growth(sizes, PLAN).memory
    expected = SECONDS - WARM_UP  # but for half of the looks of which the median is taken
    assert expected - 1.5 < rise / MEBIBYTE < expected
    (problem,) = problems(good_result(sizes), MEBIBYTE)
    assert "resident memory grew" in problem
    assert problems(good_result(sizes), rise) == []


def test_memory_that_is_needed_for_a_moment_is_no_growth() -> None:
    plan = replace(PLAN, seconds=100.0, warm_up=50.0)
    plain = looks()[0]
    sizes = [
        plain._replace(time=float(t), resident=plain.resident + (t % 4 == 0) * 5 * MEBIBYTE)
        for t in range(100)
    ]
    assert growth(sizes, plan).memory == 0


def test_memory_that_grows_only_before_is_none() -> None:
    sizes = looks(lambda t: {"resident": int(min(t, 8.0) * MEBIBYTE)})
    assert growth(sizes, PLAN).memory == 0


@pytest.mark.parametrize("field", ["threads", "descriptors"])
def test_one_handle_that_leaks_is_found(field: str) -> None:
    sizes = looks(lambda t: {field: 15 + (t >= SECONDS - 3.0)})
    assert getattr(growth(sizes, PLAN), field) == 1
    assert len(problems(good_result(sizes), 0)) == 1


@pytest.mark.parametrize("field", ["threads", "descriptors"])
def test_handles_that_are_given_back_are_none(field: str) -> None:
    sizes = looks(lambda t: {field: 15 + (t % 3 < 1)})
    assert getattr(growth(sizes, PLAN), field) == 0


@pytest.mark.parametrize(
    "change, words",
    [
        ({"died": True}, "ended by itself"),
        ({"status": 1}, "exit status is 1"),
        ({"log": "Traceback (most recent call last)"}, "traceback"),
        ({"not_finite": Counter({"/tf": 2})}, "2 messages on /tf"),
        ({"wrong": Counter({"efforts": 3})}, "3 times efforts"),
        ({"received": Counter()}, "nothing was received on /tf"),
        ({"recoveries": []}, "'leaps' was never injected"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], words: str) -> None:
    found = problems(good_result(**change), 0)
    assert any(words in problem for problem in found), found


@pytest.mark.parametrize("seconds, skipped", [(None, 0), (1.5, 0), (0.02, 1)])
def test_a_fault_without_recovery_is_found(seconds: float | None, skipped: int) -> None:
    kind = next(kind for kind in KINDS if not kind.skipped and not kind.reconnects)
    others = [Recovery(other, 0.001, 0) for other in KINDS if other != kind]
    bad = [Recovery(kind, seconds, skipped)] * 2
    (problem,) = problems(good_result(recoveries=[*others, *bad]), 0)
    assert kind.name in problem


def test_a_kind_may_skip_the_samples_that_it_does_by_design() -> None:
    kinds: tuple[Kind, ...] = tuple(replace(kind, skipped=1) for kind in KINDS)
    recoveries = [Recovery(kind, 0.01, 1) for kind in kinds]
    result = good_result(plan=replace(PLAN, kinds=kinds), recoveries=recoveries)
    assert problems(result, 0) == []


@pytest.mark.parametrize("value", [math.nan, -math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("length", range(8))
def test_a_double_that_is_not_finite_is_found_wherever_it_stands(length: int, value: float) -> None:
    transform = TransformStamped(child_frame_id="f" * length)
    message = TFMessage(transforms=[transform])
    assert not may_hold_nonsense(serialize_message(message))
    transform.transform.rotation.y = value
    assert may_hold_nonsense(serialize_message(message))
    assert not is_finite(message)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_of_messages_within_messages_are_looked_at(value: float) -> None:
    assert is_finite(MarkerArray(markers=[Marker(colors=[ColorRGBA(a=0.5)])]))
    assert not is_finite(MarkerArray(markers=[Marker(colors=[ColorRGBA(a=value)])]))
    assert not is_finite(JointState(name=["a"], effort=array("d", [value])))
