# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Order of the inputs: lengths before the joints of the same stamp."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from .wire.samples import ACTUATOR_LENGTHS, JOINT_STATES

# s: a recorder takes waiting messages topic by topic and a player sends them in that order, some
# tenths of a millisecond apart, more on a busy machine
WAIT = 0.05
# this many consecutive joint samples must have had lengths with their stamps before the next one
# waits: lengths at a lower rate, with the stamps of some of the joints, delay none
AGREED = 5
NEVER = -1

Item = TypeVar("Item")


class Stamped(Protocol):
    """The part of a sample that determines its order."""

    @property
    def stamp(self) -> int:
        """Time of the measurement (ns)."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of joints or actuators."""


@dataclass(frozen=True)
class _Held(Generic[Item]):
    stamp: int  # NEVER: of something else, behind joints
    until: float
    item: Item


class LengthsFirst(Generic[Item]):
    """Holds joints back until the lengths with the same stamp are there.

    Joints are held up to the first call of `overdue` after `WAIT`, not beyond lengths that are
    newer, and only where lengths have had the stamps of the joints so far; at the start that is
    supposed. Each topic keeps its own order, whatever its stamps: a jump back in time must not be
    sorted away.

    Parameters
    ----------
    names : collection of str
        Of the actuators for whose published lengths joints wait.

    Attributes
    ----------
    waited : int
        Joint samples that had to wait.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.waited = 0
        self._names = frozenset(names)
        self._stamps: dict[str, int] = {}  # newest lengths by actuator
        self._joints = NEVER  # newest
        self._held: deque[_Held[Item]] = deque()  # begins with joints, if there is anything
        self._agreed = AGREED
        self._undecided = False  # joints were not held, and their lengths may still arrive

    @property
    def is_holding(self) -> bool:
        """Whether anything waits."""
        return bool(self._held)

    def awaits_lengths(self, stamp: int) -> bool:
        """Return whether joints with a stamp would precede lengths that may have arrived."""
        if not self._names:
            return self.is_holding
        return self.is_holding or min(self._stamps.values(), default=NEVER) < stamp

    def add(self, topic: str, sample: Stamped, now: float, item: Item) -> list[Item]:
        """Add a sample or its placeholder, and return the items to process now, in order.

        Parameters
        ----------
        topic : str
            Samples of other topics than "joint_states" and "actuator_lengths" stay behind earlier
            joints.
        sample : Stamped
        now : float
            Of a steady clock (s).
        item : object
            Is returned when it is the sample's turn.
        """
        if topic == ACTUATOR_LENGTHS:
            return self._add_lengths(sample, item)
        if topic == JOINT_STATES:
            return self._add_joints(sample.stamp, now, item)
        if self._held:
            self._held.append(_Held(NEVER, now, item))
            return []
        return [item]

    def overdue(self, now: float) -> list[Item]:
        """Return everything that is held, if joints have waited for too long."""
        if not self._held or now < self._held[0].until:
            return []
        self._agreed = 0
        return self.rest()

    def rest(self) -> list[Item]:
        """Return everything that is held."""
        found = [held.item for held in self._held]
        self._held.clear()
        return found

    def _add_joints(self, stamp: int, now: float, item: Item) -> list[Item]:
        if not self._stamps and not self._held:  # no lengths were ever received
            self._joints = stamp
            return [item]
        if self._undecided:
            self._note(False)
        if stamp < self._joints:
            # a jump back: newer lengths belong to the time before it
            for name, newest in self._stamps.items():
                self._stamps[name] = newest if newest <= stamp else NEVER
        self._joints = stamp
        if not self._held:
            common = min(self._stamps.values(), default=NEVER)
            if common >= stamp:
                if common == stamp:
                    self._note(True)
                return [item]
            if self._agreed < AGREED:
                self._undecided = True
                return [item]
        self.waited += 1
        self._held.append(_Held(stamp, now + WAIT, item))
        return []

    def _add_lengths(self, sample: Stamped, item: Item) -> list[Item]:
        stamp, stamps = sample.stamp, self._stamps
        names = [name for name in sample.names if name in self._names]
        if not names:
            return [item]
        found: list[Item] = []
        if self._held:
            if any(stamp < stamps.get(name, NEVER) for name in names):
                # a jump back: joints of before will get no lengths
                while self._held and self._held[0].stamp > stamp:
                    found.append(self._held.popleft().item)
            else:
                # nor will joints that are older than these
                found += self._take_up_to(stamp - 1, agree=False)
        found.append(item)
        stamps.update(dict.fromkeys(names, stamp))
        common = min(stamps.values())
        if self._undecided and common >= self._joints:
            self._note(common == self._joints)
        return found + self._take_up_to(common, agree=True) if self._held else found

    def _take_up_to(self, stamp: int, *, agree: bool) -> list[Item]:
        """Remove and return the held items up to a stamp, or to a jump back."""
        found: list[Item] = []
        last = NEVER
        while self._held:
            held = self._held[0]
            if held.stamp != NEVER:
                if not last <= held.stamp <= stamp:
                    break
                last = held.stamp
                self._note(agree)
            found.append(self._held.popleft().item)
        return found

    def _note(self, agree: bool) -> None:
        """Note whether there were lengths with the stamp of a joint sample."""
        self._agreed = min(AGREED, self._agreed + 1) if agree else 0
        self._undecided = False
