# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Payloads and wrenches in a recording act as they do on a node that hears of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from input_recordings import (
    Told,
    before,
    inertia,
    wrench,
    write_inputs,
)
from recordings import MCAP, SQLITE, START

from charmie_dynamics import Model
from charmie_dynamics.errors import UnknownNameError
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.model.loads import Payload, Wrench
from charmie_dynamics.recordings import Analysis, AnalysisSettings, RecordedInputs, analyse

SAMPLES = 120
LEFT, ASSUMED = "/payload/left", "/assumed_payload/left"
TOOL, OTHER = "left_tool", "right_tool"
COM = (0.02, -0.01, 0.08)
HEAVY, LIGHT = Payload(1.5, COM), Payload(0.4)
FORCE = (5.0, -2.0, 1.0)
EXPIRY = 50  # samples after a wrench, with the timeout of 0.5 s
BOTH = pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
Expected = Callable[[int], tuple[dict[str, Payload], dict[str, Wrench]]]


def analysis_of(
    folder: Path, model: Model, told: Collection[Told], *, samples: int = SAMPLES, **options: Any
) -> tuple[Analysis, list[str]]:
    with RecordedInputs(write_inputs(folder / "b", model, samples, told=told)) as bag:
        found = analyse(model, bag, AnalysisSettings(**options))
        return found, bag.diagnostics.lines() + found.loads.lines()


def expected_efforts(analysis: Analysis, loads: Expected) -> np.ndarray:
    """The efforts in the same motion under the loads of each sample."""
    arrays = analysis.cycles.arrays
    motion = zip(*(arrays[x] for x in ("position", "velocity", "acceleration")), strict=True)
    model = analysis.model
    return np.array(
        [model.with_loads(*loads(k)).compute(*x).actuator_effort for k, x in enumerate(motion)]
    )


def require_loads(analysis: Analysis, loads: Expected, samples: int = SAMPLES) -> None:
    assert len(analysis.cycles.stamps) == samples
    expected = expected_efforts(analysis, loads)
    found = analysis.cycles.arrays["actuator_effort"]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


