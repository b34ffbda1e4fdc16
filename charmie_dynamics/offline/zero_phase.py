"""All cycles of a record at once, with derivatives that know what came after.

Each actuator's samples are put in order and fitted around the stamp of every joint sample, see
`smoothing`; the cycles are computed in batches. Where velocities were measured, velocity and
acceleration come from them, else from the positions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.vectors import Floats, Ints
from ..model.errors import CharmieError, OutOfReachError
from ..model.model import Model
from ..signals.align import ACTUATOR_LENGTHS, IMPOSSIBLE, IMPOSSIBLE_UNRATED, JOINT_STATES
from ..signals.kernels import HORIZON, SHORTEST_STEP
from .cycles import Cycles, Keeper, Settings, Tally
from .received import Received
from .smoothing import POSITION_DEGREE, fewest, fit_positions, fit_velocities

PART = 8192  # cycles that are computed and handed on at once
SECONDS = 1e-9
Bools = npt.NDArray[np.bool_]


class Track(NamedTuple):
    """The samples of one actuator: stamps (ns), and positions and velocities (n,), NaN: unknown."""

    stamps: Ints
    position: Floats
    velocity: Floats


def zero_phase_cycles(
    model: Model,
    received: Iterable[Received],
    settings: Settings,
    keeper: Keeper,
    tally: Tally,
) -> Iterator[Cycles]:
    """Yield the cycles at the stamps of the joint samples."""
    for part in _between_jumps(received, settings, tally):
        yield from _cycles(model, part, settings, keeper, tally)


def _between_jumps(
    received: Iterable[Received], settings: Settings, tally: Tally
) -> Iterator[list[Received]]:
    """Yield the samples between jumps back in time, as of a bag that was played in a loop."""
    part: list[Received] = []
    newest: dict[str, int] = {}
    for entry in received:
        tally.samples[entry.topic] += 1
        stamp = entry.sample.stamp
        if (newest.get(entry.topic, stamp) - stamp) * SECONDS > settings.timeout:
            tally.jumps_back += 1
            yield part
            part, newest = [], {}
        newest[entry.topic] = max(stamp, newest.get(entry.topic, stamp))
        part.append(entry)
    yield part


def _cycles(
    model: Model, part: list[Received], settings: Settings, keeper: Keeper, tally: Tally
) -> Iterator[Cycles]:
    driven = {actuator.joint for actuator in model.mechanisms.linear_actuators}
    trigger = JOINT_STATES if set(model.joint_names) - driven or not driven else ACTUATOR_LENGTHS
    wanted = {entry.sample.stamp: entry.arrival for entry in part if entry.topic == trigger}
    stamps = np.array(sorted(wanted), dtype=np.int64)
    if not len(stamps):
        return
    arrivals = np.array([wanted[stamp] for stamp in stamps.tolist()], dtype=np.int64)
    tally.triggers += len(stamps)
    tracks = _tracks(model, part, tally)
    position, velocity, acceleration = _estimate(model, tracks, stamps, settings)
    _fill_unrecorded(model, tracks, settings, position, velocity, acceleration)
    if not settings.estimate_acceleration:
        acceleration[:] = 0.0
    known = np.isfinite(position) & np.isfinite(velocity) & np.isfinite(acceleration)
    for i in np.flatnonzero(~known.all(axis=0)):
        tally.missing[model.actuator_names[i]] += int((~known[:, i]).sum())
    rows = np.flatnonzero(known.all(axis=1))
    for first in range(0, len(rows), PART):
        some = rows[first : first + PART]
        motion = (position[some], velocity[some], acceleration[some])
        yield from _computed(model, stamps[some], arrivals[some], motion, settings, keeper, tally)


def _computed(
    model: Model,
    stamps: Ints,
    arrivals: Ints,
    motion: tuple[Floats, Floats, Floats],
    settings: Settings,
    keeper: Keeper,
    tally: Tally,
) -> Iterator[Cycles]:
    try:
        batch = model.compute_batch(*motion, dynamics=settings.dynamics)
    except CharmieError:
        good = _computable(model, motion, settings, tally)  # rare: one after the other
        if not good.any():
            return
        stamps, arrivals = stamps[good], arrivals[good]
        motion = (motion[0][good], motion[1][good], motion[2][good])
        batch = model.compute_batch(*motion, dynamics=settings.dynamics)
    tally.computed += len(stamps)
    yield keeper.of_batch(stamps, arrivals, batch)


def _computable(
    model: Model, motion: tuple[Floats, Floats, Floats], settings: Settings, tally: Tally
) -> Bools:
    good = np.ones(len(motion[0]), dtype=bool)
    for k, sample in enumerate(zip(*motion, strict=True)):
        try:
            model.compute(*sample, dynamics=settings.dynamics)
        except CharmieError as error:
            good[k] = False
            tally.note_unreachable(error)
    return good


def _tracks(model: Model, part: list[Received], tally: Tally) -> dict[int, Track]:
    """Return the samples of each actuator; of those with lengths and joint values, the lengths."""
    groups: dict[tuple[str, tuple[str, ...]], list[Received]] = defaultdict(list)
    for entry in part:
        groups[entry.topic, entry.sample.names].append(entry)
    linear = {a.joint: a.name for a in model.mechanisms.linear_actuators}
    joints = {name: i for i, name in enumerate(model.joint_names)}
    lengths = {name: i for i, name in enumerate(model.actuator_names) if name in linear.values()}
    pieces: dict[tuple[int, str], list[Track]] = defaultdict(list)
    for (topic, names), entries in groups.items():
        table = joints if topic == JOINT_STATES else lengths
        _note_unknown(model, names, table, tally)
        stamps = np.array([entry.sample.stamp for entry in entries], dtype=np.int64)
        position = np.array([entry.sample.position for entry in entries])
        absent = np.full(len(names), np.nan)
        velocity = np.array(
            [absent if e.sample.velocity is None else e.sample.velocity for e in entries]
        )
        for k, name in enumerate(names):
            if name in table:
                track = Track(stamps, position[:, k], velocity[:, k])
                if topic == JOINT_STATES and name in linear:
                    track = _as_length(model, name, track)
                pieces[table[name], topic].append(track)
    tracks = {}
    for i in {coordinate for coordinate, _ in pieces}:
        own = pieces.get((i, ACTUATOR_LENGTHS)) or pieces[i, JOINT_STATES]
        track = _in_order(own)
        if len(track.stamps):
            tracks[i] = track
    return tracks


def _note_unknown(
    model: Model, names: tuple[str, ...], table: dict[str, int], tally: Tally
) -> None:
    silent = {j.name for j in model.tree.joints if j.mimic or j.type == "fixed"}
    for name in names:
        if name not in table and name not in silent and name not in tally.unknown:
            tally.unknown.append(name)


def _as_length(model: Model, joint: str, track: Track) -> Track:
    """Return joint values as those of the linear actuator; NaN beyond its dead centres."""
    position, velocity = np.full_like(track.position, np.nan), np.full_like(track.velocity, np.nan)
    for k in np.flatnonzero(np.isfinite(track.position)):
        rate = track.velocity[k]
        try:
            length, speed, _ = model.actuator_from_joint(
                joint, float(track.position[k]), float(rate) if np.isfinite(rate) else 0.0
            )
        except OutOfReachError:
            continue
        position[k] = length
        velocity[k] = speed if np.isfinite(rate) else np.nan
    return Track(track.stamps, position, velocity)


def _in_order(pieces: list[Track]) -> Track:
    """Return samples with a position by their stamps; of equal stamps the last that came."""
    stamps = np.concatenate([piece.stamps for piece in pieces])[::-1]
    position = np.concatenate([piece.position for piece in pieces])[::-1]
    velocity = np.concatenate([piece.velocity for piece in pieces])[::-1]
    known = np.isfinite(position)
    ascending, first = np.unique(stamps[known], return_index=True)
    return Track(ascending, position[known][first], velocity[known][first])


def _estimate(
    model: Model, tracks: dict[int, Track], at: Ints, settings: Settings
) -> tuple[Floats, Floats, Floats]:
    """Return position, velocity and acceleration (m, q) at stamps; NaN where nothing is near."""
    shape = (len(at), len(model.actuator_names))
    result = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    fastest = _fastest(model)
    together: dict[tuple[bytes, bytes, bytes], list[int]] = defaultdict(list)
    for i, track in tracks.items():
        cuts = _cuts(track, float(fastest[i]), settings.timeout)
        measured = np.isfinite(track.velocity) & (np.abs(track.velocity) < fastest[i])
        key = (track.stamps.tobytes(), cuts.tobytes(), measured.tobytes())
        together[key].append(i)  # these are fitted in one go
    for (_, cut_bytes, measured_bytes), members in together.items():
        stamps = tracks[members[0]].stamps
        position = np.column_stack([tracks[i].position for i in members])
        velocity = np.column_stack([tracks[i].velocity for i in members])
        measured = np.frombuffer(measured_bytes, dtype=bool)
        for piece in np.split(np.arange(len(stamps)), np.frombuffer(cut_bytes, dtype=np.int64)):
            if len(piece) < fewest(POSITION_DEGREE):
                continue
            rows, values = _piece(
                stamps[piece], position[piece], velocity[piece], measured[piece], at, settings
            )
            for array, found in zip(result, values, strict=True):
                array[np.ix_(rows, members)] = found
    return result


def _piece(
    stamps: Ints, position: Floats, velocity: Floats, measured: Bools, at: Ints, settings: Settings
) -> tuple[Ints, tuple[Floats, Floats, Floats]]:
    """Return which stamps an uninterrupted piece of a record covers, and the estimates there."""
    time = (stamps - stamps[0]) * SECONDS
    reach = int(HORIZON * float(np.median(np.diff(stamps))))
    rows = np.flatnonzero((at >= stamps[0] - reach) & (at <= stamps[-1] + reach))
    wanted = (at[rows] - stamps[0]) * SECONDS
    p, v, a = fit_positions(time, position, wanted, settings.cutoff)
    # a few unknown velocities among many are bridged; a few known ones say nothing
    if 2 * measured.sum() > len(measured) and measured.sum() >= fewest(POSITION_DEGREE):
        v, a = fit_velocities(time[measured], velocity[measured], wanted, settings.cutoff)
    return rows, (p, v, a)


def _cuts(track: Track, fastest: float, timeout: float) -> Ints:
    """Return where a new piece begins: after a pause, and at a step that cannot be."""
    dt = np.diff(track.stamps) * SECONDS
    step = np.abs(np.diff(track.position))
    impossible = step > fastest * np.maximum(dt, SHORTEST_STEP)
    return np.flatnonzero((dt > timeout) | impossible).astype(np.int64) + 1


def _fastest(model: Model) -> Floats:
    """Return the rates that cannot be."""
    rated = np.array([limit.velocity for limit in model.actuator_limits()])
    return np.where((rated > 0.0) & np.isfinite(rated), IMPOSSIBLE * rated, IMPOSSIBLE_UNRATED)


def _fill_unrecorded(
    model: Model,
    tracks: dict[int, Track],
    settings: Settings,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
) -> None:
    """Set the actuators that nobody reports: those that are held, and base joints at zero."""
    held = dict(settings.hold)
    if not settings.require_base_joints:
        for name in model.mechanisms.base_joints:
            held.setdefault(name, 0.0)
    for i, name in enumerate(model.actuator_names):
        if i not in tracks and name in held:
            position[:, i] = held[name]
            velocity[:, i] = acceleration[:, i] = 0.0
