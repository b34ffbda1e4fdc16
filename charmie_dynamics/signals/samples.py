"""One message's worth of joint or actuator values, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.vectors import Floats
from ..model.errors import InputError


@dataclass(frozen=True)
class JointSample:
    """Values of some joints or actuators at one time.

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
    keys = tuple(names)
    if len(set(keys)) < count:
        repeated = next(name for name in keys if keys.count(name) > 1)
        raise InputError(f"name '{repeated}' stands more than once; expected distinct names")
    speeds = np.array(velocity, dtype=np.float64) if len(velocity) else None
    return JointSample(keys, np.array(position, dtype=np.float64), speeds, stamp)