@BOTH
def test_a_payload_counts_from_its_message_on_until_it_is_taken_away(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    told = [
        inertia(LEFT, before(30), 1.5, COM, TOOL),
        inertia(LEFT, before(50), 0.4),
        inertia(LEFT, before(90), 0.0),
    ]
    found, notices = analysis_of(tmp_path, charmie, told, smoothing=smoothing)
    held = {30: {TOOL: HEAVY}, 50: {TOOL: LIGHT}, 90: {}}
    require_loads(found, lambda k: (held.get(max((s for s in held if s <= k), default=90), {}), {}))
    assert notices == []


@BOTH
def test_a_wrench_counts_until_it_is_stale(tmp_path: Path, charmie: Model, smoothing: str) -> None:
    told = [wrench(before(30), OTHER, FORCE)]
    found, _ = analysis_of(tmp_path, charmie, told, smoothing=smoothing)
    pushed = {OTHER: Wrench(FORCE)}
    require_loads(found, lambda k: ({}, pushed if 30 <= k < 30 + EXPIRY else {}))


def test_causal_efforts_are_those_of_a_pipeline_with_the_loads_bit_for_bit(
    tmp_path: Path, charmie: Model
) -> None:
    told = [inertia(LEFT, before(30), 1.5, COM), wrench(before(60), OTHER, FORCE)]
    found, _ = analysis_of(tmp_path, charmie, told, smoothing="causal")
    pipeline = Pipeline(charmie)
    expected = []
    with RecordedInputs(write_inputs(tmp_path / "alone", charmie, SAMPLES)) as bag:
        for k, entry in enumerate(bag.received()):
            if k == 2 * 30:  # lengths and joints
                pipeline.carry(charmie.with_loads({TOOL: HEAVY}))
            if k == 2 * 60:
                pipeline.carry(charmie.with_loads({TOOL: HEAVY}, {OTHER: Wrench(FORCE)}))
            if k == 2 * (60 + EXPIRY):
                pipeline.carry(charmie.with_loads({TOOL: HEAVY}))
            cycle = pipeline.take(entry.topic, entry.sample, entry.arrival * 1e-9)
            expected += [] if cycle is None else [cycle.state.actuator_effort]
    np.testing.assert_array_equal(found.cycles.arrays["actuator_effort"], expected)


@BOTH
def test_what_was_assumed_before_the_recording_counts_from_its_first_sample_on(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    """A recorder hears of it when it has found the topic."""
    told = [inertia(ASSUMED, before(40), 1.5, COM, stamp=START - 10**10)]
    found, _ = analysis_of(tmp_path, charmie, told, smoothing=smoothing)
    require_loads(found, lambda k: ({TOOL: HEAVY}, {}))
    assert found.loads.summary(int(found.cycles.arrivals[0])) == [
        "left_tool holds a payload of 1.5 kg from the start (/assumed_payload/left)"
    ]


def test_what_is_assumed_as_of_a_time_before_the_last_message_is_old_news(
    tmp_path: Path, charmie: Model
) -> None:
    told = [
        inertia(LEFT, before(40), 1.5, COM),
        inertia(ASSUMED, before(41), 0.4, stamp=before(39)),
    ]
    found, _ = analysis_of(tmp_path, charmie, told)
    require_loads(found, lambda k: ({TOOL: HEAVY} if k >= 40 else {}, {}))


def test_a_parameter_that_is_set_after_a_message_counts(tmp_path: Path, charmie: Model) -> None:
    told = [
        inertia(LEFT, before(30), 1.5, COM),
        inertia(ASSUMED, before(30) + 1000, 1.5, COM),
        inertia(ASSUMED, before(70), 0.4),
    ]
    found, _ = analysis_of(tmp_path, charmie, told)
    require_loads(
        found, lambda k: ({} if k < 30 else {TOOL: HEAVY} if k < 70 else {TOOL: LIGHT}, {})
    )


def test_a_payload_of_the_settings_counts_in_place_of_what_was_assumed(
    tmp_path: Path, charmie: Model
) -> None:
    told = [
        inertia(ASSUMED, before(0), 0.0, stamp=START - 10**10),
        inertia(ASSUMED, before(20), 1.5, COM),
        inertia(LEFT, before(80), 0.0),
    ]
    found, _ = analysis_of(tmp_path, charmie, told, payloads={"left": LIGHT})
    require_loads(found, lambda k: ({TOOL: LIGHT} if k < 80 else {}, {}))


@BOTH
def test_loads_of_the_model_last_until_messages_change_them(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    own = charmie.with_loads({TOOL: HEAVY, OTHER: LIGHT}, {OTHER: Wrench(FORCE)})
    told = [inertia(LEFT, before(40), 0.0)]
    found, _ = analysis_of(tmp_path, own, told, smoothing=smoothing)
    wrenches = {OTHER: Wrench(FORCE)}
    require_loads(
        found, lambda k: ({TOOL: HEAVY, OTHER: LIGHT} if k < 40 else {OTHER: LIGHT}, wrenches)
    )
    (change,) = found.loads.changes
    assert change.link == TOOL and change.payload is None


def test_the_settings_may_not_give_a_payload_that_no_link_holds(
    tmp_path: Path, charmie: Model
) -> None:
    with pytest.raises(UnknownNameError, match=r"'lefd'.*did you mean 'left'"):
        analysis_of(tmp_path, charmie, [], payloads={"lefd": LIGHT})


def test_frames_of_loads_have_the_prefix(tmp_path: Path, charmie: Model) -> None:
    told = [
        inertia(LEFT, before(0), 1.5, COM, "r/left_tool"),
        wrench(before(0), "r/" + OTHER, FORCE),
    ]
    found, notices = analysis_of(tmp_path, charmie, told, samples=20, frame_prefix="r/")
    require_loads(found, lambda k: ({TOOL: HEAVY}, {OTHER: Wrench(FORCE)}), 20)
    assert notices == []


@BOTH
def test_messages_that_the_node_refuses_are_refused_and_counted(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    told = [
        inertia(LEFT, before(1), 1.5, COM, "somewhere"),
        inertia(LEFT, before(2), -1.0),
        inertia("/payload/tail", before(3), 1.0),
        wrench(before(4), "nowhere", FORCE),
        wrench(before(5), OTHER, (np.nan, 0.0, 0.0)),
    ]
    found, notices = analysis_of(tmp_path, charmie, told, samples=20, smoothing=smoothing)
    require_loads(found, lambda k: ({}, {}), 20)
    text = "\n".join(notices)
    assert (
        "/payload/left: 2 messages refused, the first since expected the frame 'left_tool' or "
        "none, got 'somewhere'"
    ) in text
    assert "payload 'tail': the mechanisms file of 'charmie' names no link for it" in text
    assert "/external_wrench: 2 messages refused, the first since expected the frame" in text


def test_bytes_that_are_no_message_are_told_and_nothing_else_is_lost(
    tmp_path: Path, charmie: Model
) -> None:
    told = (
        inertia(LEFT, before(1), 1.5),
        wrench(before(2), OTHER, FORCE),
        inertia(ASSUMED, before(3), 1.5),
    )
    cut = [each._replace(data=each.data[:30]) for each in told]
    found, notices = analysis_of(tmp_path, charmie, cut, samples=20)
    require_loads(found, lambda k: ({}, {}), 20)
    assert len(notices) == 3
    assert all("bytes that cannot be decoded" in notice for notice in notices)


@pytest.mark.parametrize("storage", [MCAP, SQLITE], ids=["mcap", "sqlite3"])
def test_loads_in_a_bag_without_metadata_are_read_too(
    tmp_path: Path, charmie: Model, storage: Any
) -> None:
    told = [
        inertia(ASSUMED, before(8), 0.4, stamp=START - 10**10),
        inertia(LEFT, before(12), 1.5, COM),
    ]
    path = write_inputs(tmp_path / "b", charmie, 20, told=told, storage=storage)
    (path / "metadata.yaml").unlink()
    with RecordedInputs(path) as bag:
        found = analyse(charmie, bag, AnalysisSettings())
    require_loads(found, lambda k: ({TOOL: LIGHT if k < 12 else HEAVY}, {}), 20)


def test_loads_of_another_namespace_are_not_used_and_that_is_said(
    tmp_path: Path, charmie: Model
) -> None:
    told = [
        inertia("/other/payload/left", before(1), 1.5),
        wrench(before(1), OTHER, FORCE, "/o/external_wrench"),
    ]
    found, notices = analysis_of(tmp_path, charmie, told, samples=20)
    require_loads(found, lambda k: ({}, {}), 20)
    assert notices == [
        "loads in another namespace than '/' are not used: /o/external_wrench, /other/payload/left"
    ]


def test_loads_of_the_namespace_of_the_inputs_are_used(tmp_path: Path, charmie: Model) -> None:
    told = [
        inertia("/robot/payload/left", before(0), 1.5, COM),
        inertia("/other/payload/left", before(0), 0.4),
    ]
    path = write_inputs(tmp_path / "b", charmie, 20, told=told, namespace="robot")
    with RecordedInputs(path) as bag:
        found = analyse(charmie, bag, AnalysisSettings())
    require_loads(found, lambda k: ({TOOL: HEAVY}, {}), 20)


def test_topics_of_other_types_tell_of_no_load(tmp_path: Path, charmie: Model) -> None:
    text = wrench(before(1), OTHER, FORCE, "/payload/right")
    other = [
        wrench(before(1), OTHER, FORCE, LEFT),
        inertia("/external_wrench", before(1), 1.5),
        text._replace(type="std_msgs/msg/String", data=bytes(text.data[:4]) + bytes(8)),
    ]
    found, notices = analysis_of(tmp_path, charmie, other, samples=20)
    require_loads(found, lambda k: ({}, {}), 20)
    assert notices == []
