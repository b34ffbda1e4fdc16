# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inputs that contradict each other: velocities and positions, efforts and the model."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .records import Records
from .trackers import AGREE_FROM, AGREE_TO

# rad and m: velocities are compared with the motion over stretches of at most this length
STRETCH_ANGLE = 0.05
STRETCH_LENGTH = 0.01
# stretches that are judged together; their least duration (s), unless they are of that length; and
# the part of them that must agree
FEWEST_STRETCHES = 5
SHORTEST_MOTION = 0.5
AGREEING = 0.2
# standard errors by which a ratio must differ from those that agree
SIGNIFICANT = 3.0
# ratios of velocity and motion by their cause; a ratio within this part of one has that cause
DEGREE = math.pi / 180.0
NEAR = 0.15
ZERO = 0.005
RATIOS = {
    1.0 / DEGREE: "is the velocity in degrees per second?",
    DEGREE: "is the position in degrees?",
    30.0 / math.pi: "is the velocity in revolutions per minute?",
    0.5 / math.pi: "is the velocity in revolutions per second?",
    1e3: "is the velocity in mm/s?",
    1e-3: "is the position in mm?",
}
# measured efforts: samples that are judged, their least correlation with the computed ones, the
# gain from which on they contradict, and the least explained share of their standard deviation
FEWEST_EFFORTS = 100
CORRELATED = 0.9
LARGEST_GAIN = 2.0
LEAST_EXPLAINED = 0.3


class EffortGain(NamedTuple):
    """Slope and correlation of measured on computed efforts, friction and offset removed."""

    gain: float
    correlation: float

    @property
    def contradicts(self) -> bool:
        """Whether unit or sign of the measured efforts cannot be those of the model."""
        is_off = not 1.0 / LARGEST_GAIN <= self.gain <= LARGEST_GAIN
        return is_off and abs(self.correlation) >= CORRELATED


def stretches(model: Model) -> Floats:
    """Return the length of the compared stretches of each coordinate (v,), rad or m."""
    result = np.full(len(model.velocity_names), STRETCH_ANGLE)
    for i, unit in zip(model.actuator_index.tolist(), model.effort_units, strict=True):
        result[i] = STRETCH_LENGTH if unit == "N" else STRETCH_ANGLE
    return result


def may_judge(trackers: Records) -> npt.NDArray[np.bool_]:
    """Return for which of trackers (n,) `describe_rate` may be called: enough motion was seen."""
    count, longest = trackers["stretches"], FEWEST_STRETCHES * trackers["stretch"]
    is_long = np.sqrt(count * trackers["stretches_square"]) >= longest
    is_enough = (trackers["stretches_time"] >= SHORTEST_MOTION) | is_long
    return np.asarray((count >= FEWEST_STRETCHES) & is_enough)


def start_judgement(trackers: Records) -> None:
    """Forget the completed stretches of trackers (n,)."""
    for field in ("", "_agree", "_time", "_square", "_product", "_way_square"):
        trackers[f"stretches{field}"] = 0


def describe_rate(tracker: Records) -> str | None:
    """Return how a measured velocity contradicts the motion, with advice; None if it agrees.

    Parameters
    ----------
    tracker : record of TRACKER
        For which `may_judge` is true.
    """
    count = int(tracker["stretches"])
    if tracker["stretches_agree"] > AGREEING * count:
        return None
    square, product = float(tracker["stretches_square"]), float(tracker["stretches_product"])
    ratio = product / square
    if not math.isfinite(ratio):
        return "velocity is too large to be compared with the motion"
    # of the regression of integrals on motions
    scatter = max(0.0, float(tracker["stretches_way_square"]) - ratio * product)
    error = math.sqrt(scatter / (square * (count - 1)))
    if AGREE_FROM - SIGNIFICANT * error <= ratio <= AGREE_TO + SIGNIFICANT * error:
        return None
    if abs(ratio) < ZERO and not _is_near(abs(ratio), 1e-3):
        return "velocity is zero while the position changes: omit it, so that it is estimated"
    causes = [cause for known, cause in RATIOS.items() if _is_near(abs(ratio), known)]
    size = "" if _is_near(abs(ratio), 1.0) else f"{abs(ratio):.3g} times "
    text = f"velocity is {size}the motion"
    if ratio < 0.0:
        text += " with the opposite sign"
        causes.append("check its sign")
    return f"{text}: {', '.join(causes) or 'check its unit and gear ratio'}"


def describe_outside(value: float, lower: float, upper: float, *, is_angle: bool) -> str:
    """Return a position outside the limits, with advice if it fits them in degrees or mm."""
    factor, unit = (DEGREE, "degrees") if is_angle else (1e-3, "mm")
    fits = lower <= value * factor <= upper and not (is_angle and upper - lower >= 7.0)
    return f"{value:.4g}: in {unit}?" if fits else f"{value:.4g}"


def effort_gain(measured: Floats, computed: Floats, velocity: Floats) -> EffortGain | None:
    """Return the gain of one actuator's measured efforts; None if the data do not show it.

    Viscous and Coulomb friction and an offset are removed from both first.

    Parameters
    ----------
    measured, computed, velocity : (n,) array
        Finite efforts (N m or N) and velocities.
    """
    if len(measured) < FEWEST_EFFORTS:
        return None
    removed = np.column_stack([np.ones(len(velocity)), velocity, np.sign(velocity)])
    both = np.column_stack([measured, computed])
    left = both - removed @ np.linalg.lstsq(removed, both, rcond=None)[0]
    (mm, mc), (_, cc) = (left.T @ left).tolist()
    if not (mm > 0.0 and cc > 0.0):
        return None
    gain = EffortGain(mc / cc, mc / math.sqrt(mm * cc))
    explained = abs(gain.gain) * math.sqrt(cc)
    size = float(np.std(measured)) * math.sqrt(len(measured))
    return gain if explained >= LEAST_EXPLAINED * size else None


def describe_effort(found: EffortGain) -> str:
    """Return how measured efforts contradict the computed ones, with advice."""
    gain = found.gain
    text = (
        f"measured effort is {gain:.3g} times the computed one (correlation "
        f"{found.correlation:.2f}), expected near 1"
    )
    if gain < 0.0:
        text += ": check its sign"
        if 1.0 / LARGEST_GAIN <= -gain <= LARGEST_GAIN:
            return text
    joiner = "," if gain < 0.0 else ":"
    factor = f"{1.0 / gain:.3g}"
    return f"{text}{joiner} is it a current, or is a payload not set? A factor of {factor} fits"


def _is_near(ratio: float, known: float) -> bool:
    return abs(ratio - known) <= NEAR * known
