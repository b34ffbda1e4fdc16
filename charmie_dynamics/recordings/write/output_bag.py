# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed cycles as a bag of the messages that the node would publish."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.cycle_messages import CycleMessages, CylinderMessages, MeasuredMessages
from charmie_dynamics.live.measured import Comparison
from charmie_dynamics.live.settings import DEFAULTS, LiveSettings
from charmie_dynamics.live.topics import Topic
from charmie_dynamics.model.model import Model
from charmie_dynamics.recordings.compute.comparisons import CONTACT, EXTERNAL, RESIDUAL
from charmie_dynamics.recordings.compute.cycles import Cycles
from charmie_dynamics.recordings.compute.cylinders import OF_CYLINDERS

from .bag_writer import BagWriter

# cycles whose messages are filled together: few enough to stay in the caches of the processor
PART = 64


class OutputBag:
    """Writer of a bag; a context manager.

    Parameters
    ----------
    path : Path
        Folder, which must not exist. It is removed after an error.
    model : Model
    settings : LiveSettings
        Of the node that would publish the messages.
    storage : {"mcap", "sqlite3"}
    prefix : str
        Namespace of the relative topics, with slashes.

    Attributes
    ----------
    columns : (c,) array of int
        Indices in a state's block that `rows` of the cycles must contain.

    Raises
    ------
    CharmieError
        If the folder exists.
    """

    def __init__(
        self,
        path: Path,
        model: Model,
        settings: LiveSettings = DEFAULTS,
        *,
        storage: str = "mcap",
        prefix: str = "/",
    ) -> None:
        self._writer = BagWriter(path, storage)
        self._path = path
        self._prefix = prefix
        latched = ((each.topic, each.message(model, settings)) for each in outputs.LATCHED_OUTPUTS)
        self._latched = [(topic, message) for topic, message in latched if message is not None]
        self._messages = CycleMessages(model, settings)
        self._measured = MeasuredMessages(model, settings)
        self._cylinders = CylinderMessages(model, settings)
        self.columns = self._messages.columns()
        self._begun = False

    def __enter__(self) -> OutputBag:
        self._writer.open()
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        self._writer.close()
        if kind is not None:
            shutil.rmtree(self._path, ignore_errors=True)  # half a result is useless

    def write(self, cycles: Cycles) -> None:
        """Write cycles, all topics of a cycle together, at the time of recording of its sample.

        Raises
        ------
        CharmieError
            If the cycles lack the numbers of `columns`.
        """
        if cycles.rows.shape[1] != len(self.columns):
            raise CharmieError(
                f"cycles with {cycles.rows.shape[1]} numbers for the messages; expected the "
                f"{len(self.columns)} that the bag names"
            )
        if not self._begun:
            self._write_latched(int(cycles.arrivals[0]), int(cycles.stamps[0]))
            self._begun = True
        comparisons = _comparisons(cycles)
        for first in range(0, len(cycles.stamps), PART):
            self._write_part(cycles, slice(first, first + PART), comparisons)

    def _write_part(
        self, cycles: Cycles, part: slice, comparisons: Iterator[Comparison | None]
    ) -> None:
        columns, rows = self.columns, cycles.rows[part]
        filled = self._messages.filler.fill_rows(cycles.stamps[part], rows, columns)
        memory = filled.view(np.uint8)
        sending = [
            (message, message.template.span, int(np.searchsorted(columns, message.decisive)))
            for message in self._messages.messages
        ]
        times, stamps = cycles.arrivals[part].tolist(), cycles.stamps[part].tolist()
        for k, (time, stamp) in enumerate(zip(times, stamps, strict=True)):
            for message, span, decisive in sending:
                if message.is_always or message.is_due(stamp, rows[k], decisive):
                    self._send(message.topic, time, memory[k, span].tobytes())
            if self._cylinders.shared:
                loads = [cycles.arrays[name][part][k] for name in OF_CYLINDERS]
                self._send(
                    topics.CYLINDER_EFFORTS, time, bytes(self._cylinders.filled(stamp, loads))
                )
            comparison = next(comparisons)
            if comparison is not None:
                for topic, template in self._measured.filled(comparison):
                    self._send(topic, time, bytes(template))

    def _write_latched(self, time: int, stamp: int) -> None:
        for topic, template in self._latched:
            template.set_stamp(stamp)
            self._send(topic, time, bytes(template))

    def _send(self, topic: Topic, time: int, data: bytes) -> None:
        if not self._writer.has(topic):  # without messages a topic is not added
            is_absolute = topic.name.startswith("/")
            self._writer.add(topic, topic.name if is_absolute else self._prefix + topic.name)
        self._writer.write(topic, time, data)


def _comparisons(cycles: Cycles) -> Iterator[Comparison | None]:
    """Yield the comparison of measured efforts for each cycle; None without measured efforts."""
    if RESIDUAL not in cycles.arrays:
        for _ in cycles.stamps:
            yield None
        return
    residual, external, contact = (cycles.arrays[name] for name in (RESIDUAL, EXTERNAL, CONTACT))
    known = ~np.isnan(residual).all(axis=1)
    for k, stamp in enumerate(cycles.stamps.tolist()):
        yield (
            Comparison(stamp, residual[k], external[k], ~np.isnan(contact[k])) if known[k] else None
        )
