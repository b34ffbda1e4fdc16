# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Zero-phase computation of all cycles: derivatives from the samples before and after each.

The samples of each actuator are fitted around the stamp of every joint sample, see
`smoothing`. Cycles are computed in batches, a new batch when the loads change. Velocity and
acceleration are computed from measured velocities, or from positions without these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.estimation.contradictions import (
    STRETCH_ANGLE,
    describe_outside,
    describe_rate,
    may_judge,
    stretches,
)
from charmie_dynamics.live.estimation.entries import (
    driven_coordinates,
    measured_joints,
    places_of_names,
)
from charmie_dynamics.live.estimation.estimator import (
    IMPOSSIBLE,
    IMPOSSIBLE_UNRATED,
    slack_limits,
)
from charmie_dynamics.live.estimation.following import closed_motion, followed_motion
from charmie_dynamics.live.estimation.measured_passive import MeasuredPassive
from charmie_dynamics.live.estimation.records import TRACKER
from charmie_dynamics.live.estimation.trackers import HORIZON, SHORTEST_STEP, compare_track
from charmie_dynamics.live.measured import MeasuredEfforts
from charmie_dynamics.live.wire.samples import JOINT_STATES
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.flat.loop_following import FollowedMotion, is_passive
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import coordinate_limits
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.received import ReceivedSample
from charmie_dynamics.recordings.read.segments import segments

from .comparisons import compared, measured_efforts
from .cycles import AnalysisSettings, CycleCounts, Cycles, StateSelection, joined
from .measured import MeasuredSamples
from .smoothing import fit_positions, fit_velocities
from .tracks import Track, tracks_of

PART = 8192  # cycles that are computed and yielded together
Motion = tuple[Floats, Floats, Floats]
Bools = npt.NDArray[np.bool_]


def zero_phase_cycles(
    model: Model,
    received: Iterable[ReceivedSample],
    settings: AnalysisSettings,
    selection: StateSelection,
    counts: CycleCounts,
) -> Iterator[Cycles]:
    """Yield the cycles at the stamps of the joint samples."""
    followed = followed_motion(model)
    efforts = measured_efforts(model, settings)
    segment = _SegmentComputation(model, settings, selection, counts, efforts, followed)
    for number, (part, late) in enumerate(segments(received, settings.timeout)):
        counts.jumps_back = number
        counts.late += late
        counts.samples.update(entry.topic for entry in part)
        if followed is not None and followed.is_passive.any():
            followed.forget()
            part = completed(model, part, [followed], counts)
        yield from segment.cycles(part)


def completed(
    model: Model,
    part: list[ReceivedSample],
    followed: Sequence[FollowedMotion] = (),
    counts: CycleCounts | None = None,
) -> list[ReceivedSample]:
    """Return samples with the driven joints that measured passive joints determine.

    Parameters
    ----------
    model : Model
    part : list of ReceivedSample
        Without jumps of the time.
    followed : sequence of FollowedMotion
        See `MeasuredPassive`.
    counts : CycleCounts, optional
        Receives contradictions.
    """
    if not is_passive(model.flat).any():
        return part
    passive = MeasuredPassive(model, followed)
    part = [e._replace(sample=passive.completed(e.topic, e.sample)) for e in part]
    if counts is not None:
        counts.contradictions.update(passive.take_contradictions())
    return part


class _Triggers(NamedTuple):
    """The samples (n,) at whose stamps cycles are computed, in the order of the stamps (ns)."""

    entries: list[ReceivedSample]
    stamps: Ints
    arrivals: Ints


