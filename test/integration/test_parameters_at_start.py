# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters at the start: some have their effect, others are refused with a message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graph import ANY_ROBOT, Checker, refusing_node
from node_process import start_dynamics_node, start_node
from rclpy.parameter import Parameter
from robot_inputs import ACTUATORS, JOINTS, LENGTHS, Inputs, named
from small_robots import GRAVITY, HOLLOW_LINK, MASS, tension, write_hollow_slide, write_slide

from charmie_dynamics.ros.process.declaring import ParameterError
from charmie_dynamics.ros.process.parameters import declare_parameters

WARN, ERROR = b"\x01", b"\x02"


def test_another_model_with_mechanisms(folder: Path, tmp_path: Path) -> None:
    """A spring pulls the slide down: the effort holds weight and tension."""
    urdf, mechanisms = write_slide(tmp_path)
    with start_dynamics_node(folder, {"model": urdf, "mechanisms": mechanisms}):
        with Checker(ANY_ROBOT) as checker:
            cycle = Inputs(checker).cycle({"slide_joint": 0.3}, topics=ANY_ROBOT)
    expected = MASS * GRAVITY + tension(0.3)
    assert named(cycle["actuator_efforts"]) == pytest.approx({"slide_joint": expected})
    assert named(cycle["spring_forces"]) == pytest.approx({"return_spring": tension(0.3)})


def test_a_link_that_no_body_can_be_is_told_and_computed(folder: Path, tmp_path: Path) -> None:
    urdf = write_hollow_slide(tmp_path)
    with start_dynamics_node(folder, {"model": urdf}) as node:
        with Checker((*ANY_ROBOT, "/diagnostics")) as checker:
            cycle = Inputs(checker).cycle({"slide_joint": 0.3}, topics=ANY_ROBOT)
            checker.wait_for_status(
                ": model",
                lambda status, values: (
                    status.level == WARN
                    and f"cannot be right: link '{HOLLOW_LINK}'" in status.message
                    and "triangle inequality" in values[f"link '{HOLLOW_LINK}'"]
                ),
                "a warning that names the link",
            )
        lines = [line for line in node.output().splitlines() if "triangle inequality" in line]
    assert named(cycle["actuator_efforts"]) == pytest.approx({"slide_joint": MASS * GRAVITY})
    (line,) = lines
    assert "WARN" in line
    assert f"{urdf}, line 4: link '{HOLLOW_LINK}'" in line


def test_a_link_that_no_body_can_be_ends_a_node_that_is_strict(
    folder: Path, tmp_path: Path
) -> None:
    parameters = {"model": write_hollow_slide(tmp_path), "strict_inertials": True}
    with start_node("dynamics_node", folder, parameters) as node:
        assert node.wait(60.0) == 1
        assert f"link '{HOLLOW_LINK}': no body has these" in node.output()


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"marker_rat": 10.0}, ("marker_rat", "marker_rate")),
        ({"world_frame": "w" * 100_000}, ("world_frame", "100000 characters", "at most 255")),
        ({"frame_prefix": "/left/"}, ("frame_prefix", "'/left/odom'", "begins with '/'")),
        ({"model": "/no/such/robot.urdf"}, ("/no/such/robot.urdf",)),
        ({"mechanisms": "/no/such/mechanisms.yaml"}, ("/no/such/mechanisms.yaml",)),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_used_ends_the_node_with_a_message(
    folder: Path, parameters: dict[str, Any], words: tuple[str, ...]
) -> None:
    with start_node("dynamics_node", folder, parameters) as node:
        assert node.wait(60.0) == 1
        assert [word for word in words if word not in node.output()] == []
        assert "Traceback" not in node.output()


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("marker_rate", -1.0, ""),
        ("marker_rate", 0, "DOUBLE"),
        ("input_timeout", 0.0, ""),
        ("acceleration_cutoff", 0.0, ""),
        ("acceleration_source", "guess", "estimated, zero"),
        ("marker_style", "wire", "skeleton"),
        ("world_frame", "", ""),
        ("publish_tf", "perhaps", ""),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(name: str, value: Any, words: str) -> None:
    with refusing_node(Parameter(name, value=value)) as node:
        with pytest.raises(ParameterError, match=f"(?s){name}.*{words}"):
            declare_parameters(node)


@pytest.mark.parametrize("characters", [240, 300])
def test_a_namespace_that_ros_2_does_not_take_ends_the_node_with_a_message(
    folder: Path, characters: int
) -> None:
    with start_node("dynamics_node", folder, namespace="n" * characters) as node:
        assert node.wait(60.0) == 1
        (line,) = [line for line in node.output().splitlines() if "FATAL" in line]
        assert "namespace" in line
        assert len(line) < 500
        assert "Traceback" not in node.output()


def test_names_of_the_inputs_cover_all_actuators() -> None:
    assert sorted((*JOINTS, *LENGTHS)) == sorted(ACTUATORS)
