# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the entries of messages with certain names go."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.live.wire.samples import SHOWN
from charmie_dynamics.model.flat.loop_following import given_coordinates, is_passive
from charmie_dynamics.model.model import Model

from .records import ENTRY, Records

# unknown names that are remembered
REMEMBERED = 64


class EntryTable:
    """The names that samples of one topic may hold, and where their values go.

    Parameters
    ----------
    model : Model
    unknown : list of str
        Takes the beginnings of the first `REMEMBERED` names that are not known.
    are_lengths : bool
        Whether the samples hold lengths of linear actuators, else joint values.
    """

    def __init__(self, model: Model, unknown: list[str], *, are_lengths: bool) -> None:
        self.are_lengths = are_lengths
        self._unknown = unknown
        driven = driven_coordinates(model)
        if are_lengths:
            self._coordinates = {model.velocity_names[i]: i for i in driven}
            self._driven: dict[int, int] = {}
        else:
            self._coordinates = {name: i for i, name in measured_joints(model).items()}
            self._driven = driven
        # these follow from others or never move: nobody needs to hear that they are not used
        self._silent = {j.name for j in model.tree.joints if j.mimic or j.type == "fixed"}
        self._silent.update(model.mechanisms.passive_joints)
        self._silent.update(np.array(model.joint_names)[is_passive(model.flat)].tolist())

    def entries_of(self, names: tuple[str, ...]) -> Records:
        """Return which entries of a message are used, and where they go.

        Parameters
        ----------
        names : tuple of str
            Of the message, distinct.

        Returns
        -------
        (k,) array of ENTRY
            With room for the values of the usable ones.
        """
        table = self._coordinates
        used = [(k, table[name]) for k, name in enumerate(names) if name in table]
        entries = np.zeros(len(used), dtype=ENTRY)
        entries["entry"] = [k for k, _ in used]
        entries["coordinate"] = [i for _, i in used]
        entries["actuator"] = [self._driven.get(i, -1) for _, i in used]
        self._note_unknown(names)
        return entries

    def _note_unknown(self, names: tuple[str, ...]) -> None:
        unknown = self._unknown
        for name in names:
            if len(unknown) >= REMEMBERED:
                return
            known = name in self._coordinates or name in self._silent
            if not known and name[:SHOWN] not in unknown:
                unknown.append(name[:SHOWN])


def measured_joints(model: Model) -> dict[int, str]:
    """Return the names of the coordinates that samples of joints can tell, by their index.

    Passive joints follow from the others, and floating joints have no such values.
    """
    given = given_coordinates(model.flat)
    return {i: name for i, name in enumerate(model.joint_names) if given[i]}


def driven_coordinates(model: Model) -> dict[int, int]:
    """Return the linear actuators of a model by the coordinates of the joints that they move."""
    driven = {a.joint: k for k, a in enumerate(model.mechanisms.linear_actuators)}
    return {i: driven[name] for i, name in enumerate(model.joint_names) if name in driven}
