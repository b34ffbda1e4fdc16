# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bags of a demonstration as they come about: player, node and recorder, each with its troubles.

No ROS and no robot: the messages hold their stamps and little else, which is all that the check of
the demonstration reads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rosbags", reason="rosbags is missing, which reads and writes bags")
pytest.importorskip("mcap", reason="mcap is missing, which reads damaged bags")
pytest.importorskip("tqdm", reason="tqdm is missing, which shows progress")

from rosbags.typesys import Stores, get_typestore

from charmie_dynamics import load_model
from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.live.topics import LISTENER_DEPTH, Topic
from charmie_dynamics.live.wire import messages
from charmie_dynamics.recordings.write.bag_writer import BagWriter

START = 1_700_000_000_123_456_789  # ns
RATE = 100.0
SECONDS = 6.0
NS = 10**9
MS = 10**6
JOINTS, LENGTHS = topics.INPUTS
EACH = [output.topic for output in outputs.CYCLE_OUTPUTS if not output.rate]
LIMITED = [(o.topic, o.rate) for o in outputs.cycle_outputs(load_model(), DEFAULTS) if o.rate]
LATCHED = [output.topic for output in outputs.LATCHED_OUTPUTS]
STORE = get_typestore(Stores.ROS2_HUMBLE)
TEMPLATES = {
    messages.JOINT_STATE: lambda: messages.joint_state(["a"], "", ("position",)),
    messages.TRANSFORMS: lambda: messages.transforms([("a", "b")]),
    messages.WRENCH: lambda: messages.wrench("a"),
    messages.TWIST: lambda: messages.motion("a"),
    messages.ACCEL: lambda: messages.motion("a"),
    messages.POINT: lambda: messages.point("a"),
    messages.MARKERS: lambda: messages.markers([messages.Marker("a", 0, 1, "a")]),
    messages.STRING: lambda: messages.string("a"),
}


def grid(rate: float = RATE, seconds: float = SECONDS) -> list[int]:
    """Stamps of a player that is in time."""
    return [START + round(k * NS / rate) for k in range(round(seconds * rate))]


