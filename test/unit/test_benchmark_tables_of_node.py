# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of the benchmark of the node: figures, requirements, what was not measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import report, simulator


def record(process: str, **changed: object) -> dict[str, object]:
    """What benchmarks.node prints of a process in the configuration of the robot."""
    return {
        "process": process,
        "distro": "jazzy",
        "rmw": "default",
        "lengths": True,
        "viewer": process == "node",
        "recorder": True,
        "rate": 1000.0,
        "seconds": 60.1,
        "sent": 60000,
        "lost": 0,
        "lost_in_recording": {"actuator_efforts": 0},
        "latency_median": 4e-4,
        "latency_p99": 8e-4,
        "cpu": 0.2,
        "memory": 2.0**27,
        **changed,
    }


def test_node_table_shows_configuration_losses_and_what_is_missing(tmp_path: Path) -> None:
    lossy = record("node", lost=3, lost_in_recording={"/tf": 2, "actuator_efforts": -1})
    path = tmp_path / "node.json"
    path.write_text("".join(json.dumps(r) + "\n" for r in (lossy, record("echo"))), "utf-8")
    table = report.node_table(report.read_records(path), "humble, it failed")
    assert (
        "| node | joints and lengths, markers watched, recorder | jazzy | default | 1000 | 400 | "
        "800 | 20.0 | 128 | 60000 | 3 | 2 |" in table
    )
    assert "| echo | joints and lengths, recorder | jazzy |" in table
    assert "Not measured: humble, it failed." in table
    assert report.node_table([]) == "Not measured: no ROS 2."


def test_ratios_are_those_to_the_echo_of_the_same_configuration() -> None:
    others = [
        record("echo", lengths=False, latency_median=1e-4, cpu=0.1),
        record("echo", distro="humble", latency_median=1e-4, cpu=0.1),
        record("echo", rate=100.0, latency_median=1e-4, cpu=0.1),
    ]
    node = record("node", latency_median=4.4e-4, cpu=0.25)
    row = report.ratio_table([*others, record("echo"), node]).splitlines()[-1]
    assert "| 1.10 (at most 1.2: met) | 1.25 (at most 1.3: met) | 25.00 |" in row
    row = report.ratio_table([*others, node]).splitlines()[-1]
    assert row.endswith("| - | - | 25.00 |")
    assert report.ratio_table(others) == "Not measured."


def test_requirement_that_is_not_met_is_named() -> None:
    node = record("node", latency_median=5e-4, cpu=0.27, lost=1)
    table = report.ratio_table([record("echo"), node])
    assert "1 of the efforts in 60 s (nothing in 60 s: **not met**)" in table
    assert "1.25 (at most 1.2: **not met**)" in table
    assert "1.35 (at most 1.3: **not met**)" in table
    slow = report.ratio_table([record("node", rate=100.0, cpu=0.041)])
    assert "4.10 (at most 4: **not met**)" in slow


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({}, "nothing in 60 s (nothing in 60 s: met)"),
        (
            {"lost": 1, "lost_in_recording": {"/tf": 2, "actuator_efforts": -1}},
            "1 of the efforts, 2 of the messages in the recording in 60 s "
            "(nothing in 60 s: **not met**)",
        ),
        ({"seconds": 5.0}, "nothing in 5 s (nothing in 60 s: not measured for so long)"),
        ({"seconds": 5.0, "lost": 4}, "4 of the efforts in 5 s (nothing in 60 s: **not met**)"),
        ({"lengths": False, "lost": 4}, "4 of the efforts in 60 s |"),
    ],
)
def test_losses_are_held_against_a_minute_of_the_robot(
    changed: dict[str, object], shown: str
) -> None:
    assert f"| {shown}" in report.ratio_table([record("node", **changed)])


def test_without_lengths_nothing_is_required() -> None:
    table = report.ratio_table(
        [record("echo", lengths=False), record("node", lengths=False, cpu=0.9)]
    )
    assert "4.50" in table and "at most" not in table


def test_the_simulator_alone_is_held_against_what_is_required() -> None:
    alone = {"distro": "jazzy", "rate": 1000.0, "listeners": False, "cpu": 0.261}
    heard = {**alone, "listeners": True, "cpu": 0.3}
    rows = simulator.table([alone, heard], "humble, it failed").splitlines()
    assert rows[2] == "| jazzy | 1000 | none | 26.1 (at most 25: **not met**) |"
    assert rows[3] == "| jazzy | 1000 | dynamics node, recorder | 30.0 |"
    assert rows[-1] == "Not measured: humble, it failed."
    assert simulator.table([]) == "Not measured: no ROS 2."
