# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The samples of a robot in a bag and the messages about its loads, in the recorded order."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from itertools import islice

from charmie_dynamics.live.topics import IMU, ODOM
from charmie_dynamics.live.wire.joint_states import JointStateReader, Message
from charmie_dynamics.live.wire.messages import JOINT_STATE
from charmie_dynamics.live.wire.samples import RefusedSampleError

from .bag import Bag
from .load_topics import LoadTopics
from .received import BaseMessage, LoadMessage, ReadDiagnostics, ReceivedSample
from .recorded_motion import EFFORTS
from .salvage import RawMessage


class RecordedSamples:
    """Samples of one robot, and messages about its loads.

    Parameters
    ----------
    bag : Bag
    prefix : str
        Namespace of the robot, with slashes; loads in other namespaces are ignored.

    Attributes
    ----------
    bag : Bag
    loads : LoadTopics
    base : dict of str to str
        Full names of the topics about the base, "imu" and "odom", and these names.
    diagnostics : ReadDiagnostics
        Parts that could not be read so far; its notices are those of the bag.
    """

    def __init__(self, bag: Bag, prefix: str) -> None:
        self.bag = bag
        self.loads = LoadTopics(bag.types, prefix)
        self.base = {
            prefix + topic.name: topic.name
            for topic in (IMU, ODOM)
            if bag.types.get(prefix + topic.name) == topic.type
        }
        self.diagnostics = ReadDiagnostics(bag.notices)
        self._reader = JointStateReader()
        if self.loads.elsewhere:
            self.diagnostics.notices.append(
                f"loads in another namespace than '{prefix}' are not used: "
                f"{', '.join(self.loads.elsewhere)}"
            )

    @property
    def has_loads(self) -> bool:
        """Return whether there are messages about loads."""
        return any(self.bag.count(name) for name in self.loads.names)

    def read(
        self, topics: Mapping[str, str]
    ) -> Generator[ReceivedSample | LoadMessage | BaseMessage, None, int]:
        """Yield samples and messages about loads and base; return the number of read messages.

        Parameters
        ----------
        topics : mapping of str to str
            Full names of the topics with samples, and the topic names for these samples.
        """
        read = 0
        latched = self._latched()
        for raw in self.bag.raw({*topics, *self.loads.names, *self.base}):
            read += 1
            try:
                if raw.topic in self.base:
                    yield BaseMessage(self.base[raw.topic], raw)
                    continue
                if raw.topic not in topics:
                    yield self.loads.decode(raw)
                    continue
                yield from (t._replace(arrival=raw.time) for t in latched if t.stamp < raw.time)
                latched = []
                yield ReceivedSample(topics[raw.topic], self._message(raw), raw.time)
            except RefusedSampleError as error:
                self.diagnostics.refuse(raw.topic, error)
        return read

    def published(self) -> Iterator[ReceivedSample | LoadMessage | BaseMessage]:
        """Yield the efforts that the node published as samples, and the messages about loads."""
        yield from self.read(dict.fromkeys(self._efforts_topic(), EFFORTS))

    def efforts(self) -> Iterator[tuple[Message, int]]:
        """Yield the efforts that the node published, with their times of recording (ns)."""
        for raw in self.bag.raw(self._efforts_topic()):
            try:
                yield self._message(raw), raw.time
            except RefusedSampleError as error:
                self.diagnostics.refuse(raw.topic, error)

    def _efforts_topic(self) -> list[str]:
        return self.bag.names(EFFORTS, JOINT_STATE)[:1]

    def _message(self, raw: RawMessage) -> Message:
        """Return a message; without a stamp it gets the time of recording."""
        return self._reader.read(raw.data, lambda: raw.time)

    def _latched(self) -> list[LoadMessage]:
        """Return the first message on each topic with assumed payloads.

        These topics are latched: the recorder receives payloads that the node has assumed before as
        soon as it discovers the node, which may be after the first samples.
        """
        matches = []
        for topic in self.loads.assumed:
            try:
                matches += [self.loads.decode(raw) for raw in islice(self.bag.raw({topic}), 1)]
            except RefusedSampleError:
                continue  # counted when it is read in its order
        return matches
