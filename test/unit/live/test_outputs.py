# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The table of outputs: what stands in it, and what reads it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.cycle_messages import CycleMessages, MeasuredMessages
from charmie_dynamics.live.measured import Comparison
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.settings import DEFAULTS, LiveSettings
from charmie_dynamics.live.tracked_points import place_of, tracked_points
from charmie_dynamics.live.wire.cdr import Reader

PACKAGE = Path(outputs.__file__).resolve().parents[1]
STAMP = 1_700_000_000_987_654_321
PERIOD = 1_000_000  # ns


def test_every_topic_says_what_it_holds() -> None:
    assert all(topic.content for topic in outputs.every_topic().values())


# what else is called like a topic: array, namespace of markers, chart, argument, kind of a load,
# status, history of messages, frame
OTHERS = {"clearance", "contacts", "effort_residual", "external_wrench", "markers", "stability"}
OTHERS |= {"trajectory", "imu", "odom", "contact_points", "contact_forces"}


def texts(path: Path) -> Iterator[str]:
    """Yield the texts in a module but for docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_the_name_of_a_topic_stands_once() -> None:
    names = set(outputs.every_topic()) - OTHERS
    places = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for text in texts(path):
            if text in names:
                places[text].append(path.relative_to(PACKAGE).as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_efforts_come_first_and_transforms_second() -> None:
    assert [output.topic for output in outputs.CYCLE_OUTPUTS[:2]] == [
        topics.ACTUATOR_EFFORTS,
        topics.TF,
    ]


def test_kept_rows_give_the_bytes_of_whole_blocks(charmie: Model) -> None:
    made = CycleMessages(charmie, DEFAULTS)
    rng = np.random.default_rng(1)
    states = [
        charmie.compute(charmie.zero_position() + 0.01 * k, *rng.normal(size=(2, 21)))
        for k in range(5)
    ]
    columns = made.columns()
    assert len(columns) < charmie.layout.size
    points = [(point.frame, point.point) for point in tracked_points(charmie)]
    assert len(points) == 2
    blocks = [
        np.concatenate([s.block, [0.01 * k], *(s.motion_numbers(*point) for point in points)])
        for k, s in enumerate(states)
    ]
    rows = np.array([block[columns] for block in blocks])
    stamps = STAMP + np.arange(5)
    filled = made.filler.fill_rows(stamps, rows, columns).view(np.uint8)
    for k, block in enumerate(blocks):
        made.filler.fill(int(stamps[k]), block)
        for message in made.messages:
            assert filled[k, message.template.span].tobytes() == bytes(message.template)


def test_a_block_without_what_the_estimator_adds_is_refused(charmie: Model) -> None:
    made = CycleMessages(charmie, DEFAULTS)
    size, least = charmie.layout.size, place_of(charmie, 1) + 15  # rotations are not published
    with pytest.raises(CharmieError, match=f"block of {size} numbers .* at least {least}"):
        made.filler.fill(STAMP, charmie.compute(charmie.zero_position()).block)


def test_a_message_that_needs_a_floor_is_due_while_that_pushes(charmie: Model) -> None:
    (message,) = [
        m for m in CycleMessages(charmie, DEFAULTS).messages if m.topic == topics.STABILITY
    ]
    block = np.zeros(charmie.layout.size)
    found = []
    for k, force in enumerate((1.0, 0.0, -1.0, np.nan, 2.0)):
        block[message.decisive] = force
        found.append(message.is_due(STAMP + k * 10**9, block, message.decisive))
    assert found == [True, False, False, False, True]


def test_settling_is_published_when_it_changes_and_once_per_second(charmie: Model) -> None:
    (message,) = [
        m for m in CycleMessages(charmie, DEFAULTS).messages if m.topic == topics.SETTLING
    ]
    block = np.zeros(charmie.layout.size + 1)
    left = [*(0.02, 0.01), *(0.0 for _ in range(2100)), 0.05, 0.0, 0.0]
    due = []
    for k, block[message.decisive] in enumerate(left):
        if message.is_due(STAMP + k * PERIOD, block, message.decisive):
            due.append(k)
    assert due == [0, 1, 2, 1000, 2000, 2102, 2103]


def names_in(data: bytes) -> list[str]:
    reader = Reader(data)
    reader.stamp()
    reader.string()
    return reader.strings()


def told(made: MeasuredMessages, k: int, felt: list[int]) -> dict[str, list[str]]:
    effort = np.full(21, np.nan)
    effort[:6] = 1.5
    contacts = np.zeros(21, dtype=bool)
    contacts[felt] = True
    comparison = Comparison(STAMP + k * PERIOD, effort, 2.0 * effort, contacts)
    return {topic.name: names_in(bytes(message)) for topic, message in made.filled(comparison)}


def test_contacts_are_told_at_their_rate_but_changes_at_once(charmie: Model) -> None:
    made = MeasuredMessages(charmie, DEFAULTS)
    felt = [[1] if 7 <= k < 9 else [] for k in range(16)]
    found = [told(made, k, each).get("contacts") for k, each in enumerate(felt)]
    assert [k for k, names in enumerate(found) if names is not None] == [0, 5, 7, 9, 10, 15]
    assert found[7] == [charmie.actuator_names[1]] and found[9] == []


def test_only_measured_efforts_are_named(charmie: Model) -> None:
    found = told(MeasuredMessages(charmie, DEFAULTS), 0, [])
    measured = list(charmie.actuator_names[:6])
    assert found == {"effort_residual": measured, "external_efforts": measured, "contacts": []}


@pytest.mark.parametrize(("rate", "expected"), [(200.0, 5), (0.0, 1), (1000.0, 1), (30.0, 34)])
def test_a_rate_limiter_passes_on_average(rate: float, expected: int) -> None:
    limiter = RateLimiter(rate)
    passed = [k for k in range(1000) if limiter.passes(k * PERIOD)]
    assert passed[:2] == [0, expected]
    assert len(passed) == pytest.approx(rate or 1000.0, abs=1.0)


def test_a_rate_limiter_begins_anew_when_time_jumps_back() -> None:
    limiter = RateLimiter(10.0)
    assert limiter.passes(10**12) and limiter.passes(10**9)
    assert not limiter.passes(10**9 + PERIOD)


def test_what_is_switched_off_has_no_message(charmie: Model) -> None:
    off = LiveSettings(
        publish_tf=False,
        compute_dynamics=False,
        publish_robot_description=False,
        tracked_points=("none",),
    )
    names = {message.topic.name for message in CycleMessages(charmie, off).messages}
    assert {"resolved_joint_states", "spring_forces", "estimator_settling"} <= names
    assert not {"actuator_efforts", "/tf", "base_wrench", "stability"} & names
    assert [name for name in names if name.startswith("tracked_points")] == []
    assert [output.message(charmie, off) for output in outputs.LATCHED_OUTPUTS] == [None, None]
