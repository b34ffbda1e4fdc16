# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Interface of recordings: samples and messages about loads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from charmie_dynamics.live.loads import Loads
from charmie_dynamics.live.wire.joint_states import Message
from charmie_dynamics.live.wire.samples import JointSample, RefusedSampleError

from .salvage import RawMessage

NO_LOADS = Loads({}, {})


class BaseMessage(NamedTuple):
    """A recorded message about the base, which is decoded where it is used.

    Attributes
    ----------
    topic : str
        "imu" or "odom".
    raw : RawMessage
    """

    topic: str
    raw: RawMessage

    @property
    def arrival(self) -> int:
        """Time of recording (ns)."""
        return self.raw.time


class ReceivedSample(NamedTuple):
    """A recorded sample.

    Attributes
    ----------
    topic : {"joint_states", "actuator_lengths", "actuator_efforts"}
    sample : Message or JointSample
    arrival : int
        Time of recording (ns).
    loads : Loads
        Known at arrival; the same object while they do not change. Recordings leave the default;
        `LoadHistory` sets them.
    base : tuple of BaseMessage
        Those since the sample before; `LoadHistory` sets them, too.
    """

    topic: str
    sample: Message | JointSample
    arrival: int
    loads: Loads = NO_LOADS
    base: tuple[BaseMessage, ...] = ()


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
        Number of samples and messages about loads that `received` should yield, for the progress
        bar. Fewer are yielded if some cannot be read.
    diagnostics : ReadDiagnostics
        Parts that could not be read so far.
    """

    description: str | None
    count: int
    diagnostics: ReadDiagnostics

    def received(self) -> Iterator[ReceivedSample | LoadMessage | BaseMessage]:
        """Yield all samples, without their loads, and all other messages, as recorded."""


@dataclass
class ReadDiagnostics:
    """The notices of a recording, and counts of refused messages.

    Attributes
    ----------
    notices : list of str
        One line each, for the user.
    refused : Counter
        Messages by the reason of refusal.
    """

    notices: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def refuse(self, topic: str, error: RefusedSampleError) -> None:
        """Count an unusable message."""
        self.refused[f"{topic}: {error.cause}"] += 1

    def lines(self) -> list[str]:
        """Return the notices, and a line for each cause of refusal."""
        refused = [f"{count} messages refused: {cause}" for cause, count in self.refused.items()]
        return [*self.notices, *refused]
