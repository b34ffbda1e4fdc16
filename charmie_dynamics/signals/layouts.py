"""Which entries of a message are used, and where they go: looked up once for each set of names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.vectors import Floats, Ints
from ..model.model import Model
from .samples import JOINT_STATES, SHOWN

# layouts (tuples of names) and unknown names that are remembered
REMEMBERED = 64


@dataclass
class Layout:
    """Where the entries of messages with certain names go, and room for the usable ones."""

    entries: Ints  # (k,) which entries of the message are used
    coordinates: Ints  # (k,) where they go
    driven: Ints  # (d, 2) those of them that are joints of linear actuators, and which actuator
    efforts: Ints  # (k,) as `entries`, -1 for those: their efforts are not the actuators' forces
    position: Floats  # (k,) NaN: not usable
    velocity: Floats  # (k,) NaN: unknown
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
        layout = self._layouts.get((topic, names))
        if layout is None:
            layout = self._make(topic, names)
            if len(self._layouts) >= REMEMBERED:
                self._forget_one()
            self._layouts[topic, names] = layout
        else:
            layout.used = True
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
        entries = [k for k, name in enumerate(names) if name in table]
        coordinates = [table[names[k]] for k in entries]
        driven = [
            (k, self.driven[coordinate])
            for k, coordinate in enumerate(coordinates)
            if topic == JOINT_STATES and coordinate in self.driven
        ]
        self._note_unknown(names, table)
        efforts = np.array(entries, dtype=np.int64)
        efforts[[k for k, _ in driven]] = -1
        return Layout(
            np.array(entries, dtype=np.int64),
            np.array(coordinates, dtype=np.int64),
            np.array(driven, dtype=np.int64).reshape(-1, 2),
            efforts,
            np.empty(len(entries)),
            np.empty(len(entries)),
        )

    def _note_unknown(self, names: tuple[str, ...], table: dict[str, int]) -> None:
        unknown = self._unknown
        for name in names:
            if len(unknown) >= REMEMBERED:
                return
            if name not in table and name not in self._silent and name[:SHOWN] not in unknown:
                unknown.append(name[:SHOWN])
