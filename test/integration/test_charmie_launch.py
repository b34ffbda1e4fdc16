# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""charmie.launch.py, really launched: its arguments reach the node, which ends cleanly."""

from __future__ import annotations

import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

import launch_testing.actions
import launch_testing.asserts
import pytest
from graph import EACH_CYCLE, Checker
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource
from robot_inputs import Inputs, pose
from rosbags.highlevel import AnyReader

from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.ros.nodes.launching import in_namespace

FOLDER = tempfile.TemporaryDirectory(prefix="charmie_launch_")  # removed at the end of the process
ARGUMENTS = {
    "namespace": "launched",
    "world_frame": "map",
    "frame_prefix": "l/",
    "marker_rate": "0",
    "publish_markers": "true",
    "record": "true",
    "bag": str(Path(FOLDER.name) / "bag"),
}


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    source = AnyLaunchDescriptionSource(str(share_file("launch", "charmie.launch.py")))
    return LaunchDescription(
        [
            IncludeLaunchDescription(source, launch_arguments=ARGUMENTS.items()),
            launch_testing.actions.ReadyToTest(),
        ]
    )


class TestLaunchedNode(unittest.TestCase):
    def setUp(self) -> None:
        self.checker = Checker((*EACH_CYCLE, "markers", "/tf_static"), namespace="launched")

    def tearDown(self) -> None:
        self.checker.close()

    def test_it_answers_with_the_frames_that_the_arguments_say(self) -> None:
        topics = (*EACH_CYCLE, "markers")
        inputs = Inputs(self.checker)
        cycle = inputs.cycle(pose(), topics=topics, timeout=60.0)
        self.assertEqual(cycle["base_wrench"].header.frame_id, "l/base")

        def has_root() -> bool:
            static = [t for m in self.checker.received["/tf_static"] for t in m.transforms]
            transforms = [*static, *cycle["/tf"].transforms]
            return "l/map" in {t.header.frame_id for t in transforms}

        self.checker.wait_for(has_root, "the world frame of the arguments")


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_all_processes_ended_cleanly(self, proc_info: Any, proc_output: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
        printed = b"".join(io.text for io in proc_output)
        self.assertNotIn(b"Traceback", printed)

    def test_the_recording_holds_inputs_and_outputs(self) -> None:
        bag = Path(ARGUMENTS["bag"])
        try:
            with AnyReader([bag]) as reader:
                recorded = {c.topic for c, *_ in reader.messages()}
        finally:
            shutil.rmtree(bag.parent)
        topics = (
            "joint_states",
            "actuator_lengths",
            *EACH_CYCLE,
            "/tf_static",
            "robot_description",
        )
        expected = {in_namespace(topic, ARGUMENTS["namespace"]) for topic in topics}
        self.assertEqual(expected - recorded, set())
