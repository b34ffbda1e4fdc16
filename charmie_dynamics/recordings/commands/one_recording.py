# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The computation of the node on one recording, and its results."""

from __future__ import annotations

import argparse
import json
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.estimation.following import assembly_lines, idle_lines
from charmie_dynamics.live.frame_ids import require_frame_ids
from charmie_dynamics.live.settings import DEFAULTS, LiveSettings
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.model.description.description_warnings import warning_lines
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.numerics.jit import timed_compilation
from charmie_dynamics.recordings.compute.analysis import (
    Analysis,
    NothingComputedError,
    analyse,
    conclude,
)
from charmie_dynamics.recordings.compute.contact_loads import recorded_contacts
from charmie_dynamics.recordings.compute.cycles import AnalysisSettings, CycleCounts
from charmie_dynamics.recordings.compute.loads import LoadCounts
from charmie_dynamics.recordings.compute.recorded_outputs import recorded_cycles
from charmie_dynamics.recordings.read.columns import read_table_format
from charmie_dynamics.recordings.read.received import Recording
from charmie_dynamics.recordings.read.recorded_inputs import RecordedInputs
from charmie_dynamics.recordings.read.robots import model_from_description
from charmie_dynamics.recordings.read.tabular import TabularRecording
from charmie_dynamics.recordings.write.export import export, table
from charmie_dynamics.recordings.write.friction_file import write_friction
from charmie_dynamics.recordings.write.output_bag import OutputBag
from charmie_dynamics.recordings.write.report import as_dict, report

from .staging import staged


class RecordingOutcome(NamedTuple):
    """Result of a recording.

    Attributes
    ----------
    status : {0, 1}
        Exit status; 1: an error, or a requested bag or comparison with measured efforts could not
        be made.
    out, err : str
        Text for standard output and error.
    """

    status: int
    out: str
    err: str


def outcome(options: argparse.Namespace) -> RecordingOutcome:
    """Analyse a recording, and write all requested results, or none after an error."""
    start = time.perf_counter()
    try:
        with staged(options) as results, timed_compilation() as compilation:
            analysis, notices = run(results)
            lacks_bag = options.out is not None and not results.out.exists()
    except (CharmieError, OSError) as error:
        return RecordingOutcome(1, "", str(error))
    lacks_comparison = options.measured and not analysis.comparisons
    seconds = time.perf_counter() - start - sum(compilation)
    text = report(analysis, options, seconds)
    return RecordingOutcome(int(lacks_bag or lacks_comparison), text, "\n".join(notices))


def run(options: argparse.Namespace) -> tuple[Analysis, list[str]]:
    """Analyse a recording and write the requested results.

    Returns
    -------
    Analysis
    list of str
        Notices: warnings of the model, missing inputs, diagnostics.

    Raises
    ------
    CharmieError
        If no cycle can be computed, or an option cannot be satisfied.
    """
    analysis, notices = _analyse_table(options) if options.columns else _analyse_bag(options)
    if options.measured and not analysis.comparisons:
        notices.append("no measured effort of an actuator was recorded")
    notices += idle_lines(analysis.model)
    notices += assembly_lines(analysis.model, analysis.counts.names)
    _write(options, analysis, notices)
    return analysis, notices


def _analyse_table(options: argparse.Namespace) -> tuple[Analysis, list[str]]:
    table_format = read_table_format(options.columns)
    model = read_model(options.urdf, options.mechanisms)
    lengths = {actuator.name for actuator in model.mechanisms.linear_actuators}
    recording = TabularRecording(options.recording, table_format, lengths)
    settings = _settings(options, {**table_format.hold, **dict(options.hold)})
    analysis = _analyse(options, model, recording, settings, options.storage or "mcap", "/")
    notices = warning_lines(model.warnings)
    return analysis, notices + recording.diagnostics.lines() + analysis.warnings


