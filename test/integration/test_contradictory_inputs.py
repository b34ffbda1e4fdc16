# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A real node reports inputs that contradict each other, and matches values by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from graph import Checker
from node_process import Process, start_dynamics_node
from robot_inputs import STEP, Inputs, joint_state

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.files import share_file

WARN = DiagnosticStatus.WARN
OMEGA = 4.0  # rad/s
AMPLITUDE = 0.5
# a four-bar with a cylinder on its crank
RAM = """
linear_actuators:
  ram: {joint: crank_joint, base_body: ground, base_point: [-0.3, 0, 0], tip_body: crank,
        tip_point: [0, 0, 0.15]}
"""


@pytest.fixture(scope="module")
def files(folder: Path) -> tuple[str, str]:
    mechanisms = folder / "ram.yaml"
    mechanisms.write_text(share_file("robots", "four_bar.yaml").read_text() + RAM)
    return str(share_file("robots", "four_bar.urdf")), str(mechanisms)


@pytest.fixture(scope="module")
def model(files: tuple[str, str]) -> Model:
    return load_model(*files)


@pytest.fixture(scope="module")
def node(folder: Path, files: tuple[str, str]) -> Iterator[Process]:
    parameters = {"model": files[0], "mechanisms": files[1], "acceleration_source": "zero"}
    with start_dynamics_node(folder, parameters) as process:
        yield process


@pytest.fixture(scope="module")
def inputs(checker: Checker, model: Model) -> Inputs:
    inputs = Inputs(checker)
    inputs.connect({"ram": model.actuator_from_joint("crank_joint", 0.0)[0]}, ("actuator_efforts",))
    return inputs


class Player:
    """Sends the next sample of a motion of the crank with each call."""

    def __init__(self, inputs: Inputs, velocity: float = 1.0) -> None:
        self.inputs, self.velocity = inputs, velocity

    def __call__(self) -> None:
        inputs = self.inputs
        stamp = inputs.next_stamp()
        phase = OMEGA * 1e-9 * (stamp % 10**12)
        q, v = AMPLITUDE * math.sin(phase), AMPLITUDE * OMEGA * math.cos(phase)
        inputs.joints.publish(joint_state({"crank_joint": q}, stamp, [self.velocity * v]))


def complains(*words: str) -> Callable[[DiagnosticStatus, object], bool]:
    def condition(status: DiagnosticStatus, _: object) -> bool:
        return status.level == WARN and all(word in status.message for word in words)

    return condition


def wait(inputs: Inputs, player: Player, *words: str) -> None:
    """Play until the status of the inputs is a warning with some words."""
    inputs.stamp += 10 * 10**9  # lengths of another test are stale by then
    inputs.checker.wait_for_status(
        ": inputs", complains(*words), f"a warning with {words}", doing=player, rate=1e9 / STEP
    )


@pytest.mark.parametrize(
    ("velocity", "words"),
    [
        (0.0, ("contradictory values: ram", "velocity is zero while the position changes")),
        (-1.0, ("ram", "with the opposite sign")),
        (180.0 / math.pi, ("ram", "degrees per second")),
    ],
)
def test_velocities_that_contradict_the_motion_are_a_warning(
    inputs: Inputs, velocity: float, words: tuple[str, ...]
) -> None:
    wait(inputs, Player(inputs, velocity), *words)


def test_good_velocities_end_the_warning(inputs: Inputs) -> None:
    wait(inputs, Player(inputs, 0.0), "contradictory values")
    player = Player(inputs)
    inputs.checker.wait_for_status(
        ": inputs",
        lambda status, _: status.message == "all inputs fresh",
        "no warning",
        doing=player,
        rate=1e9 / STEP,
    )


def test_a_measured_passive_joint_that_contradicts_the_loops_is_a_warning(
    inputs: Inputs, model: Model
) -> None:
    length = model.actuator_from_joint("crank_joint", 0.0)[0]

    def send() -> None:
        values = {"ram": length, "rocker_joint": 0.3}
        inputs.joints.publish(joint_state(values, inputs.next_stamp()))

    inputs.checker.wait_for_status(
        ": inputs",
        complains("rocker_joint", "the loops close at"),
        "a warning about the rocker",
        doing=send,
        rate=50.0,
    )
