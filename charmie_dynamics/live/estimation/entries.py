# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Assignment of the entries of messages to coordinates by their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, SHOWN
from charmie_dynamics.model.flat.loop_following import given_coordinates, is_passive
from charmie_dynamics.model.model import Model

from .records import ENTRY, Records

# unknown names that are remembered
REMEMBERED = 64


class EntryTable:
    """The names that samples may contain, and the destinations of their values.

    A name is a joint or a linear actuator on either topic. Where both have the same name, the topic
    decides.

    Parameters
    ----------
    model : Model
    unknown : list of str
        Takes the beginnings of the first `REMEMBERED` names that are not known.
    topic : {"joint_states", "actuator_lengths"}
    """

    def __init__(self, model: Model, unknown: list[str], topic: str) -> None:
        self._unknown = unknown
        self._driven = driven_coordinates(model)
        self._places = places_of_names(model, topic)
        self._silent = dependent_names(model)

    def entries_of(self, names: tuple[str, ...]) -> Records:
        """Return the used entries of a message and their destinations.

        Parameters
        ----------
        names : tuple of str
            Of the message, distinct.

        Returns
        -------
        (k,) array of ENTRY
            With room for the values of the usable ones.
        """
        places = self._places
        used = [(k, *places[name]) for k, name in enumerate(names) if name in places]
        used.sort(key=lambda use: not use[2])  # lengths first
        lengths = {i: row for row, (_, i, is_length) in enumerate(used) if is_length}
        entries = np.zeros(len(used), dtype=ENTRY)
        entries["entry"] = [k for k, _, _ in used]
        entries["coordinate"] = [i for _, i, _ in used]
        entries["is_length"] = [is_length for _, _, is_length in used]
        entries["actuator"] = [-1 if is_length else self._driven.get(i, -1)
                               for _, i, is_length in used]  # fmt: skip
        entries["length_entry"] = [-1 if is_length else lengths.get(i, -1)
                                   for _, i, is_length in used]  # fmt: skip
        self._note_unknown(names)
        return entries

    def holds_direct(self, names: tuple[str, ...]) -> bool:
        """Return whether there is a joint among the names that no linear actuator moves."""
        used = (self._places[name] for name in names if name in self._places)
        return any(place.coordinate not in self._driven for place in used)

    def _note_unknown(self, names: tuple[str, ...]) -> None:
        unknown = self._unknown
        for name in names:
            if len(unknown) >= REMEMBERED:
                return
            known = name in self._places or name in self._silent
            if not known and name[:SHOWN] not in unknown:
                unknown.append(name[:SHOWN])


class NamedCoordinate(NamedTuple):
    """The coordinate of a name, and whether its values are lengths of a linear actuator."""

    coordinate: int
    is_length: bool


def places_of_names(model: Model, topic: str) -> dict[str, NamedCoordinate]:
    """Return the coordinates that samples can report, by the names of joints and linear actuators.

    Of a joint and a linear actuator with the same name, the topic decides.
    """
    driven = driven_coordinates(model)
    lengths = {model.velocity_names[i]: NamedCoordinate(i, True) for i in driven}
    joints = {name: NamedCoordinate(i, False) for i, name in measured_joints(model).items()}
    return {**joints, **lengths} if topic == ACTUATOR_LENGTHS else {**lengths, **joints}


def dependent_names(model: Model) -> set[str]:
    """Return the names of joints that follow from others or never move: no entry is needed."""
    names = {j.name for j in model.tree.joints if j.mimic or j.type == "fixed"}
    names.update(model.mechanisms.passive_joints)
    names.update(np.array(model.joint_names)[is_passive(model.flat)].tolist())
    return names


def measured_joints(model: Model) -> dict[int, str]:
    """Return the names of the coordinates that samples of joints can contain, by their index.

    Passive joints follow from the others, and floating joints have no such values.
    """
    given = given_coordinates(model.flat)
    return {i: name for i, name in enumerate(model.joint_names) if given[i]}


def driven_coordinates(model: Model) -> dict[int, int]:
    """Return the linear actuators of a model by the coordinates of the joints that they move."""
    driven = {a.joint: k for k, a in enumerate(model.mechanisms.linear_actuators)}
    return {i: driven[name] for i, name in enumerate(model.joint_names) if name in driven}