@dataclass
class Demo:
    """What a player sent, and what became of it.

    Attributes
    ----------
    sent : list of int
        Stamps (ns).
    without_lengths, unreceived, passed_over : collection of int
        Stamps of samples without lengths; that did not reach the node; for which it had no time.
    left_out : collection of int
        Stamps of cycles that the node does not compute although it could.
    unsent : mapping
        By topic: stamps of cycles for which the node sends no message.
    shifted : mapping
        By topic: what is added to its stamps (ns).
    ends : int
        When the node stops (ns).
    delay : float
        From a sample to its outputs (s).
    marker_rate : float
    refused : int
        Messages that the node says it has refused.
    missed : mapping
        By topic: stamps of messages that the recorder does not get.
    held : (float, float), optional
        From when until when after the start the recorder is held up (s).
    heard_from : mapping
        By topic: when after the start the recorder begins to hear it (s).
    """

    sent: list[int] = field(default_factory=grid)
    without_lengths: Collection[int] = ()
    unreceived: Collection[int] = ()
    passed_over: Collection[int] = ()
    left_out: Collection[int] = ()
    unsent: Mapping[Topic, Collection[int]] = field(default_factory=dict)
    shifted: Mapping[Topic, int] = field(default_factory=dict)
    ends: int = 2**62
    delay: float = 0.001
    marker_rate: float = 30.0
    refused: int = 0
    missed: Mapping[Topic, Collection[int]] = field(default_factory=dict)
    held: tuple[float, float] | None = None
    heard_from: Mapping[Topic, float] = field(default_factory=dict)

    def write(self, path: Path) -> Path:
        """Write the bag."""
        entries = [
            entry
            for topic, sent in self._messages().items()
            for entry in self._recorded(topic, sent)
        ]
        writer = BagWriter(path)
        writer.open()
        templates = {}
        for time, topic, stamp, data in sorted(entries, key=lambda entry: entry[0]):
            if not writer.has(topic):
                name = topic.name if topic.name.startswith("/") else f"/{topic.name}"
                writer.add(topic, name)
                if topic.type in TEMPLATES:
                    templates[topic] = TEMPLATES[topic.type]()
            if not data:
                templates[topic].set_stamp(stamp)
            writer.write(topic, time, data or bytes(templates[topic]))
        writer.close()
        return path

    def _messages(self) -> dict[Topic, list[tuple[int, int, bytes]]]:
        """Return time of publication, stamp and content of all messages by topic."""
        none = set(self.unreceived) | set(self.passed_over) | set(self.left_out)
        lengths = [s for s in self.sent if s not in set(self.without_lengths)]
        fresh = {s for s in self.sent if s - max(x for x in lengths if x <= s) <= NS // 2}
        cycles = [s for s in self.sent if s in fresh - none and s + self.delay * NS < self.ends]
        result = {
            LENGTHS: [(stamp, stamp, b"") for stamp in lengths],
            JOINTS: [(stamp + 100, stamp, b"") for stamp in self.sent],
        }
        limits = [*((topic, 0.0) for topic in EACH), *LIMITED, (topics.MARKERS, self.marker_rate)]
        for topic, rate in limits:
            limiter = RateLimiter(rate)
            result[topic] = [
                (s + round(self.delay * NS), s + self.shifted.get(topic, 0), b"")
                for s in cycles
                if limiter.passes(s) and s not in self.unsent.get(topic, ())
            ]
        for topic in LATCHED:
            result[topic] = [(START, START, b"")]
        last = min(self.ends, self.sent[-1])
        result[topics.DIAGNOSTICS] = [
            (time, time, self._diagnostics(time)) for time in range(START + NS // 3, last, NS)
        ]
        return result

    def _recorded(
        self, topic: Topic, sent: list[tuple[int, int, bytes]]
    ) -> list[tuple[int, Topic, int, bytes]]:
        """Return time of recording, stamp and content of what the recorder gets."""
        begin = START + round(self.heard_from.get(topic, 0.0) * NS)
        heard = [
            (time, topic, stamp, data)
            for time, stamp, data in sent
            if time >= begin and stamp not in self.missed.get(topic, ())
        ]
        if self.held is None:
            return heard
        first, last = (START + round(t * NS) for t in self.held)
        kept = [entry for entry in heard if first <= entry[0] < last]
        kept = kept[-(topic.qos.depth if topic.qos.reliable else LISTENER_DEPTH) :]
        return [
            *(entry for entry in heard if not first <= entry[0] < last),
            *((last + 1000 * k, *entry[1:]) for k, entry in enumerate(kept)),
        ]

    def _diagnostics(self, now: int) -> bytes:
        types = STORE.types
        received = sum(s <= now for s in self.sent) - sum(s <= now for s in self.unreceived)
        values = {
            f"{JOINTS.name} received": received,
            f"{JOINTS.name} rejected": self.refused,
            f"{LENGTHS.name} rejected": 0,
            "late samples": 0,
            "samples passed over": sum(s <= now for s in self.passed_over),
        }
        pairs: Any = types["diagnostic_msgs/msg/KeyValue"]
        status = types["diagnostic_msgs/msg/DiagnosticStatus"](
            level=0, name="inputs", message="", hardware_id="",
            values=[pairs(key=key, value=str(value)) for key, value in values.items()],
        )  # fmt: skip
        seconds, nanoseconds = divmod(now, NS)
        time = types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=nanoseconds)
        header = types["std_msgs/msg/Header"](stamp=time, frame_id="")
        message = types["diagnostic_msgs/msg/DiagnosticArray"](header=header, status=[status])
        return bytes(STORE.serialize_cdr(message, topics.DIAGNOSTIC_ARRAY))


def some(stamps: list[int], share: float, seed: int = 1) -> set[int]:
    """A random share of stamps."""
    chosen = np.random.default_rng(seed).random(len(stamps)) < share
    return {stamp for stamp, is_chosen in zip(stamps, chosen.tolist(), strict=True) if is_chosen}
