# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Quantities of a study: a signal of the samples, and its reduction to a number.

Each kind is one entry of `KINDS`: a signal (N,), such as the effort of an actuator, and a
reduction to *pieces*, smooth functions of the signal; the quantity is the largest. So a search by
gradients can follow several local maxima of a motion.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from charmie_dynamics.errors import InputError, ModelFileError, UnknownNameError, choices
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.stability import Support, tip_over_margin, zero_moment_point
from charmie_dynamics.numerics.vectors import Floats

from .outcome import StudyOutcome

OVERLOAD = 2.0  # admissible peak effort of an actuator relative to the rated one
ACTUATOR, SPRING, NOTHING = "actuator", "spring", ""
SMALLEST_LENGTH = 1e-9  # m
OF_EFFORT, OF_POSITION = "N or N m", "m or rad"


@dataclass(frozen=True)
class Pieces:
    """Smooth functions of a signal; the largest one is the quantity.

    Attributes
    ----------
    value : (m,) array
    slope : (m,) array
        By the sample of the signal; for a `sample` of -1 see `slopes`.
    sample : (m,) array of int
        Sample that each depends on; -1: all samples.
    slopes : (N,) array or None
        Of those that depend on all samples, by each sample.
    """

    value: Floats
    slope: Floats
    sample: np.ndarray
    slopes: Floats | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of quantity.

    Attributes
    ----------
    of : {"actuator", "spring", ""}
        Kind of the subject.
    unit : str
        Or `OF_EFFORT`, `OF_POSITION`: the unit of the actuator.
    meaning : str
    signal : callable
        StudyOutcome, subject, options -> (N,) array.
    reduce : callable
        Signal, outcome, subject, options -> Pieces.
    options : mapping of str to (default, meaning)
        A default of None: the option is required.
    least : bool
        The smallest sample counts, as for a margin; the pieces belong to the negative signal.
    by_effort : callable or None
        StudyOutcome, subject -> derivative (N,) of the signal by the effort of the actuator;
        None: it depends on other values, too.
    """

    of: str
    unit: str
    meaning: str
    signal: Callable[..., Floats]
    reduce: Callable[..., Pieces]
    options: Mapping[str, tuple[float | None, str]] = field(default_factory=dict)
    least: bool = False
    by_effort: Callable[..., Floats] | None = None


@dataclass(frozen=True)
class StudyQuantity:
    """A quantity of a study.

    Parameters
    ----------
    name : str
    kind : str
        One of `KINDS`.
    subject : str
        The actuator or spring.
    options : mapping of str to float or str
        Numbers, or names of variables or columns.
    motions : tuple of str
        Motions of the study that count; empty: all.

    Raises
    ------
    UnknownNameError
        For an unknown kind or option.
    InputError
        If an option is missing.

    Examples
    --------
    >>> from charmie_dynamics.studies.design.quantities import StudyQuantity
    >>> StudyQuantity("torso", "peak", "torso_actuator").kind
    'peak'
    """

    name: str
    kind: str
    subject: str = ""
    options: Mapping[str, float | str] = field(default_factory=dict)
    motions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError(
                f"'{self.name}': '{self.kind}' is no quantity{choices(self.kind, KINDS)}"
            )
        known = KINDS[self.kind].options
        for option in self.options:
            if option not in known:
                raise UnknownNameError(
                    f"'{self.name}': {self.kind} has no option '{option}'{choices(option, known)}"
                )
        for option, (default, meaning) in known.items():
            if default is None and option not in self.options:
                raise InputError(f"'{self.name}': {self.kind} needs {option}: {meaning}")

    def require_robot(self, model: Model) -> None:
        """Refuse a robot without the subject, or without the necessary data.

        Raises
        ------
        UnknownNameError, InputError
        """
        of = KINDS[self.kind].of
        valid = {ACTUATOR: model.actuator_names, SPRING: model.spring_names, NOTHING: ("",)}[of]
        if self.subject not in valid:
            what = f"{of} '{self.subject}'" if of else f"'{self.subject}' of the whole robot"
            raise UnknownNameError(
                f"'{self.name}': {what} is unknown{choices(self.subject, valid)}"
            )
        if self.kind == "margin" and not model.mechanisms.wheel_contacts:
            raise InputError(
                f"'{self.name}': margin needs wheel_contacts in the mechanisms file of the robot"
            )
        if self.kind == "share_of_rated":
            _rated_effort(model, self.subject)

    def numbers(self, properties: Mapping[str, float]) -> dict[str, float]:
        """Return the values of the options, defaults included.

        Raises
        ------
        UnknownNameError
            For an unknown name of a variable or column.
        """
        pieces = {}
        for option, (default, _) in KINDS[self.kind].options.items():
            value = self.options.get(option, default)
            if isinstance(value, str):
                if value not in properties:
                    raise UnknownNameError(
                        f"'{self.name}': {option}: '{value}' is no variable or column of a list"
                        f"{choices(value, properties)}"
                    )
                value = properties[value]
            pieces[option] = float(value if value is not None else math.nan)
        return pieces

    def signal(self, outcome: StudyOutcome) -> Floats:
        """Return the signal (N,)."""
        return KINDS[self.kind].signal(outcome, self.subject, self.numbers(outcome.properties))

    def pieces(self, signal: Floats, outcome: StudyOutcome) -> Pieces:
        """Return the pieces of a signal."""
        kind = KINDS[self.kind]
        return kind.reduce(signal, outcome, self.subject, self.numbers(outcome.properties))

    def value(self, signal: Floats, outcome: StudyOutcome) -> float:
        """Return the quantity."""
        largest = float(self.pieces(signal, outcome).value.max())
        return -largest if KINDS[self.kind].least else largest


def unit_of(quantity: StudyQuantity, model: Model) -> str:
    """Return the unit of a quantity, empty without one.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies.design.quantities import StudyQuantity, unit_of
    >>> unit_of(StudyQuantity("torso", "peak", "torso_actuator"), load_model())
    'N'
    """
    unit = KINDS[quantity.kind].unit
    if unit not in (OF_EFFORT, OF_POSITION):
        return unit
    own = model.effort_units[model.actuator_names.index(quantity.subject)]
    if unit == OF_EFFORT:
        return own
    return "m" if own == "N" else "rad"


def _effort(outcome: StudyOutcome, subject: str, _: Any) -> Floats:
    return outcome.effort(subject)


def _one(outcome: StudyOutcome, _: str) -> Floats:
    return np.ones(len(outcome.weight))


def _power(outcome: StudyOutcome, subject: str, _: Any) -> Floats:
    return outcome.effort(subject) * outcome.velocity(subject)


def _share(outcome: StudyOutcome, subject: str, _: Any) -> Floats:
    return outcome.effort(subject) / _rated_effort(outcome.model, subject)


def _share_of_one(outcome: StudyOutcome, subject: str) -> Floats:
    return _one(outcome, subject) / _rated_effort(outcome.model, subject)


def _tension(outcome: StudyOutcome, subject: str, _: Any) -> Floats:
    return outcome.spring_tension(subject)


def _length(outcome: StudyOutcome, subject: str, _: Any) -> Floats:
    return outcome.spring_length(subject)


def _stretch(outcome: StudyOutcome, subject: str, _: Any) -> Floats:
    parts = {part.name: part for _, part in outcome.model.mechanisms.parts()}
    free = getattr(parts[subject], "free_length", 0.0)
    return np.asarray(_length(outcome, subject, None) / max(free, SMALLEST_LENGTH) - 1.0)


def _position(outcome: StudyOutcome, subject: str, _: Any) -> Floats:
    return outcome.position(subject)


def _mass(outcome: StudyOutcome, _: str, options: Mapping[str, float]) -> Floats:
    return np.array([outcome.model.total_mass + options["besides"]])


def _margin(outcome: StudyOutcome, *_: Any) -> Floats:
    model = outcome.model
    support = Support.of(model)
    parts = []
    for state in outcome.states:
        force, torque = state.base_wrench
        point = zero_moment_point(force, torque, support.height)
        margin = tip_over_margin(point, support.polygon)
        # if the floor had to pull, the robot would have tipped over long before
        parts.append(np.where(np.isfinite(margin), margin, -1.0))
    return np.concatenate(parts)


def _shear_stress(outcome: StudyOutcome, subject: str, options: Mapping[str, float]) -> Floats:
    """Return the shear stress in the wire (Pa): Wahl's factor times that of a straight bar.

    A. M. Wahl, Mechanical Springs, 2nd ed. (1963), eq. 1.18 and 1.21.
    """
    wire, coil = options["wire"], options["coil"]
    if wire >= coil or wire <= 0.0:
        raise ModelFileError(
            f"spring_stress of '{subject}': expected a wire thinner than the coil, got {wire:.6g} "
            f"and {coil:.6g} m"
        )
    index = coil / wire
    factor = (4.0 * index - 1.0) / (4.0 * index - 4.0) + 0.615 / index
    return np.asarray(factor * 8.0 * _tension(outcome, subject, None) * coil / (math.pi * wire**3))


def _largest(signal: Floats, *_: Any) -> Pieces:
    return Pieces(signal, np.ones(len(signal)), np.arange(len(signal)))


def _smallest(signal: Floats, *_: Any) -> Pieces:
    return Pieces(-signal, -np.ones(len(signal)), np.arange(len(signal)))


def _peak(signal: Floats, *_: Any) -> Pieces:
    sign = np.where(signal < 0.0, -1.0, 1.0)
    return Pieces(sign * signal, sign, np.arange(len(signal)))


def _root_mean_square(signal: Floats, outcome: StudyOutcome, *_: Any) -> Pieces:
    weight = outcome.weight / outcome.weight.sum()
    # sums of NumPy: the rounding of a product of vectors depends on the number of threads
    value = math.sqrt(float((weight * signal**2).sum()))
    slopes = weight * signal / value if value > 0.0 else np.zeros_like(signal)
    return Pieces(np.array([value]), np.zeros(1), np.array([-1]), slopes)


def _energy(
    signal: Floats, outcome: StudyOutcome, subject: str, options: Mapping[str, float]
) -> Pieces:
    # braking costs no energy, or returns a part
    slopes = outcome.weight * np.where(signal > 0.0, 1.0, options["recovered"])
    return Pieces(np.array([float((slopes * signal).sum())]), np.zeros(1), np.array([-1]), slopes)


def _size(
    signal: Floats, outcome: StudyOutcome, subject: str, options: Mapping[str, float]
) -> Pieces:
    rms, peak = _root_mean_square(signal, outcome), _peak(signal)
    overload = options["overload"]
    return Pieces(
        np.concatenate((rms.value, peak.value / overload)),
        np.concatenate((rms.slope, peak.slope / overload)),
        np.concatenate((rms.sample, peak.sample)),
        rms.slopes,
    )


def _rated_effort(model: Model, actuator: str) -> float:
    rated = model.actuator_limits()[model.actuator_names.index(actuator)].effort
    if not (math.isfinite(rated) and rated > 0.0):
        raise InputError(
            f"share_of_rated: actuator '{actuator}' has no rated effort; expected one in the "
            "robot's files (effort_limit, or effort of the joint's limit)"
        )
    return rated


KINDS: dict[str, Kind] = {
    "peak": Kind(ACTUATOR, OF_EFFORT, "largest effort of an actuator, in either direction",
                 _effort, _peak, by_effort=_one),
    "rms": Kind(ACTUATOR, OF_EFFORT, "root mean square of its effort over time",
                _effort, _root_mean_square, by_effort=_one),
    "energy": Kind(ACTUATOR, "J", "work that it does", _power, _energy,
                   {"recovered": (0.0, "share of the work done on it that it gives back")},
                   by_effort=StudyOutcome.velocity),
    "size": Kind(ACTUATOR, OF_EFFORT, "rated effort that it needs: that of its root mean square, "
                 "or of its peak by the overload that it bears", _effort, _size,
                 {"overload": (OVERLOAD, "peak effort that it bears, times the rated one")},
                 by_effort=_one),
    "share_of_rated": Kind(ACTUATOR, "", "largest effort as a share of the rated one",
                           _share, _peak, by_effort=_share_of_one),
    "longest": Kind(ACTUATOR, OF_POSITION, "largest position that the motion takes",
                    _position, _largest),
    "shortest": Kind(ACTUATOR, OF_POSITION, "smallest position that it takes",
                     _position, _smallest, least=True),
    "spring_tension": Kind(SPRING, "N", "largest tension of a spring", _tension, _largest),
    "spring_slack": Kind(SPRING, "N", "smallest tension of a spring; 0: it is slack",
                         _tension, _smallest, least=True),
    "spring_length": Kind(SPRING, "m", "largest length of a spring", _length, _largest),
    "spring_shortest": Kind(SPRING, "m", "smallest length of a spring", _length, _smallest,
                            least=True),
    "spring_stretch": Kind(SPRING, "", "largest extension of a spring, by its free length",
                           _stretch, _largest),
    "spring_stress": Kind(SPRING, "Pa", "largest shear stress in the wire of a spring",
                          _shear_stress, _largest,
                          {"wire": (None, "diameter of the wire (m)"),
                           "coil": (None, "mean diameter of the coils (m)")}),
    "margin": Kind(NOTHING, "m", "smallest tip-over margin", _margin, _smallest, least=True),
    "mass": Kind(NOTHING, "kg", "mass of the robot", _mass, _largest,
                 {"besides": (0.0, "mass of parts outside the files, as a listed spring (kg)")}),
}  # fmt: skip
