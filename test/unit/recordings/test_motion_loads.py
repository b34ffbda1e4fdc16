# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is computed from recorded efforts, where the robot bore payloads and wrenches."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from input_recordings import Told, before, inertia, wrench, write_inputs
from recordings import MCAP, STORES, Writer
from rosbags.highlevel import AnyReader

from charmie_dynamics import Model
from charmie_dynamics.recordings.commands.options import main as analyze
from charmie_dynamics.recordings.commands.plot_options import main as plot
from charmie_dynamics.recordings.commands.render_options import main as render
from charmie_dynamics.recordings.compute.motion_loads import with_loads
from charmie_dynamics.recordings.compute.states import base_wrenches, state_at
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.read.recorded_motion import (
    RecordedMotion,
    Series,
    read_motion,
    read_wrench,
)

SAMPLES = 80
HELD, PUSHED = 20, 30  # samples from which on there is a payload and a wrench
MIDDLE = SAMPLES // 2


def loads(prefix: str = "/", frame_prefix: str = "") -> list[Told]:
    return [
        inertia(prefix + "payload/left", before(HELD), 2.0, (0.0, 0.0, 0.1)),
        wrench(before(PUSHED), frame_prefix + "right_tool", (20.0, 5.0, 0.0),
               prefix + "external_wrench"),
    ]  # fmt: skip


def recording(
    folder: Path, model: Model, told: Collection[Told], *options: str, namespace: str = ""
) -> Path:
    """Write what the node publishes under loads, and what it was told of them."""
    inputs = write_inputs(folder / "in", model, SAMPLES, told=told, namespace=namespace)
    assert analyze([str(inputs), "--out", str(folder / "out"), "--quiet", *options]) == 0
    path = folder / "both"
    with (
        AnyReader([folder / "out"]) as reader,
        Writer(path, version=8, storage_plugin=MCAP) as writer,
    ):
        connections: dict[str, Any] = {}
        entries = [(c.topic, c.msgtype, time, data) for c, time, data in reader.messages()]
        for topic, kind, time, data in [*told, *entries]:
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=STORES)
            writer.write(connections[topic], time, data)
    return path


def read(path: Path, model: Model, **options: str) -> tuple[RecordedMotion, Series, list[str]]:
    with Bag(path) as bag:
        series = read_wrench(bag)
        motion, notices = with_loads(bag, model, read_motion(bag), **options)
    assert series is not None
    return motion, series, notices


@pytest.mark.parametrize("namespace", ["", "left"])
def test_computed_loads_are_the_recorded_ones(
    tmp_path: Path, charmie: Model, namespace: str
) -> None:
    told = loads(f"/{namespace}/" if namespace else "/")
    path = recording(tmp_path, charmie, told, namespace=namespace)
    motion, recorded, notices = read(path, charmie)
    assert notices == []
    np.testing.assert_allclose(base_wrenches(charmie, motion), recorded.values, atol=1e-7)
    for sample in (HELD - 1, HELD, PUSHED):
        computed = np.concatenate(state_at(charmie, motion, sample).base_wrench)
        np.testing.assert_allclose(computed, recorded.values[sample], atol=1e-7)


def test_frames_of_loads_have_the_prefix_that_is_told(tmp_path: Path, charmie: Model) -> None:
    options = ("--frame-prefix", "m/")
    path = recording(tmp_path, charmie, loads(frame_prefix="m/"), *options)
    motion, recorded, notices = read(path, charmie, frame_prefix="m/")
    assert notices == []
    np.testing.assert_allclose(base_wrenches(charmie, motion), recorded.values, atol=1e-7)


def test_loads_that_cannot_be_used_are_told(tmp_path: Path, charmie: Model) -> None:
    path = recording(tmp_path, charmie, loads(frame_prefix="m/"), "--frame-prefix", "m/")
    _, _, (notice,) = read(path, charmie)
    assert "/external_wrench: 1 messages refused" in notice


def test_a_bag_that_tells_of_no_loads_has_none(tmp_path: Path, charmie: Model) -> None:
    path = recording(tmp_path, charmie, [])
    motion, _, notices = read(path, charmie)
    assert (motion.loads, notices) == ((), [])


@pytest.mark.parametrize("command", ["plot", "render"])
def test_pictures_of_a_robot_with_loads_are_those_of_its_model(
    tmp_path: Path, charmie: Model, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The load on the base tells: there is no notice that another model was at work."""
    path = str(recording(tmp_path, charmie, loads()))
    capsys.readouterr()
    if command == "plot":
        status = plot([path, "--topics", "stability", "--output", str(tmp_path)])
    else:
        options = ["--at", f"{0.01 * MIDDLE}", "--size", "64x64", "--no-legend"]
        status = render([path, *options, "--output", str(tmp_path / "robot.png")])
    assert (status, capsys.readouterr().err) == (0, "")
