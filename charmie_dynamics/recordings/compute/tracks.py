# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The samples of each actuator, from all topics, in the order of their stamps."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import OutOfReachError
from charmie_dynamics.live.estimation.entries import (
    NamedCoordinate,
    dependent_names,
    places_of_names,
)
from charmie_dynamics.live.estimation.estimator import LENGTH_SLACK, TIME_SLACK
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import coordinate_limits
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.received import ReceivedSample

from .cycles import CycleCounts


class Track(NamedTuple):
    """The samples of one actuator: stamps (ns), and positions and velocities (n,), NaN: unknown."""

    stamps: Ints
    position: Floats
    velocity: Floats


def tracks_of(model: Model, part: list[ReceivedSample], counts: CycleCounts) -> dict[int, Track]:
    """Return the samples of each actuator; lengths take precedence over joint values.

    Parameters
    ----------
    model : Model
    part : list of ReceivedSample
        In the order of arrival.
    counts : CycleCounts
        Receives names that the model does not have.
    """
    groups: dict[tuple[str, tuple[str, ...]], list[ReceivedSample]] = defaultdict(list)
    for entry in part:
        groups[entry.topic, entry.sample.names].append(entry)
    linear = {a.joint for a in model.mechanisms.linear_actuators}
    pieces: dict[NamedCoordinate, list[Track]] = defaultdict(list)
    for (topic, names), entries in groups.items():
        table = places_of_names(model, topic)
        _note_unknown(model, names, table, counts)
        samples = [entry.sample.values() for entry in entries]
        stamps = np.array([sample.stamp for sample in samples], dtype=np.int64)
        position = np.array([sample.position for sample in samples])
        absent = np.full(len(names), np.nan)
        velocity = np.array([absent if s.velocity is None else s.velocity for s in samples])
        for k, name in enumerate(names):
            if name in table:
                track = Track(stamps, position[:, k], velocity[:, k])
                joint = model.joint_names[table[name].coordinate]
                if joint in linear and not table[name].is_length:
                    track = _as_length(model, joint, track)
                pieces[table[name]].append(track)
    whole = {place: _in_order(own) for place, own in pieces.items()}
    tracks: dict[int, Track] = {}
    for place in sorted(whole, key=lambda place: not place.is_length):  # lengths first
        i, track = place.coordinate, whole[place]
        if i in tracks:
            _compare_outranked(model, i, tracks[i], track, counts)
        elif len(track.stamps):
            tracks[i] = track
    return tracks


def _compare_outranked(
    model: Model, i: int, used: Track, other: Track, counts: CycleCounts
) -> None:
    """Report joint values of a linear actuator that contradict its lengths, which are used."""
    inside = (other.stamps >= used.stamps[0]) & (other.stamps <= used.stamps[-1])
    if not inside.any():
        return
    at = (other.stamps[inside] - used.stamps[0]) * 1e-9
    time = (used.stamps - used.stamps[0]) * 1e-9
    length = np.interp(at, time, used.position)
    speed = np.abs(np.gradient(length, at)) if len(at) > 1 else np.zeros(1)
    limit = coordinate_limits(model)[i]
    width = limit.upper - limit.lower
    slack = LENGTH_SLACK * (width if np.isfinite(width) else 1.0) + TIME_SLACK * speed
    wrong = np.flatnonzero(np.abs(length - other.position[inside]) > slack)
    if len(wrong):
        k = wrong[-1]
        counts.contradictions[model.velocity_names[i]] = (
            f"length {length[k]:.4g} m is used, joint '{model.joint_names[i]}' needs "
            f"{other.position[inside][k]:.4g} m; {len(wrong)} of {len(at)} samples disagree"
        )


def _note_unknown(
    model: Model, names: tuple[str, ...], table: dict[str, NamedCoordinate], counts: CycleCounts
) -> None:
    silent = dependent_names(model)
    for name in names:
        if name not in table and name not in silent and name not in counts.unknown:
            counts.unknown.append(name)


def _as_length(model: Model, joint: str, track: Track) -> Track:
    """Return joint values as lengths of the linear actuator; NaN beyond its dead centres."""
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
    """Return samples with a position by their stamps; of equal stamps the last one."""
    stamps = np.concatenate([piece.stamps for piece in pieces])[::-1]
    position = np.concatenate([piece.position for piece in pieces])[::-1]
    velocity = np.concatenate([piece.velocity for piece in pieces])[::-1]
    known = np.isfinite(position)
    ascending, first = np.unique(stamps[known], return_index=True)
    return Track(ascending, position[known][first], velocity[known][first])
