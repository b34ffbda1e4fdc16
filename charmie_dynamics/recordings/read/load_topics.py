# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The topics of a bag with payloads and external wrenches, and their messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from charmie_dynamics.live.topics import EXTERNAL_WRENCH, INERTIA, assumed_payload, payload
from charmie_dynamics.live.wire.messages import WRENCH

from .bag import decode, stamp_of
from .received import LoadMessage
from .salvage import RawMessage

# prefixes of the names of payloads
PAYLOAD, ASSUMED = payload("").name, assumed_payload("").name
PUSH = EXTERNAL_WRENCH.name


class _TopicMeaning(NamedTuple):
    kind: Literal["payload", "assumed_payload", "external_wrench"]
    name: str


class LoadTopics:
    """The topics with payloads and external wrenches of a robot.

    Parameters
    ----------
    types : mapping of str to str
        Topics of a bag and their types.
    prefix : str
        Namespace of the robot, with slashes.

    Attributes
    ----------
    names : tuple of str
        All of these topics.
    assumed : tuple of str
        Topics on which the node publishes the payloads that it assumes.
    elsewhere : tuple of str
        Such topics in other namespaces, of other robots.
    """

    def __init__(self, types: Mapping[str, str], prefix: str) -> None:
        self._meanings: dict[str, _TopicMeaning] = {}
        elsewhere = []
        for topic in sorted(types):
            meaning = None
            if topic.startswith(prefix):
                meaning = _meaning(topic[len(prefix) :], types[topic])
            if meaning is not None:
                self._meanings[topic] = meaning
            elif _is_of_loads(topic, types[topic]):
                elsewhere.append(topic)
        self.elsewhere = tuple(elsewhere)
        self.names = tuple(self._meanings)
        self.assumed = tuple(t for t, m in self._meanings.items() if m.kind == "assumed_payload")

    def decode(self, raw: RawMessage) -> LoadMessage:
        """Return the content of a message.

        Raises
        ------
        RefusedSampleError
            If the bytes are not such a message.
        """
        message = decode(raw)
        meaning = self._meanings[raw.topic]
        return LoadMessage(raw.topic, *meaning, message, stamp_of(message.header), raw.time)


def _meaning(name: str, kind: str) -> _TopicMeaning | None:
    """Return the kind of load of a topic, without its namespace; None for other topics."""
    if kind == WRENCH:
        return _TopicMeaning("external_wrench", "") if name == PUSH else None
    if kind == INERTIA and name.startswith(PAYLOAD):
        return _TopicMeaning("payload", name[len(PAYLOAD) :])
    if kind == INERTIA and name.startswith(ASSUMED):
        return _TopicMeaning("assumed_payload", name[len(ASSUMED) :])
    return None


def _is_of_loads(topic: str, kind: str) -> bool:
    parts = topic.split("/")
    return any(_meaning("/".join(parts[k:]), kind) is not None for k in range(1, len(parts)))
