# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A recorded motion of a robot as arrays over time: actuators, load on the base, stability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live import topics
from charmie_dynamics.live.loads import Loads
from charmie_dynamics.live.wire.samples import JOINT_STATES
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.numerics.vectors import Floats, Ints

from .bag import Bag, stamp_of

EFFORTS = topics.ACTUATOR_EFFORTS.name
WRENCH = topics.BASE_WRENCH.name
STABILITY = topics.STABILITY.name
SETTLING = topics.SETTLING.name


Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Series:
    """Values over time.

    Parameters
    ----------
    stamps : array of int, shape (n,)
        Header stamps (ns), ascending, no two equal.
    values : array, shape (n, k)
    frame : str
        Frame id of the values; empty without one.
    """

    stamps: Ints
    values: Floats
    frame: str = ""

    def seconds(self, start: int) -> Floats:
        """Return the time of each sample since the stamp `start` (s)."""
        return _seconds(self.stamps - start)


@dataclass(frozen=True, eq=False)
class RecordedMotion:
    """The recorded actuators, n samples of q.

    Parameters
    ----------
    stamps : array of int, shape (n,)
        Header stamps (ns), ascending, no two equal; n is at least 1.
    names : tuple of str, length q
    position, velocity : array, shape (n, q)
        Of all coordinates, (n, p) and (n, v), after `in_all_coordinates`.
    effort : array, shape (n, q)
        NaN if only the kinematics have been computed.
    loads : tuple of Loads, length n
        Known loads of the robot, the same object while they do not change; empty without
        reported loads.
    settling : array, shape (n,), optional
        Remaining time of settling of the estimates (s); None if it was not recorded.
    """

    stamps: Ints
    names: tuple[str, ...]
    position: Floats
    velocity: Floats
    effort: Floats
    loads: tuple[Loads, ...] = ()
    settling: Floats | None = None

    @property
    def judged(self) -> Flags:
        """Return the settled samples (n,), or all samples if none has settled."""
        everything = np.ones(len(self.stamps), dtype=bool)
        if self.settling is None:
            return everything
        settled: Flags = ~(self.settling > 0.0)
        return settled if settled.any() else everything

    @property
    def time(self) -> Floats:
        """Time of each sample since the first (s), shape (n,)."""
        return _seconds(self.stamps - self.stamps[0])

    @property
    def has_efforts(self) -> bool:
        """True if there is any effort."""
        return bool(np.isfinite(self.effort).any())


def read_motion(bag: Bag) -> RecordedMotion:
    """Return positions, velocities and efforts of the actuators.

    Raises
    ------
    CharmieError
        If they are not in the bag, or their messages are inconsistent.
    """
    if not bag.names(EFFORTS) and bag.names(JOINT_STATES):
        raise CharmieError(
            f"bag '{bag.path}' holds inputs ('{JOINT_STATES}') without the computed topic "
            f"'{EFFORTS}': run `charmie_analyze {bag.path} --out NEW_BAG` and use NEW_BAG"
        )
    names: tuple[str, ...] = ()
    stamps: list[int] = []
    rows: list[Floats] = []
    for message in bag.messages(EFFORTS):
        if not stamps:
            names = tuple(message.name)
        if tuple(message.name) != names:
            raise CharmieError(
                f"topic '{EFFORTS}' of bag '{bag.path}': expected the same actuators in each "
                f"message, got {', '.join(names)} and later {', '.join(message.name)}"
            )
        stamps.append(stamp_of(message.header))
        fields = (message.position, message.velocity, message.effort)
        rows.append(np.array([_filled(field, len(names), bag) for field in fields]))
    if not rows:
        raise CharmieError(f"topic '{EFFORTS}' of bag '{bag.path}' holds no message")
    order, values = _in_order(stamps, np.array(rows))
    if not np.isfinite(values[:, :2]).all():
        raise CharmieError(
            f"topic '{EFFORTS}' of bag '{bag.path}': expected position and velocity of every "
            "actuator in each message, some are missing or not finite"
        )
    settling = settling_at(bag, order)
    return RecordedMotion(order, names, values[:, 0], values[:, 1], values[:, 2], settling=settling)


def settling_at(bag: Bag, stamps: Ints) -> Floats | None:
    """Return the remaining time of settling (s) at stamps (n,); None if it was not recorded.

    The last value applies until the next message. It is zero before the first: while estimates
    settle, each cycle has a message.
    """
    messages = _read(bag, SETTLING, lambda message: message.position)
    if messages is None:
        return None
    values: Floats = np.append(0.0, messages.values[:, 0])
    result: Floats = values[np.searchsorted(messages.stamps, stamps, side="right")]
    return result


def read_wrench(bag: Bag) -> Series | None:
    """Return force and torque on the base, k = 6; None if they were not recorded."""
    return _read(bag, WRENCH, _wrench)


def read_stability(bag: Bag) -> Series | None:
    """Return the zero-moment point, k = 3; None if it was not recorded."""
    return _read(bag, STABILITY, _point)


def _read(bag: Bag, topic: str, values_of: Any) -> Series | None:
    if not bag.count(topic):
        return None
    stamps: list[int] = []
    rows: list[list[float]] = []
    frame = ""
    for message in bag.messages(topic):
        stamps.append(stamp_of(message.header))
        rows.append(list(values_of(message)))
        frame = message.header.frame_id
    order, values = _in_order(stamps, np.array(rows))
    return Series(order, values, frame)


def _wrench(message: Any) -> Iterator[float]:
    for vector in (message.wrench.force, message.wrench.torque):
        yield from (vector.x, vector.y, vector.z)


def _point(message: Any) -> Iterator[float]:
    yield from (message.point.x, message.point.y, message.point.z)


def _seconds(nanoseconds: Ints) -> Floats:
    result: Floats = nanoseconds.astype(np.float64) * SECONDS
    return result


def _filled(field: Any, count: int, bag: Bag) -> Floats:
    values = np.asarray(field, dtype=np.float64)
    if len(values) == 0:
        return np.full(count, np.nan)
    if len(values) != count:
        raise CharmieError(
            f"topic '{EFFORTS}' of bag '{bag.path}': expected {count} values for {count} names, "
            f"got {len(values)}"
        )
    return values


def _in_order(stamps: list[int], values: Floats) -> tuple[Ints, Floats]:
    """Return stamps and values by ascending stamp, the first of equal ones."""
    ascending, first = np.unique(np.array(stamps, dtype=np.int64), return_index=True)
    return ascending, values[first]
