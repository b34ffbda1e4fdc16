# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What `charmie_analyze` says of measured efforts is what the node said live."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph import EACH_CYCLE, TYPES, Checker, stamp_of
from node_process import start_dynamics_node
from rclpy.serialization import deserialize_message
from recorded_inputs import PERIOD, Recorded, analysed, inputs
from recorded_run import TIMEOUT, Run
from robot_inputs import BASE_JOINTS
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import JointState

from charmie_dynamics import Model
from charmie_dynamics.motions import make_motion

SAMPLES = 110
MASS = 1.5
CUTOFF = 8.0  # Hz, of the observer
MEMORY = 40  # samples
MEASURED = ("effort_residual", "external_efforts", "contacts")
SHOULDER, ELBOW, NECK = "left_arm_joint_2", "right_arm_joint_3", "neck_pan_joint"
OPTIONS = ("--timeout", str(TIMEOUT), "--observer-cutoff", str(CUTOFF))
Told = dict[str, dict[int, tuple[Any, ...]]]  # by topic and stamp


def efforts(model: Model, k: int) -> dict[str, float]:
    """What is measured: a little more than the model says, and a push between 70 and 80."""
    state = model.compute(*make_motion("wave", model).at(k * PERIOD))
    values = dict(zip(model.actuator_names, (1.02 * state.actuator_effort).tolist(), strict=True))
    values.update(dict.fromkeys(BASE_JOINTS, np.nan))
    if k < 20:
        values[NECK] = 0.0  # as if it were not measured
    if 40 <= k < 50:
        values[ELBOW] = np.nan
    if 70 <= k < 80:
        values[SHOULDER] -= 30.0
    return values


def measured_inputs(model: Model, k: int, pause: float) -> Iterator[tuple[str, JointState]]:
    """Inputs with efforts, but for those before the run."""
    for topic, message in inputs(model, k, pause):
        if k >= 0:
            values = efforts(model, k)
            message.effort = [values[name] for name in message.name]
        yield topic, message


def content(message: JointState) -> tuple[Any, ...]:
    """All that a message says; bytes, since NaN would equal nothing."""
    arrays = (message.position, message.velocity, message.effort)
    frame = message.header.frame_id
    return (frame, stamp_of(message), list(message.name), *(a.tobytes() for a in arrays))


@pytest.fixture(scope="module")
def live(folder: Path, model: Model) -> tuple[Told, Run]:
    topics = (*EACH_CYCLE, *MEASURED)
    parameters = {"input_timeout": TIMEOUT, "observer_cutoff": CUTOFF}
    with Checker(topics) as checker, start_dynamics_node(folder, parameters):
        run = Run(checker, partial(measured_inputs, model))
        run.wait_for_node()
        for k in range(SAMPLES):
            due = time.monotonic() + PERIOD
            if k == 30:
                run.hold(MASS)
            run.play(k, 0.0)
            checker.spin(max(0.0, due - time.monotonic()))
        told = ("actuator_efforts", *MEASURED)
        for topic in told:  # of the last sample, too
            checker.wait_for(lambda topic=topic: len(checker.by_stamp(topic)) >= SAMPLES, topic)
        return {t: {stamp_of(m): content(m) for m in checker.received[t]} for t in told}, run


def computed(folder: Path, entries: list[Recorded], *options: str) -> Told:
    """Return what is computed from a bag."""
    analysed(folder, entries, *options)
    found: Told = {topic: {} for topic in ("actuator_efforts", *MEASURED)}
    with AnyReader([folder / "out"]) as reader:
        for connection, _, data in reader.messages():
            topic = connection.topic.strip("/")
            if topic in found:
                message = deserialize_message(bytes(data), TYPES[topic])
                found[topic][stamp_of(message)] = content(message)
    return found


@pytest.fixture(scope="module")
def offline(live: tuple[Told, Run], tmp_path_factory: pytest.TempPathFactory) -> Told:
    return computed(tmp_path_factory.mktemp("offline") / "bag", live[1].bag(), *OPTIONS)


def in_order(told: Told, offline: Told) -> list[int]:
    """Return the stamps before which the node met all samples in the recorded order for long.

    If a busy machine holds it up, it may not. The observer forgets that by a factor of e in each
    sample, below the last bit in `MEMORY` samples.
    """
    topic = "actuator_efforts"
    same = [offline[topic][stamp] == told[topic].get(stamp) for stamp in sorted(offline[topic])]
    assert len(same) == SAMPLES
    return [
        s for k, s in enumerate(sorted(offline[topic])) if all(same[max(0, k - MEMORY) : k + 1])
    ]


@pytest.mark.parametrize("topic", MEASURED)
def test_every_message_is_the_live_one_bit_for_bit(
    live: tuple[Told, Run], offline: Told, topic: str
) -> None:
    stamps = in_order(live[0], offline)
    assert len(stamps) > 0.4 * SAMPLES
    assert offline[topic].keys() == live[0][topic].keys()
    assert [s for s in stamps if offline[topic][s] != live[0][topic][s]] == []


def test_messages_name_what_was_measured_and_what_felt_a_contact(offline: Told) -> None:
    residuals = [set(names) for _, (_, _, names, *_) in sorted(offline["effort_residual"].items())]
    assert [NECK in names for names in residuals] == [k >= 20 for k in range(SAMPLES)]
    assert [ELBOW in names for names in residuals] == [not 40 <= k < 50 for k in range(SAMPLES)]
    assert not any(set(BASE_JOINTS) & names for names in residuals)
    contacts = [names for _, (_, _, names, *_) in sorted(offline["contacts"].items())]
    assert any(SHOULDER in names for names in contacts[70:80])
    assert [] in contacts


@pytest.mark.parametrize("topic", MEASURED[:2])
def test_the_payload_is_in_what_the_model_says(
    live: tuple[Told, Run], offline: Told, topic: str, tmp_path: Path
) -> None:
    entries = [e for e in live[1].bag() if "payload" not in e.topic]
    without = computed(tmp_path / "without", entries, *OPTIONS)
    differ = [without[topic][stamp] != offline[topic][stamp] for stamp in sorted(offline[topic])]
    assert not any(differ[:30]) and all(differ[31:])
