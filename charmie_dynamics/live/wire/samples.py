# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One message's worth of joint or actuator values, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats

# the topics of samples: joints, also those that linear actuators move, and lengths of the latter
JOINT_STATES = "joint_states"
ACTUATOR_LENGTHS = "actuator_lengths"

# reasons for refusing a message, and the expected content
REFUSAL_CAUSES = {
    "no names": "each joint of the message needs its name",
    "as many positions as names expected": "one position for each name; NaN if it is unknown",
    "as many velocities as names or none expected": "one velocity for each name, or none at all",
    "as many efforts as names or none expected": "one effort for each name, or none at all",
    "repeated name": "each name once",
    "no usable stamp": "the time of the measurement, from 1970 on, or zero for the time of "
    "arrival; with `use_sim_time` a zero is refused until `/clock` is published",
    "text that is not UTF-8": "names and frame id in UTF-8",
    "bytes that cannot be decoded": "a whole message of type sensor_msgs/JointState",
    "too large": "at most 64 KiB: only the joints of this robot",
    "unknown frame": "of `imu` and `odom`: the frame of a link, with the prefix of frames",
    "frame that moves on the base": "of `imu` and `odom` of a floating base: a link fixed to it",
    "not finite": "of `imu` and `odom`: finite numbers",
    "no unit quaternion": "of `imu` and `odom`: an orientation of length 1, or none of `imu`",
}

# characters of a name that are shown in a message
SHOWN = 64


class RefusedSampleError(InputError):
    """A message of which nothing can be used.

    Attributes
    ----------
    cause : str
        One of `REFUSAL_CAUSES`, to count and to throttle by.
    """

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause


def quoted(name: str) -> str:
    """Return a name for a message: quoted, one line of bounded length."""
    return repr(name) if len(name) <= SHOWN else f"{name[:SHOWN]!r}..."


class DistinctNames(tuple[str, ...]):
    """Distinct names, checked at construction.

    Raises
    ------
    RefusedSampleError
        If a name repeats.
    """

    __slots__ = ()

    def __new__(cls, names: Iterable[str]) -> DistinctNames:
        """Check the names."""
        distinct = super().__new__(cls, names)
        if len(set(distinct)) < len(distinct):
            raise RefusedSampleError(
                "repeated name",
                f"name {quoted(_first_repeated(distinct))} is repeated; expected distinct names",
            )
        return distinct


def _first_repeated(names: Sequence[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


class JointSample(NamedTuple):
    """Values of some joints or actuators at one time.

    Nothing is checked here: `make_sample` does it. The arrays are contiguous, aligned, writable
    and of float64; others are accepted, but cause a second compilation of the kernels.

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
    effort : (k,) array or None
        Measured (N m or N); an entry that is not finite is unknown, None where none is known.
    """

    names: tuple[str, ...]
    position: Floats
    velocity: Floats | None
    stamp: int
    effort: Floats | None = None

    def values(self) -> JointSample:
        """Return the sample itself, as `Message.values` returns the values of a message."""
        return self


def make_sample(
    names: Sequence[str],
    position: Sequence[float] | Floats,
    velocity: Sequence[float] | Floats,
    effort: Sequence[float] | Floats,
    stamp: int,
) -> JointSample:
    """Check the arrays of a joint state message and return a sample.

    Parameters
    ----------
    names : sequence of str
        k names. Those of many messages are worth keeping as one `DistinctNames`: they are
        checked once instead of with every message.
    position, velocity, effort : sequence of float, or array
        k entries each, or none for velocity and effort; they are copied.
    stamp : int
        Nanoseconds.

    Raises
    ------
    RefusedSampleError
        If there is no name or no position, if lengths disagree, or if a name repeats.
    """
    count = len(names)
    if count == 0:
        raise RefusedSampleError("no names", "message without names; expected at least one joint")
    if len(position) != count:
        raise RefusedSampleError(
            "as many positions as names expected",
            f"{count} names but {len(position)} positions; expected one for each name",
        )
    for kind, values in (("velocities", velocity), ("efforts", effort)):
        if len(values) not in (0, count):
            raise RefusedSampleError(
                f"as many {kind} as names or none expected",
                f"{count} names but {len(values)} {kind}; expected {count} or none",
            )
    distinct = names if isinstance(names, DistinctNames) else DistinctNames(names)
    # copies: kernels meet one kind of array, whatever the message holds its own in
    speeds = np.array(velocity, dtype=np.float64) if len(velocity) else None
    efforts = np.array(effort, dtype=np.float64) if len(effort) else None
    return JointSample(distinct, np.array(position, dtype=np.float64), speeds, stamp, efforts)
