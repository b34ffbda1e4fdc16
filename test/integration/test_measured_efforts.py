# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Measured efforts on the wire: what the real node makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from graph import Checker, stamp_of
from node_process import Process, start_dynamics_node
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from robot_inputs import ACTUATORS, STEP, Inputs, named, pose
from sensor_msgs.msg import JointState

from charmie_dynamics import Model

NAMESPACE = "measured"
PREFIX = "m/"
TOPICS = ("effort_residual", "external_efforts", "contacts")
SHOULDER, LIFT, NECK = "left_arm_joint_2", "lift_actuator", "neck_pan_joint"
POSE = pose(1)
SHARE = 0.15  # of the rated effort: threshold of CHARMIE's mechanisms file
SECOND = 1_000_000_000
SETTLED = SECOND // 5 // STEP  # cycles after which the estimates have settled for sure


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[Process]:
    with start_dynamics_node(folder, {"frame_prefix": PREFIX}, namespace=NAMESPACE) as node:
        yield node


@pytest.fixture(scope="module")
def checker(node: Process) -> Iterator[Checker]:
    topics = ("actuator_efforts", "/diagnostics", "estimator_settling", *TOPICS)
    with Checker(topics, namespace=NAMESPACE) as checker:
        yield checker


@pytest.fixture(scope="module")
def inputs(checker: Checker) -> Inputs:
    inputs = Inputs(checker)
    inputs.connect(POSE, ("actuator_efforts",))
    return inputs


@pytest.fixture
def anew(inputs: Inputs) -> Inputs:
    """Inputs after a pause, at which the observer starts anew."""
    inputs.stamp += 10 * SECOND
    return inputs


@pytest.fixture(scope="module")
def needed(model: Model) -> dict[str, float]:
    """What the model says that the actuators give at rest."""
    state = model.compute([POSE[name] for name in ACTUATORS])
    return dict(zip(ACTUATORS, state.actuator_effort.tolist(), strict=True))


@pytest.fixture(scope="module")
def rated(model: Model) -> dict[str, float]:
    limits = zip(model.actuator_names, model.actuator_limits(), strict=True)
    return {name: limit.effort for name, limit in limits}


def cycle(
    inputs: Inputs, needed: Mapping[str, float], excess: Mapping[str, float], *topics: str
) -> dict[str, JointState]:
    """One cycle in which some actuators are measured to give so much more than the model says."""
    measured = {name: needed[name] + more for name, more in excess.items()}
    return inputs.cycle(POSE, topics=topics or TOPICS[:2], effort=measured)


def test_residual_names_what_is_measured_and_how_much_it_differs(
    inputs: Inputs, needed: dict[str, float]
) -> None:
    excess = {SHOULDER: 0.75, LIFT: -20.0, NECK: 0.0}
    message = cycle(inputs, needed, excess)["effort_residual"]
    assert named(message) == pytest.approx(excess, abs=1e-9)
    assert message.header.frame_id == PREFIX + "odom"


def test_a_push_is_felt_within_50_ms_and_no_longer_after_it(
    anew: Inputs, needed: dict[str, float], rated: dict[str, float]
) -> None:
    """Of twice the threshold; times are those of the stamps."""
    checker = anew.checker
    for _ in range(SETTLED):
        cycle(anew, needed, {SHOULDER: 0.0, NECK: 0.0})
    begin = anew.stamp + STEP
    push = {SHOULDER: -2.0 * SHARE * rated[SHOULDER], NECK: 0.0}
    for _ in range(10):
        cycle(anew, needed, push)
    end = anew.stamp + STEP
    for _ in range(10):
        cycle(anew, needed, {SHOULDER: 0.0, NECK: 0.0})
    last = anew.stamp
    checker.wait_for(lambda: last in checker.by_stamp("contacts"), "the last contacts")
    told = {s: m for s, m in checker.by_stamp("contacts").items() if s >= begin - 5 * STEP}
    felt = sorted(stamp for stamp, message in told.items() if message.name)
    assert all(list(told[stamp].name) == [SHOULDER] for stamp in felt)
    assert begin <= felt[0] <= begin + 50_000_000
    assert end <= felt[-1] + STEP <= end + 50_000_000


def test_diagnostics_warn_of_a_contact(
    anew: Inputs, needed: dict[str, float], rated: dict[str, float]
) -> None:
    checker = anew.checker
    for share, level in ((2.0, DiagnosticStatus.WARN), (0.0, DiagnosticStatus.OK)):
        excess = {SHOULDER: -share * SHARE * rated[SHOULDER]}
        measured = {name: needed[name] + more for name, more in excess.items()}
        status = checker.wait_for_status(
            "contacts",
            lambda status, _, level=level: status.level == level,
            f"level {level!r}",
            doing=lambda measured=measured: anew.send(POSE, effort=measured),
        )
        assert (SHOULDER in status.message) == (share > 0.0)
        assert f"{SHOULDER} residual" in {item.key for item in status.values}


def test_diagnostics_say_that_contacts_are_unknown_without_measured_efforts(
    anew: Inputs,
) -> None:
    status = anew.checker.wait_for_status(
        "contacts",
        lambda status, _: status.message.startswith("unknown"),
        "an unknown contact",
        doing=lambda: anew.send(POSE),
    )
    assert status.level == DiagnosticStatus.OK


def test_cutoff_of_the_observer_can_be_changed(anew: Inputs, needed: dict[str, float]) -> None:
    def found(cutoff: float) -> float:
        parameter = Parameter("observer_cutoff", value=cutoff).to_parameter_msg()
        request = SetParameters.Request(parameters=[parameter])
        name = "charmie_dynamics/set_parameters"
        assert anew.checker.call(SetParameters, name, request).results[0].successful
        cycle(anew, needed, {NECK: -1.0})
        first = anew.stamp
        message = cycle(anew, needed, {NECK: -1.0})["external_efforts"]
        seconds = 1e-9 * (stamp_of(message) - first)
        assert named(message) == pytest.approx({NECK: 1.0 - np.exp(-2 * np.pi * cutoff * seconds)})
        return named(message)[NECK]

    for _ in range(SETTLED):
        cycle(anew, needed, {NECK: 0.0})
    assert found(1.0) < found(15.0)
