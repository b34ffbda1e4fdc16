# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The benchmark of the node beside an echo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_node_and_echo_are_measured_in_the_configuration_of_the_robot() -> None:
    command = ("-m", "benchmarks.node", "robot-100hz", "--seconds", "3", "--json")
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    echo, node = map(json.loads, done.stdout.splitlines())
    assert (echo["process"], node["process"]) == ("echo", "node")
    for result in (echo, node):
        assert result["lengths"] and result["recorder"]
        assert result["sent"] == 100
        assert 0 <= result["lost"] < 100
        assert result["cpu"] > 0.0
        assert 0.0 < result["latency_median"] <= result["latency_p99"]
    assert node["viewer"] and node["markers"] > 0
    assert {"/tf", "actuator_efforts"} < set(node["lost_in_recording"])
    assert set(echo["lost_in_recording"]) == {"actuator_efforts"}


def test_unknown_run_is_refused_with_the_names_of_those_there_are() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.node", "robo"],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "'robo'" in done.stderr and "without-lengths" in done.stderr
