# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions with measured efforts from recordings, smoothed and aligned as in charmie_analyze."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.estimation.contradictions import SIGNIFICANT
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.compute.analysis import Analysis, analyse
from charmie_dynamics.recordings.compute.cycles import AnalysisSettings, CycleCounts, Cycles
from charmie_dynamics.recordings.compute.smoothing import QUINTIC
from charmie_dynamics.recordings.compute.tracks import Track, tracks_of
from charmie_dynamics.recordings.compute.zero_phase import completed, motion_of_tracks
from charmie_dynamics.recordings.read.received import (
    BaseMessage,
    LoadMessage,
    ReceivedSample,
    Recording,
)
from charmie_dynamics.recordings.read.segments import segments
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

from .samples import (
    MEAN,
    EffortSamples,
    Estimate,
    Motion,
    chosen_cutoff,
    motion_and_errors,
    of_all_coordinates,
    without_ends,
)

SMOOTHING = "zero-phase"
# velocities are compared with motions: least duration in units of MEAN, typical rate (rad/s, m/s),
# and differences as a share of the motion; larger ones are contradictory units or signs
FEWEST_MEANS = 20
SLOWEST = 0.01
LEAST_DIFFERENCE, LARGEST_DIFFERENCE = 0.05, 0.5


def samples_of_recording(
    model: Model,
    recording: Recording,
    settings: AnalysisSettings,
    *,
    progress: bool = False,
    notices: list[str] | None = None,
    choose_cutoff: bool = False,
) -> list[EffortSamples]:
    """Return the samples of a recording: one set per part between backward jumps of its stamps.

    Parameters
    ----------
    model : Model
    recording : Recording
    settings : AnalysisSettings
        With zero-phase smoothing and dynamics.
    progress : bool
        Show a progress bar on standard error.
    notices : list of str, optional
        Receives a line for each cause of omitted cycles, and for each contradictory input.
    choose_cutoff : bool
        Choose the cutoff from the data, see `samples.chosen_cutoff`, instead of from the
        settings.

    Raises
    ------
    CharmieError
        If no cycle can be computed, or the settings are not allowed.
    UnsupportedError
        If neither an actuator nor loops move a joint.

    Examples
    --------
    >>> from pathlib import Path
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.recordings import AnalysisSettings
    >>> from charmie_dynamics.recordings import RecordedInputs
    >>> from charmie_dynamics.studies import samples_of_recording
    >>> with RecordedInputs(Path("bag")) as bag:
    ...     (samples,) = samples_of_recording(load_model(), bag, AnalysisSettings())
    >>> samples.measured.shape
    (200, 21)
    """
    closing = ClosedMotions(model, "identification")
    if settings.smoothing != SMOOTHING or not settings.dynamics:
        raise CharmieError(
            f"identification: expected {SMOOTHING} smoothing with dynamics, got "
            f"{settings.smoothing}"
        )
    settings = replace(settings, polynomials=QUINTIC)
    kept, frictionless = _BufferedRecording(recording), model.without_friction()
    motions = _Motions(model)
    analysis = analyse(frictionless, kept, settings, motions, progress=progress)
    if notices is not None:
        notices += analysis.warnings
    estimates = _estimates(model, kept, analysis, settings)
    if choose_cutoff:
        cutoff = min(chosen_cutoff(time, estimated) for time, estimated in estimates)
        if cutoff != settings.cutoff:
            settings = replace(settings, cutoff=cutoff)
            motions = _Motions(model)
            analysis = analyse(frictionless, kept, settings, motions)
            estimates = _estimates(model, kept, analysis, settings)
    cycles, closed = analysis.cycles, motions.all()
    described = cycles.arrays["actuator_effort"]
    if closing.has_idle:
        # the analysis keeps the spin at which it began
        without = closing.near(closed)
        smooth = frictionless.compute
        described = described - smooth(*closed).actuator_effort + smooth(*without).actuator_effort
        closed = without
    result = []
    for rows, (time, estimated) in zip(_parts(cycles.stamps), estimates, strict=True):
        errors = motion_and_errors(time, estimated, settings.cutoff)[1]
        result.append(
            EffortSamples(
                time,
                closed[0][rows],
                closed[1][rows],
                closed[2][rows],
                without_ends(time, analysis.measured[rows], settings.cutoff),
                described[rows],
                None if errors is None else of_all_coordinates(model, errors),
                QUINTIC.position_width / settings.cutoff,
            )
        )
        if notices is not None:
            notices += _velocity_notices(model, result[-1])
    return result


