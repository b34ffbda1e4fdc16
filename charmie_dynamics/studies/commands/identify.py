# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_identify: a robot's masses, friction and springs from recordings."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.model.description.description_warnings import warning_lines
from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.package_robots import model_files, robot_of_urdf
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.motions import write_motion
from charmie_dynamics.recordings.compute.cycles import AnalysisSettings
from charmie_dynamics.recordings.read.columns import read_table_format
from charmie_dynamics.recordings.read.received import Recording
from charmie_dynamics.recordings.read.recorded_inputs import RecordedInputs
from charmie_dynamics.recordings.read.robots import model_from_description
from charmie_dynamics.recordings.read.tabular import TabularRecording
from charmie_dynamics.studies.design.study_motion import require_actuator_names
from charmie_dynamics.studies.excitation.proposal import ExcitationSettings, propose
from charmie_dynamics.studies.identification.identified_payload import payload_line, payload_of
from charmie_dynamics.studies.identification.identify import IdentificationSettings, identify
from charmie_dynamics.studies.identification.plausibility import implausible_bodies
from charmie_dynamics.studies.identification.recorded import SMOOTHING, samples_of_recording
from charmie_dynamics.studies.identification.report import report, total_error, write_pictures
from charmie_dynamics.studies.identification.result import IdentificationResult
from charmie_dynamics.studies.identification.samples import CUTOFFS, EffortSamples
from charmie_dynamics.studies.identification.unknowns import Unknowns
from charmie_dynamics.studies.identification.written_files import (
    identified_mechanisms,
    identified_urdf,
)
from charmie_dynamics.tasks.options import TaskBar

REPORT, URDF, MECHANISMS = "report.md", "identified.urdf", "identified_mechanisms.yaml"


