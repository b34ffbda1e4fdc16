# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recorded samples and messages about loads, as a recording of any kind gives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from charmie_dynamics.live.loads import Loads
from charmie_dynamics.live.wire.joint_states import Message
from charmie_dynamics.live.wire.samples import JointSample, RefusedSampleError

NO_LOADS = Loads({}, {})


class ReceivedSample(NamedTuple):
    """A recorded sample.

    Attributes
    ----------
    topic : {"joint_states", "actuator_lengths", "actuator_efforts"}
    sample : Message or JointSample
    arrival : int
        Time of recording (ns).
    loads : Loads
        Known when it came; the same object as long as they are the same.
    """

    topic: str
    sample: Message | JointSample
    arrival: int
    loads: Loads = NO_LOADS


class LoadMessage(NamedTuple):
    """A recorded message about a load.

    Attributes
    ----------
    topic : str
        As recorded, with its namespace.
    kind : {"payload", "assumed_payload", "external_wrench"}
    name : str
        Of the payload; empty for a wrench.
    message : object
        InertiaStamped, or WrenchStamped of a wrench.
    stamp : int
        Of its header (ns).
    arrival : int
        Time of recording (ns).
    """

    topic: str
    kind: Literal["payload", "assumed_payload", "external_wrench"]
    name: str
    message: Any
    stamp: int
    arrival: int


class Recording(Protocol):
    """The interface of all recordings that can be analysed.

    Attributes
    ----------
    description : str or None
        URDF of the robot, if it was recorded.
    count : int
        How many samples there are, as far as is known before they are read.
    trouble : ReadDiagnostics
        What could not be read so far.
    """

    description: str | None
    count: int
    diagnostics: ReadDiagnostics

    def received(self) -> Iterator[ReceivedSample | LoadMessage]:
        """Yield all samples and messages about loads; the samples without their loads."""


@dataclass
class ReadDiagnostics:
    """The notices of a recording, and counts of its messages that were refused.

    Attributes
    ----------
    notices : list of str
        A line each, for the user.
    refused : Counter
        Messages by the reason why they were refused.
    """

    notices: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def refuse(self, topic: str, error: RefusedSampleError) -> None:
        """Count a message of which nothing can be used."""
        self.refused[f"{topic}: {error.cause}"] += 1

    def lines(self) -> list[str]:
        """Return the notices, and a line for each cause of refusal."""
        refused = [f"{count} messages refused: {cause}" for cause, count in self.refused.items()]
        return [*self.notices, *refused]