@dataclass(frozen=True)
class _SegmentComputation:
    """Computation of the cycles of segments of a recording, without jumps of the time."""

    model: Model
    settings: AnalysisSettings
    selection: StateSelection
    counts: CycleCounts
    efforts: MeasuredEfforts
    followed: FollowedMotion | None

    def cycles(self, part: list[ReceivedSample]) -> Iterator[Cycles]:
        """Yield the cycles of the samples of a segment."""
        triggers = _triggers(self.model, part)
        if not triggers.entries:
            return
        self.counts.triggers += len(triggers.entries)
        motion = self._motion(part, triggers.stamps)
        rows = self._known_rows(motion, triggers.stamps)
        measured = self._measured(part, triggers)
        yield from _gathered(
            piece
            for some in _equally_loaded(rows, triggers.entries)
            if (piece := self._piece(some, triggers, motion, measured)) is not None
        )

    def _motion(self, part: list[ReceivedSample], stamps: Ints) -> Motion:
        """Return the motion (n, q) of all actuators at stamps; NaN if unknown."""
        tracks = tracks_of(self.model, part, self.counts)
        self._note_values(tracks)
        motion = motion_of_tracks(self.model, tracks, stamps, self.settings)
        self._fill_unrecorded(tracks, motion)
        if not self.settings.estimate_acceleration:
            motion[2][:] = 0.0
        return motion

    def _note_values(self, tracks: dict[int, Track]) -> None:
        """Report positions outside the limits, and velocities that contradict them."""
        model, counts = self.model, self.counts
        limits, lengths, names = coordinate_limits(model), stretches(model), model.velocity_names
        for i, track in tracks.items():
            lower, upper = slack_limits(model, i)
            outside = track.position[(track.position < lower) | (track.position > upper)]
            if len(outside):
                before, _ = counts.outside.get(names[i], (0, ""))
                text = describe_outside(
                    float(outside[-1]),
                    limits[i].lower,
                    limits[i].upper,
                    is_angle=bool(lengths[i] == STRETCH_ANGLE),
                )
                counts.outside[names[i]] = before + len(outside), text
            records = np.zeros(1, dtype=TRACKER)
            records["stretch"] = lengths[i]
            compare_track(
                track.stamps, track.position, track.velocity, self.settings.timeout, records
            )
            if may_judge(records)[0]:
                text_of_rate = describe_rate(records[0])
                if text_of_rate is not None:
                    counts.contradictions[names[i]] = text_of_rate

    def _fill_unrecorded(self, tracks: dict[int, Track], motion: Motion) -> None:
        """Set the actuators that were not recorded: held positions, and base joints at zero."""
        held = dict(self.settings.hold)
        if not self.settings.require_base_joints:
            for name in self.model.joint_names:
                if name.partition("/")[0] in self.model.mechanisms.base_joints:
                    held.setdefault(name, 0.0)
        for i, name in enumerate(self.model.velocity_names):
            if i not in tracks and name in held:
                for array, value in zip(motion, (held[name], 0.0, 0.0), strict=True):
                    array[:, i] = value

    def _known_rows(self, motion: Motion, stamps: Ints) -> Ints:
        """Return the rows at which all actuators and the odometry are known; count the others."""
        known = np.logical_and.reduce([np.isfinite(array) for array in motion])
        reported = measured_joints(self.model)
        known[:, [i for i in range(known.shape[1]) if i not in reported]] = True
        for i in np.flatnonzero(~known.all(axis=0)):
            self.counts.missing[self.model.velocity_names[i]] += int((~known[:, i]).sum())
        rows_known = known.all(axis=1)
        if self.settings.contacts is not None:
            has_base = self.settings.contacts.track.has_odometry(stamps, self.settings.timeout)
            if not has_base.all():
                self.counts.missing["odometry"] += int((~has_base).sum())
            rows_known &= has_base
        return np.flatnonzero(rows_known)

    def _measured(self, part: list[ReceivedSample], triggers: _Triggers) -> Floats:
        """Return the measured efforts (n, a) at the triggers; NaN if unknown."""
        samples = MeasuredSamples(self.model, self.settings.timeout)
        for entry in part if self.settings.dynamics else ():
            samples.note(entry)
        return samples.at(triggers.stamps, triggers.arrivals)

    def _piece(
        self, rows: Ints, triggers: _Triggers, motion: Motion, measured: Floats
    ) -> Cycles | None:
        """Return the cycles of rows with constant loads; None if none can be computed."""
        settings, stamps = self.settings, triggers.stamps
        loaded = self.model.with_loads(*triggers.entries[rows[0]].loads)
        motion = _at_rows(motion, rows)
        if self.followed is not None:
            rows, motion = self._closed_motion(loaded, self.followed, rows, motion)
        if settings.contacts is not None:
            motion = settings.contacts.track.with_base(motion, stamps[rows], settings.cutoff)
        computed = self._computed(loaded, rows, motion)
        if computed is None:
            return None
        rows, motion, batch = computed
        self.counts.computed += len(rows)
        cycles = self.selection.of_batch(stamps[rows], triggers.arrivals[rows], batch)
        if settings.contacts is None:
            return compared(self.efforts, loaded, cycles, motion, measured[rows], self.counts)
        # measured efforts are not compared: the observer does not model contacts
        if settings.dynamics:
            cycles = cycles._replace(arrays=settings.contacts.added(loaded, cycles.arrays, batch))
        return cycles

    def _closed_motion(
        self, model: Model, followed: FollowedMotion, rows: Ints, motion: Motion
    ) -> tuple[Ints, Motion]:
        """Return the rows whose loops close, and their motion with the other coordinates."""
        motions: list[Motion] = []
        good = np.ones(len(rows), dtype=bool)
        for k, sample in enumerate(zip(*motion, strict=True)):
            try:
                motions.append(closed_motion(model, followed, sample))
            except CharmieError as error:
                good[k] = False
                self.counts.note_unreachable(error)
        shapes = (len(model.position_names), *(len(model.velocity_names),) * 2)
        arrays = [
            np.array([row[j] for row in motions]).reshape(len(motions), size)
            for j, size in enumerate(shapes)
        ]
        return rows[good], (arrays[0], arrays[1], arrays[2])

    def _computed(
        self, model: Model, rows: Ints, motion: Motion
    ) -> tuple[Ints, Motion, State] | None:
        """Return the rows that can be computed, their motion and their states; None if no row."""
        compute = model.compute if self.settings.dynamics else model.kinematics
        try:
            return rows, motion, compute(*motion)
        except CharmieError:
            good = self._computable(compute, motion)  # rare: one by one
        if not good.any():
            return None
        motion = _at_rows(motion, good)
        return rows[good], motion, compute(*motion)

    def _computable(self, compute: Callable[..., State], motion: Motion) -> Bools:
        """Return whether each sample of a motion can be computed; count the others."""
        good = np.ones(len(motion[0]), dtype=bool)
        for k, sample in enumerate(zip(*motion, strict=True)):
            try:
                compute(*sample)
            except CharmieError as error:
                good[k] = False
                self.counts.note_unreachable(error)
        return good


