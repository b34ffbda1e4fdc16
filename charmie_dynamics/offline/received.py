"""Samples in the order in which they were recorded, from whatever kind of recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ..core.vectors import Floats
from ..signals.samples import JointSample


class Received(NamedTuple):
    """A sample as it came.

    Attributes
    ----------
    topic : {"joint_states", "actuator_lengths"}
    sample : JointSample
    effort : (k,) array or None
        Measured, in the order of the sample's names (N or N m); NaN where unknown.
    arrival : int
        Time of recording (ns).
    """

    topic: str
    sample: JointSample
    effort: Floats | None
    arrival: int


class Recording(Protocol):
    """What an analysis is made from.

    Attributes
    ----------
    description : str or None
        URDF of the robot, if it was recorded.
    count : int
        How many samples there are, as far as is known before they are read.
    trouble : Trouble
        What could not be read so far.
    """

    description: str | None
    count: int
    trouble: Trouble

    def received(self) -> Iterator[Received]:
        """Yield all samples."""


@dataclass
class Trouble:
    """What of a recording could not be used, and why.

    Attributes
    ----------
    notices : list of str
        A line each, for the user.
    refused : Counter
        Messages by the reason why they were refused.
    """

    notices: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """Return everything, a line each."""
        refused = [f"{count} messages refused: {cause}" for cause, count in self.refused.items()]
        return [*self.notices, *refused]
