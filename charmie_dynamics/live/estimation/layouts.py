"""Which entries of a message are used, and where they go: looked up once for each set of names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from charmie_dynamics.live.wire.samples import JOINT_STATES, SHOWN
from charmie_dynamics.model.model import Model

from .records import ENTRY, Records

# layouts (tuples of names) and unknown names that are remembered
REMEMBERED = 64


@dataclass
class Layout:
    """Where the entries of messages with certain names go, and room for the usable ones."""

    entries: Records  # (k,) of ENTRY
    used: bool = False  # whether there was a second message with these names


class Layouts:
    """The layouts of the messages that come, at most `REMEMBERED`.

    Parameters
    ----------
    model : Model
    unknown : list of str
        Takes the beginnings of the first `REMEMBERED` names that are not known.

    Attributes
    ----------
    driven : dict of int to int
        Linear actuators by the coordinates of the joints that they move.
    """

    def __init__(self, model: Model, unknown: list[str]) -> None:
        self._model = model
        self._unknown = unknown
        self._layouts: dict[tuple[str, tuple[str, ...]], Layout] = {}
        self._newest: dict[str, tuple[tuple[str, ...], Layout]] = {}  # by topic
        driven = {a.joint: k for k, a in enumerate(model.mechanisms.linear_actuators)}
        self.driven = {
            i: driven[name] for i, name in enumerate(model.joint_names) if name in driven
        }
        # these follow from others or never move: nobody needs to hear that they are not used
        self._silent = {j.name for j in model.tree.joints if j.mimic or j.type == "fixed"}

    def __len__(self) -> int:
        return len(self._layouts)

    def of(self, topic: str, names: tuple[str, ...]) -> Layout:
        """Return the layout of messages on a topic with these names."""
        newest = self._newest.get(topic)
        if newest is not None and newest[0] is names:  # nearly always: nothing to hash
            newest[1].used = True
            return newest[1]
        layout = self._layouts.get((topic, names))
        if layout is None:
            layout = self._make(topic, names)
            if len(self._layouts) >= REMEMBERED:
                self._forget_one()
            self._layouts[topic, names] = layout
        else:
            layout.used = True
        self._newest[topic] = names, layout
        return layout

    def _forget_one(self) -> None:
        """Forget the oldest layout that no second message had: a flood must not drive out all."""
        layouts = self._layouts
        once = next((key for key, layout in layouts.items() if not layout.used), None)
        del layouts[next(iter(layouts)) if once is None else once]

    def _make(self, topic: str, names: tuple[str, ...]) -> Layout:
        model = self._model
        if topic == JOINT_STATES:
            table = {name: i for i, name in enumerate(model.joint_names)}
        else:
            table = {model.actuator_names[i]: i for i in self.driven}
        driven = self.driven if topic == JOINT_STATES else {}
        used = [(k, table[name]) for k, name in enumerate(names) if name in table]
        entries = np.zeros(len(used), dtype=ENTRY)
        entries["entry"] = [k for k, _ in used]
        entries["coordinate"] = [i for _, i in used]
        entries["actuator"] = [driven.get(i, -1) for _, i in used]
        self._note_unknown(names, table)
        return Layout(entries)

    def _note_unknown(self, names: tuple[str, ...], table: dict[str, int]) -> None:
        unknown = self._unknown
        for name in names:
            if len(unknown) >= REMEMBERED:
                return
            if name not in table and name not in self._silent and name[:SHOWN] not in unknown:
                unknown.append(name[:SHOWN])