def _analyse_bag(options: argparse.Namespace) -> tuple[Analysis, list[str]]:
    """Analyse the inputs in a bag; if none can be used, the recorded outputs."""
    topics = {JOINT_STATES: options.joint_states, ACTUATOR_LENGTHS: options.actuator_lengths}
    selected = {name: topic for name, topic in topics.items() if topic}
    with RecordedInputs(options.recording, options.namespace, selected) as recording:
        model, notices = _model(options, recording)
        settings = _settings(options, dict(options.hold))
        if options.contacts:
            where = (options.contacts, options.odometry, options.frame_prefix)
            settings = replace(settings, contacts=recorded_contacts(model, recording, *where))
        storage = options.storage or recording.bag.storage
        linear = model.mechanisms.linear_actuators
        absent = {
            topic: f"the bag has no topic '{topic}'"
            for topic in recording.missing_topics(needs_lengths=bool(linear))
        }
        try:
            analysis = _analyse(options, model, recording, settings, storage, recording.prefix)
        except NothingComputedError as error:
            fallback = _from_outputs(model, recording, settings)
            if fallback is None:
                raise NothingComputedError(
                    "; ".join([str(error), *notices, *absent.values()])
                ) from None
            analysis = fallback
            notices.append(f"{error}. What follows is from the efforts that the node published")
        if all({a.name, a.joint} & analysis.counts.names for a in linear):
            absent.pop(ACTUATOR_LENGTHS, None)  # they were on the other topic
        notices += absent.values()
        notices += recording.diagnostics.lines() + analysis.warnings + analysis.loads.lines()
    return analysis, notices


def _settings(options: argparse.Namespace, hold: dict[str, float]) -> AnalysisSettings:
    return AnalysisSettings(
        smoothing=options.smoothing,
        cutoff=options.cutoff,
        timeout=options.timeout,
        estimate_acceleration=not options.no_acceleration,
        require_base_joints=options.require_base_joints,
        dynamics=not options.no_dynamics,
        observer_cutoff=options.observer_cutoff,
        hold=hold,
        frame_prefix=options.frame_prefix,
        effort_factors=dict(options.effort_factor),
        payloads=dict(options.payload),
        tracked_points=tuple(options.track),
    )


def _analyse(
    options: argparse.Namespace,
    model: Model,
    recording: Recording,
    settings: AnalysisSettings,
    storage: str,
    prefix: str,
) -> Analysis:
    out: Any = nullcontext()
    if options.out:
        published = LiveSettings(
            world_frame=options.world_frame or DEFAULTS.world_frame,
            frame_prefix=options.frame_prefix,
            compute_dynamics=settings.dynamics,
            tracked_points=settings.tracked_points,
        )
        require_frame_ids(published, model)
        out = OutputBag(options.out, model, published, storage=storage, prefix=prefix)
    with out as bag:
        return analyse(model, recording, settings, bag, progress=not options.quiet)


def _from_outputs(
    model: Model, recording: RecordedInputs, settings: AnalysisSettings
) -> Analysis | None:
    """Return an analysis of recorded outputs; None without outputs."""
    cycles = recorded_cycles(model, recording.samples) if settings.dynamics else None
    if cycles is None:
        return None
    unknown = np.full(cycles.arrays["position"].shape, np.nan)
    return conclude(model, settings, cycles, CycleCounts(), LoadCounts(), unknown)


def _model(options: argparse.Namespace, recording: RecordedInputs) -> tuple[Model, list[str]]:
    if options.urdf:
        model = read_model(options.urdf, options.mechanisms)
        return model, warning_lines(model.warnings)
    return model_from_description(
        recording.description, f"bag '{recording.bag.path}'", options.mechanisms
    )


def _write(options: argparse.Namespace, analysis: Analysis, notices: list[str]) -> None:
    measured = friction = None
    if options.measured:
        measured, friction = analysis.measured, analysis.friction()
    for path in options.export:
        export(path, table(analysis.model, analysis.cycles, measured, friction))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(as_dict(analysis, notices), indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.friction and analysis.comparisons:
        write_friction(options.friction, analysis, str(options.recording))
    if options.plots:
        _draw(options.plots, options, analysis, notices)


def _draw(
    folder: Path, options: argparse.Namespace, analysis: Analysis, notices: list[str]
) -> None:
    """Draw all charts of an analysis, the only part that needs matplotlib."""
    from charmie_dynamics.recordings.write.charts import chart_computed_efforts
    from charmie_dynamics.recordings.write.contact_chart import chart_contacts
    from charmie_dynamics.recordings.write.measured_chart import chart_measured

    model, cycles = analysis.model, analysis.cycles
    if len(cycles.stamps) < 2:
        notices.append("no chart was drawn: expected two cycles or more, got 1")
        return
    folder.mkdir(parents=True, exist_ok=True)
    chart_computed_efforts(folder / "efforts.png", model, cycles)
    if analysis.contact_forces is not None:
        chart_contacts(folder, cycles)
    if options.measured and analysis.comparisons:
        chart_measured(folder, model, cycles, analysis.measured, analysis.comparisons)
