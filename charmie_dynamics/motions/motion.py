# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A motion as a function of time, at one time, and at many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats


class MotionPoint(NamedTuple):
    """Positions at a time and their time derivatives: of actuators (a,), or of points (..., 3).

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions import LeggedWalk
    >>> LeggedWalk(load_model("athena"), "tripod").torso(3.0).velocity
    array([0.1, 0. , 0. ])
    """

    position: Floats
    velocity: Floats
    acceleration: Floats


class SampledMotion(NamedTuple):
    """Positions of m joints or actuators (k, m) and their time derivatives at k times (s).

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.motions import SampledMotion
    >>> time = np.linspace(0.0, 1.0, 11)
    >>> swing = np.sin(time)[:, None], np.cos(time)[:, None], -np.sin(time)[:, None]
    >>> SampledMotion(time, *swing).position.shape
    (11, 1)
    """

    time: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats


@dataclass(frozen=True)
class Motion:
    """A motion of all actuators of a model.

    It does not include the motion of a floating base: for a robot that walks, see `LeggedWalk`.

    Attributes
    ----------
    name : str
    duration : float
        Seconds; a loop repeats after it.
    at : callable
        Time (s) to the positions of the actuators (a,) and their derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions import make_motion
    >>> motion = make_motion("wave", load_model())
    >>> motion.at(2.5).position.shape, motion.sampled(np.linspace(0.0, 20.0, 41)).velocity.shape
    ((21,), (41, 21))
    """

    name: str
    duration: float
    at: Callable[[float], MotionPoint]

    def sampled(self, time: Floats) -> SampledMotion:
        """Return the motion at given times (k,), s."""
        return sampled(self.at, time)


def sampled(at: Callable[[float], MotionPoint], time: Floats) -> SampledMotion:
    """Return a motion at given times (k,), s."""
    points = zip(*map(at, np.asarray(time).tolist()), strict=True)
    return SampledMotion(np.asarray(time), *map(np.array, points))
