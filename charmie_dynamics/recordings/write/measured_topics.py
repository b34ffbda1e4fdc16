"""The topics that tell of measured efforts; their messages name some of the actuators each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from charmie_dynamics.live.measured import contact_thresholds
from charmie_dynamics.model.model import Model
from charmie_dynamics.recordings.compute.comparisons import CONTACT, EXTERNAL, RESIDUAL
from charmie_dynamics.recordings.compute.cycles import Cycles
from charmie_dynamics.recordings.read.bag import JOINT_STATE

from .output_topics import joint_columns

# topics: the array that is told, and the one that is NaN where an actuator is not named
MEASURED = {"effort_residual": (RESIDUAL, RESIDUAL), "external_efforts": (EXTERNAL, RESIDUAL)}
CONTACTS = {"contacts": (CONTACT, CONTACT)}


class MeasuredTopic(NamedTuple):
    """A topic of the cycles in which efforts were measured.

    Attributes
    ----------
    name : str
    names : tuple of str
        Of all actuators.
    frame : str
    told, naming : str
        Array that is told, and array that is NaN where an actuator is not named.
    """

    name: str
    names: tuple[str, ...]
    frame: str
    told: str
    naming: str

    @property
    def type(self) -> str:
        """Type of the messages."""
        return JOINT_STATE

    def messages(self, cycles: Cycles) -> Iterator[bytes | None]:
        """Return the serialised message of each cycle; None where no effort was measured."""
        result: list[bytes | None] = [None] * len(cycles.stamps)
        if RESIDUAL not in cycles.arrays:
            return iter(result)
        values = cycles.arrays[self.told]
        rows = np.flatnonzero(~np.isnan(cycles.arrays[RESIDUAL]).all(axis=1))
        named = ~np.isnan(cycles.arrays[self.naming])
        sets: dict[bytes, list[int]] = defaultdict(list)
        for row in rows.tolist():
            sets[named[row].tobytes()].append(row)
        for own in sets.values():
            some = np.flatnonzero(named[own[0]])
            columns = joint_columns([self.names[i] for i in some], self.frame, ("effort",))
            filled = columns.fill(cycles.stamps[own], values[np.ix_(own, some)])
            for row, message in zip(own, filled, strict=True):
                result[row] = message.tobytes()
        return iter(result)


def measured_topics(
    model: Model, prefix: str, world_frame: str, frame_prefix: str
) -> list[MeasuredTopic]:
    """Return the topics that a node with this model has; parameters as for `output_topics`."""
    topics = dict(MEASURED)
    if np.isfinite(contact_thresholds(model)).any():
        topics.update(CONTACTS)
    frame = frame_prefix + world_frame
    return [
        MeasuredTopic(prefix + name, model.actuator_names, frame, *arrays)
        for name, arrays in topics.items()
    ]
