# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The samples of each actuator, from all topics, in the order of their stamps."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import OutOfReachError
from charmie_dynamics.live.estimation.entries import measured_joints
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.received import Received

from .cycles import Tally


class Track(NamedTuple):
    """The samples of one actuator: stamps (ns), and positions and velocities (n,), NaN: unknown."""

    stamps: Ints
    position: Floats
    velocity: Floats


def tracks_of(model: Model, part: list[Received], tally: Tally) -> dict[int, Track]:
    """Return the samples of each actuator; of those with lengths and joint values, the lengths.

    Parameters
    ----------
    model : Model
    part : list of Received
        In the order in which they came.
    tally : Tally
        Gets the names that the model does not have.
    """
    groups: dict[tuple[str, tuple[str, ...]], list[Received]] = defaultdict(list)
    for entry in part:
        groups[entry.topic, entry.sample.names].append(entry)
    linear = {a.joint: a.name for a in model.mechanisms.linear_actuators}
    joints = {name: i for i, name in measured_joints(model).items()}
    lengths = {name: i for i, name in enumerate(model.velocity_names) if name in linear.values()}
    pieces: dict[tuple[int, str], list[Track]] = defaultdict(list)
    for (topic, names), entries in groups.items():
        table = joints if topic == JOINT_STATES else lengths
        _note_unknown(model, names, table, tally)
        samples = [entry.sample.values() for entry in entries]
        stamps = np.array([sample.stamp for sample in samples], dtype=np.int64)
        position = np.array([sample.position for sample in samples])
        absent = np.full(len(names), np.nan)
        velocity = np.array([absent if s.velocity is None else s.velocity for s in samples])
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
