"""One message's worth of joint or actuator values, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.vectors import Floats
from ..model.errors import InputError


class DistinctNames(tuple[str, ...]):
    """Names of which none stands twice; checked when made, so that nobody has to look again.

    Raises
    ------
    InputError
        If a name repeats.
    """

    __slots__ = ()

    def __new__(cls, names: Iterable[str]) -> DistinctNames:
        """Check the names."""
        distinct = super().__new__(cls, names)
        if len(set(distinct)) < len(distinct):
            repeated = next(name for name in distinct if distinct.count(name) > 1)
            raise InputError(f"name '{repeated}' stands more than once; expected distinct names")
        return distinct


class JointSample(NamedTuple):
    """Values of some joints or actuators at one time.

    Nothing is checked here: `make_sample` does it. The arrays are contiguous, aligned, writable
    and of float64; others are taken too, but have the kernels compiled once more.

    Attributes
    ----------
    names : tuple of str
        k distinct names.
    position : (k,) array
        rad or m; an entry that is not finite counts as absent.
    velocity : (k,) array or None
        rad/s or m/s; NaN where unknown, None where none is known.
    stamp : int
        Time of the measurement, nanoseconds on the clock of the stamps.
    """

    names: tuple[str, ...]
    position: Floats
    velocity: Floats | None
    stamp: int


def make_sample(
    names: Sequence[str],
    position: Sequence[float],
    velocity: Sequence[float],
    effort: Sequence[float],
    stamp: int,
) -> JointSample:
    """Check the arrays of a joint state message and make a sample of them.

    Parameters
    ----------
    names : sequence of str
        k names. Those of many messages are worth keeping as one `DistinctNames`: they are
        checked once instead of with every message (1 us for 21 names).
    position, velocity, effort : sequence of float
        k entries each, or none for velocity and effort; they are copied.
    stamp : int
        Nanoseconds.

    Raises
    ------
    InputError
        If there is no name or no position, if lengths disagree, or if a name repeats. The message
        says which and is the same for each repetition of the fault, so that it can be throttled.
    """
    count = len(names)
    if count == 0:
        raise InputError("message without names; expected at least one joint")
    if len(position) != count:
        raise InputError(f"{count} names but {len(position)} positions; expected one for each name")
    for what, values in (("velocities", velocity), ("efforts", effort)):
        if len(values) not in (0, count):
            raise InputError(f"{count} names but {len(values)} {what}; expected {count} or none")
    distinct = names if isinstance(names, DistinctNames) else DistinctNames(names)
    # copies: kernels meet one kind of array, whatever the message holds its own in
    speeds = np.array(velocity, dtype=np.float64) if len(velocity) else None
    return JointSample(distinct, np.array(position, dtype=np.float64), speeds, stamp)
