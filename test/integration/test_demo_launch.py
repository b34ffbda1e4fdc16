# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""demo.launch.py, really launched: node and player find each other, and end cleanly."""

from __future__ import annotations

import itertools
import unittest
from typing import Any

import launch_testing.actions
import launch_testing.asserts
import pytest
from graph import OUTPUTS, Checker, stamp_of
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource

from charmie_dynamics.model.description.files import share_file

ARGUMENTS = {"motion": "paper_20s", "rate": "50.0", "namespace": "demo"}


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    source = AnyLaunchDescriptionSource(str(share_file("launch", "demo.launch.py")))
    return LaunchDescription(
        [
            IncludeLaunchDescription(source, launch_arguments=ARGUMENTS.items()),
            launch_testing.actions.ReadyToTest(),
        ]
    )


class TestDemo(unittest.TestCase):
    def setUp(self) -> None:
        self.checker = Checker(OUTPUTS, namespace="demo")

    def tearDown(self) -> None:
        self.checker.close()

    def test_every_output_comes_at_the_rate_of_the_arguments(self, proc_output: Any) -> None:
        received = self.checker.received
        self.checker.wait_for(
            lambda: all(len(received[topic]) >= 10 for topic in OUTPUTS),
            "all outputs",
            timeout=60.0,
        )
        stamps = sorted(stamp_of(message) for message in received["actuator_efforts"])
        steps = [later - earlier for earlier, later in itertools.pairwise(stamps)]
        self.assertEqual(min(steps), 20_000_000)
        # once a whole second of cycles has been counted
        proc_output.assertWaitFor("publishing at", timeout=30.0)


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_all_processes_ended_cleanly(self, proc_info: Any, proc_output: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
        names = {name.rpartition("-")[0] for name in proc_info.process_names()}
        self.assertEqual(names, {"dynamics_node", "motion_player"})
        printed = b"".join(io.text for io in proc_output)
        self.assertNotIn(b"Traceback", printed)
        self.assertNotIn(b"missing or stale", printed)
        self.assertEqual(printed.count(b" Hz\n"), 2)  # the player's rate, and that of the outputs