def _triggers(model: Model, part: list[ReceivedSample]) -> _Triggers:
    """Return the triggers of a segment; of several with the same stamp, the last.

    These are joint states, and other samples with a joint that is an actuator itself. For a robot
    with linear actuators only, these are samples with lengths, or with joints without lengths.
    """
    driven = driven_coordinates(model)
    only_linear = len(driven) == len(measured_joints(model))
    holds: dict[tuple[str, tuple[str, ...]], bool] = {}
    for entry in part:
        key = entry.topic, entry.sample.names
        if key not in holds:
            places = places_of_names(model, entry.topic)
            used = [places[name] for name in entry.sample.names if name in places]
            holds[key] = any(
                place.is_length if only_linear else place.coordinate not in driven for place in used
            )
    all_joint_states = not only_linear or not any(holds.values())
    last = {
        entry.sample.stamp: entry
        for entry in part
        if holds[entry.topic, entry.sample.names]
        or (all_joint_states and entry.topic == JOINT_STATES)
    }
    stamps = np.array(sorted(last), dtype=np.int64)
    entries = [last[stamp] for stamp in stamps.tolist()]
    arrivals = np.array([entry.arrival for entry in entries], dtype=np.int64)
    return _Triggers(entries, stamps, arrivals)


def _at_rows(motion: Motion, rows: Ints | Bools) -> Motion:
    return motion[0][rows], motion[1][rows], motion[2][rows]


