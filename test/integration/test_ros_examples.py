# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The examples with ROS 2, each as a process of its own beside a real node."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from graph import Checker
from node_process import Process, ros_arguments, start_dynamics_node, start_node
from rcl_interfaces.srv import GetParameters
from robot_inputs import ACTUATORS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMESPACE = "shown"
ENTRY = """#!{python}
import sys
from charmie_dynamics.ros.process.entry import dynamics_node
sys.exit(dynamics_node())
"""


# rclpy of Jazzy raises this error instead of KeyboardInterrupt while it takes a message
INTERRUPTED_TAKE = "RuntimeError: Unable to convert call argument"


def start_example(folder: Path, name: str, *arguments: str, namespace: str = NAMESPACE) -> Process:
    number = sum(1 for _ in folder.glob("*.log"))
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    if "--ros-args" not in arguments:
        command += ros_arguments(namespace=namespace)
    return Process(command, folder / f"{name}_{number}.log")


def interrupted(process: Process) -> str:
    """Interrupt a process; return its output when it has ended without an error of its own."""
    process.send_signal(signal.SIGINT)
    status = process.wait()
    if INTERRUPTED_TAKE not in process.output():
        assert status == 0, process.output()
        assert "Traceback" not in process.output()
    return process.output()


def test_an_arm_of_a_simulated_robot_is_moved_and_its_efforts_printed(folder: Path) -> None:
    with (
        start_node("simulator_node", folder, namespace="driven"),
        start_dynamics_node(folder, {"use_sim_time": True}, namespace="driven"),
        start_example(
            folder, "drive_a_simulated_robot.py", "0.9", "--ros-args", "-r", "__ns:=/driven"
        ) as driver,
    ):
        assert driver.wait(120.0) == 0, driver.output()
        lines = [line.split() for line in driver.output().splitlines()]
    rows = {words[0]: words[1] for words in lines if words and words[0] in ACTUATORS}
    assert float(rows["left_arm_joint_2"]) == pytest.approx(0.9, abs=1e-3)
    assert len(rows) == len(ACTUATORS)


def test_a_composed_node_hears_the_dynamics_node_in_its_own_process(folder: Path) -> None:
    arguments = ("--ros-args", "-p", "lift_guard:share:=0.001")
    with (
        start_example(folder, "composed_node.py", *arguments) as process,
        start_node("motion_player", folder),
        Checker() as checker,
    ):
        process.wait_for_output("' ready: ")
        process.wait_for_output("% of its rated force")
        both = {("charmie_dynamics", "/"), ("lift_guard", "/")}
        graph = checker.node.get_node_names_and_namespaces
        checker.wait_for(lambda: both <= set(graph()), "both nodes in the graph")
        output = interrupted(process)
    assert re.search(r"\[lift_guard\]: the lift needs \d+ N", output)


@pytest.fixture
def ament_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package as a colcon workspace installs it: in the index, with its node."""
    index = tmp_path / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "charmie_dynamics").touch()
    node = tmp_path / "lib" / "charmie_dynamics" / "dynamics_node"
    node.parent.mkdir(parents=True)
    node.write_text(ENTRY.format(python=sys.executable))
    node.chmod(0o755)
    paths = f"{tmp_path}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}"
    monkeypatch.setenv("AMENT_PREFIX_PATH", paths)
    return tmp_path


@pytest.mark.usefixtures("ament_prefix")
def test_a_launch_file_of_ones_own_runs_the_node_as_it_says(folder: Path) -> None:
    launch = [sys.executable, "-m", "charmie_dynamics.demo.launch_file"]
    launch += [str(EXAMPLES / "own.launch.py"), "cutoff:=4.0"]
    moved = ["-r", "joint_states:=/joint_states"]
    player = [sys.executable, "-m", "charmie_dynamics.ros.nodes.motion_player"]
    with (
        Process(launch, folder / "own_launch.log") as launched,
        Process([*player, *ros_arguments(namespace="dynamics"), *moved], folder / "player.log"),
        Checker(("actuator_efforts", "base_wrench"), namespace="dynamics") as checker,
    ):
        launched.wait_for_output("' ready: ")
        checker.wait_for(lambda: checker.received["base_wrench"], "cycles of the node")
        assert checker.received["base_wrench"][0].header.frame_id == "dynamics/base"
        request = GetParameters.Request(names=["acceleration_cutoff"])
        name = "charmie_dynamics/get_parameters"
        (value,) = checker.call(GetParameters, name, request).values
        assert value.double_value == 4.0
