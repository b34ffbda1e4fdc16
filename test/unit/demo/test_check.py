# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The check of the demonstration finds the node's faults; what the machine did is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from demo_bags import (
    EACH,
    JOINTS,
    LATCHED,
    LENGTHS,
    MS,
    NS,
    RATE,
    START,
    Demo,
    grid,
    some,
)

from charmie_dynamics.demo.check import check_bag
from charmie_dynamics.demo.judge import BagVerdict
from charmie_dynamics.demo.report import topic_table
from charmie_dynamics.live import topics

SENT = grid()
PAUSED = [stamp for stamp in SENT if not 2 * NS < stamp - START < 2.5 * NS]
# a machine with too much to do: samples come when they can, some two in a row, most on the grid
HURRIED = sorted({*some(SENT, 0.6), *(s for s in SENT if (s // NS) % 2)})


def checked(demo: Demo, path: Path, rate: float = RATE, marker_rate: float = 30.0) -> BagVerdict:
    return check_bag(demo.write(path / "bag"), rate, marker_rate)


INNOCENT: dict[str, tuple[Demo, str]] = {
    "all is well": (Demo(), ""),
    "the player pauses": (Demo(PAUSED), "longest pause was 0.5"),
    "the player is slow": (Demo(grid(94.0)), "the player sent 94.00 samples a second"),
    "the player stutters": (Demo(HURRIED), "the player sent"),
    "the recorder misses joints": (
        Demo(missed={JOINTS: some(SENT, 0.3)}),
        "the recorder missed",
    ),
    "the recorder misses lengths": (Demo(missed={LENGTHS: some(SENT, 0.3)}), ""),
    "inputs do not reach the node": (
        Demo(unreceived=set(SENT[150:230]) | some(SENT, 0.05)),
        "did not reach the node",
    ),
    "the node has no time": (Demo(passed_over=set(SENT[200:400:2])), "100 were skipped"),
    "the node is late": (Demo(delay=0.4), ""),
    "lengths are missing": (Demo(without_lengths=set(SENT[200:420])), ""),
    "a topic is heard late": (
        Demo(heard_from={topics.TF: 3.5}),
        "/tf: the first message was recorded 3.5 s after",
    ),
    "diagnostics are heard late": (
        Demo(heard_from={topics.DIAGNOSTICS: 5.0}),
        "the recording is too short",
    ),
    "everything at once": (
        Demo(
            HURRIED,
            unreceived=set(SENT[150:190]),
            passed_over=set(SENT[401:430:2]) & set(HURRIED),
            missed={JOINTS: some(SENT, 0.1), LENGTHS: some(SENT, 0.1, 2)},
            held=(2.0, 3.4),
            heard_from={topics.TF: 1.2},
        ),
        "late",
    ),
}


@pytest.mark.parametrize("case", INNOCENT)
def test_what_the_machine_does_is_a_remark_and_no_fault(case: str, tmp_path: Path) -> None:
    demo, remark = INNOCENT[case]
    verdict = checked(demo, tmp_path)
    assert verdict.faults == []
    assert any(remark in text for text in verdict.remarks) or not remark
    assert verdict.remarks == [] or case != "all is well"


@pytest.mark.parametrize("held", [(2.0, 2.5), (2.0, 4.6), (3.0, 5.99)])
def test_a_recorder_that_was_held_up_is_no_fault_and_no_slow_player(
    tmp_path: Path, held: tuple[float, float]
) -> None:
    verdict = checked(Demo(held=held), tmp_path)
    remarks = verdict.remarks
    assert verdict.faults == [] and any("late, and lost" in remark for remark in remarks)
    assert not [remark for remark in remarks if "player" in remark]
    assert any("are not recorded" in remark for remark in remarks) == (held[1] - held[0] > 2.0)


BROKEN = set(SENT[5::25])
FAULTY: dict[str, tuple[Demo, str]] = {
    "cycles are left out": (Demo(left_out=BROKEN), "no cycle for 2"),
    "cycles are left out while inputs get lost": (
        Demo(left_out=BROKEN, unreceived=set(SENT[300:310])),
        "of which 10 did not reach it",
    ),
    "more cycles are left out than there was no time for": (
        Demo(left_out=BROKEN, passed_over=set(SENT[300:310])),
        "of which 10 did not reach it",
    ),
    "cycles are left out while the recorder is held up": (
        Demo(left_out=BROKEN, held=(2.0, 3.5)),
        "no cycle for",
    ),
    "the node stops": (Demo(ends=START + 4 * NS), "the node stopped: no output during the last 2."),
    "a topic stops": (
        Demo(unsent={topics.BASE_WRENCH: set(SENT[300:])}),
        "base_wrench: 300 of 600 cycles",
    ),
    "a topic has gaps": (Demo(unsent={topics.TF: BROKEN}), "/tf: 24 of 600 cycles"),
    "a topic has gaps while the recorder is held up": (
        Demo(unsent={topics.TF: BROKEN}, held=(2.0, 3.5)),
        "/tf: ",
    ),
    "a topic comes every other cycle": (
        Demo(unsent={topics.SPRING_FORCES: set(SENT[::2])}),
        "spring_forces: 299 of 599",
    ),
    "too few markers": (Demo(marker_rate=25.0), "markers: 150 messages, too few; expected 1"),
    "too many markers": (Demo(marker_rate=0.0), "markers: 600 messages, too many"),
    "too few markers while the player is slow": (
        Demo(grid(25.0), marker_rate=12.0),
        "too few; expected 1",
    ),
    "markers stop": (
        Demo(unsent={topics.MARKERS: set(SENT[250:])}),
        "markers: ",
    ),
    "messages are refused": (Demo(refused=3), "the node refused 3 messages"),
    "inputs before the first output did not reach the node": (
        Demo(unreceived=set(SENT[:150]), left_out=set(SENT[260::25])),
        "of which 0 did not reach it",
    ),
    "lengths do not help": (
        Demo(without_lengths=set(SENT[200:420]), left_out=set(SENT[:200:10])),
        "no cycle for",
    ),
}


@pytest.mark.parametrize("case", FAULTY)
def test_what_the_node_does_wrong_is_a_fault(case: str, tmp_path: Path) -> None:
    demo, fault = FAULTY[case]
    verdict = checked(demo, tmp_path)
    assert len(verdict.faults) == 1, verdict.faults
    assert fault in verdict.faults[0]


@pytest.mark.parametrize(
    ("topic", "sent", "shift"),
    [
        (topics.ACTUATOR_EFFORTS, SENT, 1),
        (topics.TF, HURRIED, -3 * MS),
        (topics.MARKERS, HURRIED, 1),
    ],
    ids=["efforts", "transforms", "markers"],
)
def test_stamps_that_no_input_has_are_a_fault(
    tmp_path: Path, topic: topics.Topic, shift: int, sent: list[int]
) -> None:
    verdict = checked(Demo(sent, shifted={topic: shift}), tmp_path)
    assert [fault.split(":")[0] for fault in verdict.faults] == [topic.name]
    assert "are those of no joint state" in verdict.faults[0]


@pytest.mark.parametrize(
    "topic",
    [JOINTS, LENGTHS, topics.TF, LATCHED[0], topics.MARKERS, topics.DIAGNOSTICS],
    ids=lambda topic: topic.name,
)
def test_a_topic_that_is_not_there_is_a_fault(tmp_path: Path, topic: topics.Topic) -> None:
    verdict = checked(Demo(heard_from={topic: 100.0}), tmp_path)
    assert verdict.faults == [f"{topic.name}: nothing was recorded"]


def test_inputs_before_the_first_output_count_neither_for_the_rate_nor_as_expected(
    tmp_path: Path,
) -> None:
    """As on a first start, where the player plays while the node compiles."""
    demo = Demo(PAUSED, heard_from=dict.fromkeys((*EACH, topics.MARKERS), 1.5))
    verdict = checked(demo, tmp_path)
    assert verdict.faults == []
    assert any("longest pause was 0.5" in remark for remark in verdict.remarks)
    (row,) = [row for row in verdict.rows if row.name == JOINTS.name]
    assert (row.count, row.expected) == (len(PAUSED) - 150, 450)


def test_the_table_says_how_many_messages_were_expected(tmp_path: Path) -> None:
    verdict = checked(Demo(PAUSED, unsent={topics.TF: BROKEN}), tmp_path)
    rows = {row[0]: row[1:] for row in map(str.split, topic_table(verdict.rows).splitlines())}
    sent = str(len(PAUSED))
    assert rows["joint_states"] == [sent, "600", "91.82"]
    assert rows["actuator_efforts"] == [sent, sent, "91.82"]
    assert rows["/tf"][:2] == [str(len(set(PAUSED) - BROKEN)), sent]
    assert rows["/tf_static"] == ["1", "-", "-"]
    assert int(rows["markers"][0]) == int(rows["markers"][1])
