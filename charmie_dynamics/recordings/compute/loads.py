# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Payloads and external wrenches along a recording, as the node knew them at each sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.loads import KnownLoads, Loads, payload_of, values_of
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.loads import Payload
from charmie_dynamics.model.model import Model
from charmie_dynamics.recordings.read.received import BaseMessage, LoadMessage, ReceivedSample

from .cycles import AnalysisSettings


class PayloadChange(NamedTuple):
    """A payload that was taken up or put down.

    Attributes
    ----------
    arrival : int
        Time of recording of the message (ns); 0: present from the start.
    link : str
    payload : Payload or None
    source : str
        Topic or option that reported it.
    """

    arrival: int
    link: str
    payload: Payload | None
    source: str

    def seconds(self, start: int) -> float:
        """Return the time (s) since a time of recording (ns), not below zero."""
        return max(0, self.arrival - start) * SECONDS

    def line(self, start: int) -> str:
        """Return the change as a line of text."""
        held = "nothing" if self.payload is None else f"a payload of {self.payload.mass:.6g} kg"
        seconds = self.seconds(start)
        since = f"from {seconds:.2f} s on" if seconds else "from the start"
        return f"{self.link} holds {held} {since} ({self.source})"

    def as_dict(self, start: int) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        payload = self.payload
        return {
            "link": self.link,
            "time": self.seconds(start),
            "mass": 0.0 if payload is None else float(payload.mass),
            "p_link_com": None if payload is None else [float(x) for x in payload.p_link_com],
            "inertia": None
            if payload is None
            else [[float(x) for x in row] for row in payload.inertia],
            "source": self.source,
        }


@dataclass
class LoadCounts:
    """The loads of a recording: changes of payloads, wrenches, refused messages.

    Attributes
    ----------
    changes : list of PayloadChange
    wrenches : Counter
        Messages by the link that they push.
    refused : dict
        By topic: number of messages that could not be used, and the message of the first error.
    """

    changes: list[PayloadChange] = field(default_factory=list)
    wrenches: Counter[str] = field(default_factory=Counter)
    refused: dict[str, tuple[int, str]] = field(default_factory=dict)

    def since(self, start: int) -> list[PayloadChange]:
        """Return the changes from a time of recording (ns), and the payloads at that time."""
        held = {change.link: change for change in self.changes if change.arrival <= start}
        return [*held.values(), *(change for change in self.changes if change.arrival > start)]

    def summary(self, start: int) -> list[str]:
        """Return the assumed loads since a time of recording (ns), one line each."""
        pushes = [f"{link} is pushed by {n} wrenches" for link, n in self.wrenches.items()]
        return [*(change.line(start) for change in self.since(start)), *pushes]

    def lines(self) -> list[str]:
        """Return a line for each topic with refused messages."""
        return [
            f"{topic}: {count} messages refused, the first since {text}"
            for topic, (count, text) in self.refused.items()
        ]


class LoadHistory:
    """The loads that the node knew during a recording.

    A node subscribes to `payload/*` and `external_wrench`, and publishes its assumption on
    `assumed_payload/*`. The former are processed in the order of their arrival at the node; the
    latter contain payloads from parameters, from the service, or from before the recording. Both
    are used, except for an assumption

    - about a payload in the settings: the settings apply until a message changes it;
    - that is older than the last message about that payload.

    Parameters
    ----------
    model : Model
        Its own loads last, payloads until a message or a setting changes them.
    settings : AnalysisSettings

    Attributes
    ----------
    counts : LoadCounts

    Raises
    ------
    UnknownNameError
        If the settings contain a payload for which the model has no link.
    """

    def __init__(self, model: Model, settings: AnalysisSettings) -> None:
        self.counts = LoadCounts()
        self._known = KnownLoads()
        self._known.configure(model, settings.frame_prefix, settings.payloads)
        self._timeout = settings.timeout
        self._preset = set(settings.payloads)
        payloads, self._wrenches = model.loads
        self._payloads = dict(payloads)
        for name, payload in settings.payloads.items():
            link = self._known.link_of(name)
            self._payloads.pop(link, None)
            self.counts.changes.append(PayloadChange(0, link, payload, f"--payload {name}"))
        self._arrivals: dict[str, int] = {}  # arrival of the last message about each payload
        self._start: int | None = None

    def passing(
        self, entries: Iterable[ReceivedSample | LoadMessage | BaseMessage]
    ) -> Iterator[ReceivedSample]:
        """Yield the samples with the loads and messages that were known at their arrival."""
        known = self._known
        loads = self._now()
        base: list[BaseMessage] = []
        for entry in entries:
            if isinstance(entry, BaseMessage):
                base.append(entry)
                continue
            now = self._seconds(entry.arrival)
            if isinstance(entry, LoadMessage):
                if self._take(entry, now):
                    loads = self._now()
                continue
            if known.expire(now, self._timeout):
                loads = self._now()
            yield entry._replace(loads=loads, base=tuple(base))
            base.clear()

    def _now(self) -> Loads:
        """Return the known loads and those of the model."""
        known = self._known.now()
        payloads = {**self._payloads, **known.payloads}
        return Loads(payloads, {**self._wrenches, **known.wrenches})

    def _seconds(self, arrival: int) -> float:
        if self._start is None:
            self._start = arrival
        return (arrival - self._start) * SECONDS

    def _take(self, entry: LoadMessage, now: float) -> bool:
        """Process a message; return whether it changed a load."""
        try:
            if entry.kind == "external_wrench":
                self.counts.wrenches[self._known.take_wrench(entry.message, now)] += 1
                return True
            return self._take_payload(entry)
        except CharmieError as error:
            count, text = self.counts.refused.get(entry.topic, (0, str(error)))
            self.counts.refused[entry.topic] = count + 1, text
        return False

    def _take_payload(self, entry: LoadMessage) -> bool:
        known, name = self._known, entry.name
        link = known.link_of(name)
        before = known.payloads.get(link, self._payloads.get(link))
        if entry.kind == "payload":
            known.take_payload(name, entry.message)
            self._arrivals[name] = entry.arrival
        elif name in self._preset or entry.stamp < self._arrivals.get(name, 0):
            return False
        else:
            known.hold(name, payload_of(entry.message))
        self._payloads.pop(link, None)
        after = known.payloads.get(link)
        if values_of(after) == values_of(before):
            return False
        self.counts.changes.append(PayloadChange(entry.arrival, link, after, entry.topic))
        return True