def _velocity_notices(model: Model, samples: EffortSamples) -> list[str]:
    """Return a notice for each velocity that differs from the motion, but not by its unit.

    Differences are multiplied by those 0.2 s later, which have other noise.
    """
    used = np.isfinite(samples.measured).any(axis=1)
    if not used.any():
        return []
    count = max(1, round(MEAN / float(np.median(np.diff(samples.time)))))
    if np.count_nonzero(used) < FEWEST_MEANS * count:
        return []
    entries = model.flat.freedoms.position_entry[model.actuator_index]
    motion = np.gradient(samples.position[:, entries], samples.time, axis=0)[used]
    error = samples.velocity[used][:, model.actuator_index] - motion
    lasting = (error[2 * count :] * error[: -2 * count]).mean(axis=0)
    noise = SIGNIFICANT * (error**2).mean(axis=0) / np.sqrt(len(error) / count)
    size = np.sqrt(np.maximum((motion**2).mean(axis=0), SLOWEST**2))
    shares = np.sqrt(np.where(lasting > noise, lasting, 0.0)) / size
    return [
        f"'{name}': velocity differs from the motion by at least {100.0 * share:.0f} % (RMS): is "
        "it filtered or delayed? omit it, so that it is estimated"
        for name, share in zip(model.actuator_names, shares.tolist(), strict=True)
        if LEAST_DIFFERENCE < share < LARGEST_DIFFERENCE
    ]


class _Motions:
    """Stores the motion of all coordinates of the cycles of an analysis."""

    def __init__(self, model: Model) -> None:
        places = [model.layout.index(name) for name in ("position", "velocity", "acceleration")]
        self.columns: Ints = np.concatenate(places)
        self._ends = np.cumsum([len(place) for place in places])[:-1]
        self._rows: list[Floats] = []

    def write(self, cycles: Cycles) -> None:
        self._rows.append(cycles.rows)

    def all(self) -> Motion:
        position, velocity, acceleration = np.split(np.concatenate(self._rows), self._ends, axis=1)
        return position, velocity, acceleration


class _BufferedRecording:
    """A recording that stores its samples when it is read first."""

    def __init__(self, recording: Recording) -> None:
        self.description, self.count = recording.description, recording.count
        self.diagnostics = recording.diagnostics
        self.entries: list[ReceivedSample | LoadMessage | BaseMessage] = []
        self._recording, self._is_read = recording, False

    def received(self) -> Iterator[ReceivedSample | LoadMessage | BaseMessage]:
        if self._is_read:
            yield from self.entries
            return
        for entry in self._recording.received():
            self.entries.append(entry)
            yield entry
        self._is_read = True


def _parts(stamps: Ints) -> list[slice]:
    """Return the rows between backward jumps of the time."""
    begins = [0, *((stamps[1:] <= stamps[:-1]).nonzero()[0] + 1).tolist(), len(stamps)]
    return [slice(first, end) for first, end in pairwise(begins)]


def _estimates(
    model: Model, kept: _BufferedRecording, analysis: Analysis, settings: AnalysisSettings
) -> list[tuple[Floats, Estimate]]:
    """Return the times (s) and the estimates of the motion for each part of a recording."""
    samples = (
        entry for entry in kept.entries
        if isinstance(entry, ReceivedSample) and entry.topic in (JOINT_STATES, ACTUATOR_LENGTHS)
    )  # fmt: skip
    counts = CycleCounts()
    recorded = [
        tracks_of(model, completed(model, part), counts)
        for part, _ in segments(samples, settings.timeout)
    ]
    stamps = analysis.cycles.stamps
    filtered = []
    for rows in _parts(stamps):
        at = stamps[rows]
        # parts without cycles have no rows; the rows of later parts are recorded later
        covered = [
            sum(np.count_nonzero((t.stamps[0] <= at) & (at <= t.stamps[-1])) for t in own.values())
            for own in recorded
        ]
        k = int(np.argmax(covered))
        tracks, recorded = recorded[k], recorded[k + 1 :]
        filtered.append(((at - at[0]) * SECONDS, _estimate_of(model, tracks, at, settings)))
    return filtered


def _estimate_of(
    model: Model, tracks: Mapping[int, Track], at: Ints, settings: AnalysisSettings
) -> Estimate:
    def estimated(some: slice, cutoff: float) -> Motion:
        halves = {
            i: Track(track.stamps[some], track.position[some], track.velocity[some])
            for i, track in tracks.items()
        }
        q, v, a = motion_of_tracks(model, halves, at, replace(settings, cutoff=cutoff))
        driven = model.actuator_index
        q, v, a = (np.nan_to_num(array[:, driven]) for array in (q, v, a))
        return q, v, a

    return estimated