def _gathered(pieces: Iterable[Cycles]) -> Iterator[Cycles]:
    """Yield parts of about `PART` cycles; frequent changes of loads yield pieces of one cycle."""
    gathered: list[Cycles] = []
    count = 0
    for piece in pieces:
        gathered.append(piece)
        count += len(piece.stamps)
        if count >= PART:
            yield joined(gathered)
            gathered, count = [], 0
    if gathered:
        yield joined(gathered)


def _equally_loaded(rows: Ints, triggers: list[ReceivedSample]) -> Iterator[Ints]:
    """Yield the rows in parts of at most `PART` with constant loads."""
    loads = [triggers[row].loads for row in rows.tolist()]
    first = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or end - first == PART or loads[end] is not loads[first]:
            yield rows[first:end]
            first = end


def motion_of_tracks(
    model: Model, tracks: dict[int, Track], at: Ints, settings: AnalysisSettings
) -> Motion:
    """Return position, velocity and acceleration (m, q) at stamps; NaN without near samples."""
    shape = (len(at), len(model.velocity_names))
    result = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    fastest = _fastest(model)
    together: dict[tuple[bytes, bytes, bytes], list[int]] = defaultdict(list)
    for i, track in tracks.items():
        cuts = _cuts(track, float(fastest[i]), settings.timeout)
        measured = np.isfinite(track.velocity) & (np.abs(track.velocity) < fastest[i])
        key = (track.stamps.tobytes(), cuts.tobytes(), measured.tobytes())
        together[key].append(i)  # these share a fit
    for (_, cut_bytes, measured_bytes), members in together.items():
        stamps = tracks[members[0]].stamps
        position = np.column_stack([tracks[i].position for i in members])
        velocity = np.column_stack([tracks[i].velocity for i in members])
        measured = np.frombuffer(measured_bytes, dtype=bool)
        covered = -1  # stamp up to which the piece before has samples
        for piece in np.split(np.arange(len(stamps)), np.frombuffer(cut_bytes, dtype=np.int64)):
            if len(piece) < settings.polynomials.fewest:
                continue
            rows, values = _piece(
                stamps[piece],
                position[piece],
                velocity[piece],
                measured[piece],
                at,
                covered,
                settings,
            )
            covered = int(stamps[piece[-1]])
            for array, estimate in zip(result, values, strict=True):
                array[np.ix_(rows, members)] = estimate
    return result


def _piece(
    stamps: Ints,
    position: Floats,
    velocity: Floats,
    measured: Bools,
    at: Ints,
    covered: int,
    settings: AnalysisSettings,
) -> tuple[Ints, Motion]:
    """Return the rows of an uninterrupted piece of a record, after `covered`, and its estimates."""
    time = (stamps - stamps[0]) * SECONDS
    reach = int(HORIZON * float(np.median(np.diff(stamps))))
    first = max(covered + 1, int(stamps[0]) - reach)
    rows = np.flatnonzero((at >= first) & (at <= stamps[-1] + reach))
    wanted = (at[rows] - stamps[0]) * SECONDS
    p, v, a = fit_positions(time, position, wanted, settings.cutoff, settings.polynomials)
    # few missing velocities among many are bridged; few velocities among missing ones are ignored
    if 2 * measured.sum() > len(measured) and measured.sum() >= settings.polynomials.fewest:
        v, a = fit_velocities(
            time[measured], velocity[measured], wanted, settings.cutoff, settings.polynomials
        )
    return rows, (p, v, a)


def _cuts(track: Track, fastest: float, timeout: float) -> Ints:
    """Return the starts of pieces: after a pause, and at an impossible step."""
    dt = np.diff(track.stamps) * SECONDS
    step = np.abs(np.diff(track.position))
    impossible = step > fastest * np.maximum(dt, SHORTEST_STEP)
    return np.flatnonzero((dt > timeout) | impossible).astype(np.int64) + 1


def _fastest(model: Model) -> Floats:
    """Return the rates above which a step is impossible."""
    rated = np.array([limit.velocity for limit in coordinate_limits(model)])
    return np.where((rated > 0.0) & np.isfinite(rated), IMPOSSIBLE * rated, IMPOSSIBLE_UNRATED)