def identify_robot(
    options: argparse.Namespace,
) -> tuple[IdentificationResult, list[Path], list[str]]:
    """Identify the robot, and write the results; return the result, the files, and notices.

    Raises
    ------
    CharmieError
        If nothing can be identified, or an option cannot be satisfied.
    """
    read = _read_tables if options.columns else _read_bags
    model, recordings, notices = read(options)
    if options.actuators:
        recordings = [_with_efforts_of(options.actuators, model, samples) for samples in recordings]
    settings = IdentificationSettings(
        _unknowns(options), options.period, options.parts, options.effort_cutoff
    )
    result = identify(model, recordings, settings)
    notices += result.notices + implausible_bodies(model, result.inertials)
    source = ", ".join(path.name for path in options.recordings)
    folder: Path = options.out
    folder.mkdir(parents=True, exist_ok=True)
    described = _mechanisms_text(model, options.mechanisms)
    texts = {
        REPORT: report(result, source) + _warnings(notices),
        URDF: identified_urdf(result, source),
        MECHANISMS: identified_mechanisms(result, described, source),
    }
    files = [folder / name for name in texts]
    for path, text in zip(files, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    # the written files describe a robot
    read_model(folder / URDF, folder / MECHANISMS)
    if not options.no_pictures:
        files += write_pictures(folder, result, options.theme)
    return result, files, notices


def _warnings(notices: list[str]) -> str:
    """Return the section of the report with the notices; empty without any."""
    lines = "".join(f"\n- {notice}" for notice in notices)
    return f"\n## Warnings\n{lines}\n" if lines else ""


def _unknowns(options: argparse.Namespace) -> Unknowns:
    finds_payload = bool(options.find_payload)
    return Unknowns(
        inertials=not (options.no_inertials or finds_payload),
        friction=not options.no_friction,
        offsets=options.offsets,
        springs=not (options.no_springs or finds_payload),
        rotors=bool(options.rotors) if finds_payload else options.rotors,
        payload=options.find_payload or "",
    )


def _read_tables(
    options: argparse.Namespace,
) -> tuple[Model, list[EffortSamples], list[str]]:
    """Return the model, the samples of all tables, and notices."""
    model = read_model(options.urdf, options.mechanisms)
    notices = warning_lines(model.warnings)
    table = read_table_format(options.columns)
    lengths = {actuator.name for actuator in model.mechanisms.linear_actuators}
    hold = {**table.hold, **dict(options.hold)}
    recordings: list[EffortSamples] = []
    for path in options.recordings:
        recording = TabularRecording(path, table, lengths)
        recordings += _samples(options, path, model, recording, hold, notices)
    return model, recordings, notices


def _read_bags(options: argparse.Namespace) -> tuple[Model, list[EffortSamples], list[str]]:
    """Return the model, the samples of all bags, and notices.

    Without ``--urdf`` the model is that of the first bag, and all bags must have its URDF.
    """
    topics = {JOINT_STATES: options.joint_states, ACTUATOR_LENGTHS: options.actuator_lengths}
    selected = {name: topic for name, topic in topics.items() if topic}
    model: Model | None = None
    notices: list[str] = []
    if options.urdf:
        model = read_model(options.urdf, options.mechanisms)
        notices += warning_lines(model.warnings)
    recordings: list[EffortSamples] = []
    for path in options.recordings:
        with RecordedInputs(path, options.namespace, selected) as bag:
            if model is None:
                model, remarks = model_from_description(
                    bag.description, f"bag '{path}'", options.mechanisms
                )
                notices += _of_recording(options, path, remarks)
            elif not options.urdf and (bag.description or model.tree.urdf) != model.tree.urdf:
                raise CharmieError(
                    f"bag '{path}': its robot_description is not that of "
                    f"'{options.recordings[0]}'; expected recordings of one robot, or --urdf"
                )
            recordings += _samples(options, path, model, bag, dict(options.hold), notices)
    if model is None:
        raise CharmieError("identification: expected a recording, got none")
    return model, recordings, notices


def _samples(
    options: argparse.Namespace,
    path: Path,
    model: Model,
    recording: Recording,
    hold: dict[str, float],
    notices: list[str],
) -> list[EffortSamples]:
    """Return the samples of a recording; append its notices."""
    settings = AnalysisSettings(
        smoothing=SMOOTHING,
        cutoff=options.cutoff or CUTOFFS[0],
        timeout=options.timeout,
        hold=hold,
        frame_prefix=options.frame_prefix,
        effort_factors=dict(options.effort_factor),
        payloads=dict(options.payload),
    )
    own: list[str] = []
    samples = samples_of_recording(
        model, recording, settings, progress=not options.quiet, notices=own,
        choose_cutoff=options.cutoff is None,
    )  # fmt: skip
    own += recording.diagnostics.lines()
    notices += _of_recording(options, path, own)
    return samples


def _of_recording(options: argparse.Namespace, path: Path, notices: list[str]) -> list[str]:
    """Return the notices of a recording; if there are several, with its path."""
    if len(options.recordings) == 1:
        return notices
    return [f"{path}: {notice}" for notice in notices]


def _with_efforts_of(names: list[str], model: Model, samples: EffortSamples) -> EffortSamples:
    """Return the samples with the efforts of the named actuators only."""
    require_actuator_names(model, names)
    measured = samples.measured.copy()
    measured[:, [name not in names for name in model.actuator_names]] = np.nan
    return replace(samples, measured=measured)


def _mechanisms_text(model: Model, path: Path | None) -> str:
    """Return the mechanisms file of a model; empty without one."""
    if path is not None:
        return read_text(path)
    name = robot_of_urdf(model.tree.urdf)
    own = None if name is None else model_files(name, "")[1]
    return "" if own is None else read_text(own)


def _propose(options: argparse.Namespace) -> list[str]:
    """Write a motion for the identification; return a description."""
    model = read_model(options.urdf, options.mechanisms)
    settings = ExcitationSettings(
        duration=options.duration,
        harmonics=options.harmonics,
        cycle=options.cycle,
        still=options.still,
        margin=options.margin,
        rounds=options.rounds,
        seed=options.seed,
    )
    with TaskBar(quiet=options.quiet, unit="round") as bar:
        excitation = propose(model, settings, _unknowns(options), bar.note)
    write_motion(options.propose, model.actuator_names, excitation.motion)
    margin = ""
    if math.isfinite(excitation.margin):
        margin = f", tip-over margin at least {excitation.margin:.3f} m"
    return [
        f"{options.propose}: {options.duration:g} s, condition number {excitation.condition:.1f}, "
        f"at most {100.0 * excitation.share:.0f} % of a rated effort{margin}",
        "collisions of the robot with itself or its surroundings were not checked",
    ]


def run(options: argparse.Namespace) -> int:
    """Identify, or propose a motion; return the exit status."""
    if options.propose:
        print("\n".join(_propose(options)))
        return 0
    result, files, notices = identify_robot(options)
    described, friction, identified = total_error(result)
    print(
        f"{len(result.numbers) - len(result.undetermined)} of {len(result.numbers)} "
        "parameters are determined by "
        f"{result.duration:.1f} s of motion. Errors of efforts on parts that were held out, in "
        f"units of the measured efforts: {100.0 * described:.1f} % as described, "
        f"{100.0 * friction:.1f} % with friction identified, {100.0 * identified:.1f} % with all "
        "identified"
    )
    payload = payload_of(result)
    if payload is not None:
        print(payload_line(payload))
    for path in files:
        print(path)
    for notice in notices:
        print(f"charmie_identify: {notice}", file=sys.stderr)
    return 0
