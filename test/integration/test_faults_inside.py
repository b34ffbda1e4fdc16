# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults inside the node itself: logged, diagnosed where they concern cycles, and survived."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from faulty_node import MESSAGE, FaultMadeOnPurpose
from graph import EACH_CYCLE, Checker
from node_process import Process, ros_arguments
from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from rclpy.parameter import Parameter, parameter_value_to_python
from robot_inputs import Inputs, pose

NODE = "faulty"
LOG_PERIOD = 10.0  # s, between two lines of one cause
NAME = FaultMadeOnPurpose.__name__
SCRIPT = Path(__file__).resolve().parent / "faulty_node.py"
ROS = "charmie_dynamics.ros"
LIVE = "charmie_dynamics.live"
IN_A_CYCLE = {
    "reading a message": (
        "charmie_dynamics.live.wire.joint_states",
        "JointStateReader",
        "read",
    ),
    "computing": ("charmie_dynamics.live.pipeline", "Pipeline", "take"),
    "publishing": (f"{ROS}.outputs.publishers", "Outputs", "publish_cycle"),
}


def start(folder: Path, module: str, owner: str, function: str, period: int) -> Process:
    """Start a node in which every so manieth call of a function raises."""
    command = [
        *(sys.executable, str(SCRIPT), module, owner, function, str(period)),
        *ros_arguments(name=NODE),
    ]
    number = sum(1 for _ in folder.glob("faulty_*"))
    process = Process(command, folder / f"faulty_{number}.log")
    try:
        process.wait_for_output("' ready: ")
    except BaseException:
        process.end()
        raise
    return process


@pytest.mark.parametrize("place", IN_A_CYCLE)
def test_an_exception_inside_a_cycle_is_logged_and_diagnosed_and_the_node_goes_on(
    folder: Path, place: str
) -> None:
    period = 20
    begin = time.monotonic()
    with start(folder, *IN_A_CYCLE[place], period) as node:
        with Checker((*EACH_CYCLE, "/diagnostics")) as checker:
            inputs, efforts = Inputs(checker), checker.received["actuator_efforts"]
            values = pose()
            checker.wait_for_status(
                f"{NODE}: cycle",
                lambda status, values: (
                    status.level in (b"\1", b"\2")
                    and f"{NAME}: {MESSAGE}" in status.message
                    and int(values["failed cycles"]) >= 1
                ),
                "a cycle's status that names the fault",
                doing=lambda: inputs.send(values),
                rate=100.0,
            )
            checker.forget()
            checker.wait_for(
                lambda: len(efforts) >= 5 * period,
                "cycles after the faults",
                doing=lambda: inputs.send(values),
                rate=100.0,
            )
        lines = node.output()
        # one line for the cause and period, with the way to the place of the fault
        written = lines.count("cycle failed")
        assert 1 <= written <= 1 + int((time.monotonic() - begin) / LOG_PERIOD)
        assert lines.count(MESSAGE) == written
        assert "Traceback" in lines
        assert "in faulty\n" in lines  # the function that stands for the one with the fault
        node.send_signal(signal.SIGINT)
        assert node.wait() == 0


def test_an_exception_in_a_report_is_logged_and_the_next_report_comes(folder: Path) -> None:
    module, owner, function = f"{ROS}.nodes.dynamics_node", "DynamicsNode", "_report_everything"
    with start(folder, module, owner, function, 2) as node, Checker(("/diagnostics",)) as checker:
        node.wait_for_output("callback failed")
        assert MESSAGE in node.output()
        checker.wait_for_status(": cycle", lambda *_: True, "a report after the fault")
        node.send_signal(signal.SIGTERM)
        assert node.wait() == 0


def parameter(checker: Checker, name: str) -> Any:
    request = GetParameters.Request(names=[name])
    (value,) = checker.call(GetParameters, f"/{NODE}/get_parameters", request).values
    return parameter_value_to_python(value)


def test_an_exception_while_parameters_change_refuses_them_and_all_stays_as_it_was(
    folder: Path,
) -> None:
    """In the middle of the change, when some outputs are new and some are not."""
    with start(folder, "charmie_dynamics.visual.scene.scene", "Scene", "__init__", 2) as node:
        with Checker((*EACH_CYCLE, "markers")) as checker:
            inputs = Inputs(checker)

            def change(**values: Any) -> Any:
                parameters = [Parameter(n, value=v).to_parameter_msg() for n, v in values.items()]
                request = SetParametersAtomically.Request(parameters=parameters)
                service = f"/{NODE}/set_parameters_atomically"
                return checker.call(SetParametersAtomically, service, request).result

            assert change(world_frame="first", marker_labels=True).successful
            result = change(world_frame="second", marker_labels=False)
            assert not result.successful
            assert f"{NAME}: {MESSAGE}" in result.reason
            assert parameter(checker, "world_frame") == "first"
            assert parameter(checker, "marker_labels") is True
            cycle = inputs.cycle(pose())
            assert cycle["resolved_joint_states"].header.frame_id == "first"
        assert "parameters not changed" in node.output()
