# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A table of motors and gears (YAML)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np

from charmie_dynamics.errors import InputError, ModelFileError
from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.schema_faults import describe, require_finite
from charmie_dynamics.model.description.yaml_document import load_yaml
from charmie_dynamics.numerics.vectors import Floats

POSITIVE = {"type": "number", "exclusiveMinimum": 0}
NOT_NEGATIVE = {"type": "number", "minimum": 0}


@dataclass(frozen=True)
class Motor:
    """A motor.

    Parameters
    ----------
    name : str
    rated_torque, peak_torque : float
        Continuous and short-time torque (N m).
    rated_speed, max_speed : float
        Largest speed with the peak torque, and with zero torque (rad/s).
    rotor_inertia : float
        In kg m^2.
    mass : float
        In kg.
    cost : float
        In any currency.

    Raises
    ------
    InputError
        If a rated value exceeds the peak or maximum.
    """

    name: str
    rated_torque: float
    peak_torque: float
    rated_speed: float
    max_speed: float
    rotor_inertia: float = 0.0
    mass: float = 0.0
    cost: float = 0.0

    def __post_init__(self) -> None:
        for rated, most in (("rated_torque", "peak_torque"), ("rated_speed", "max_speed")):
            if getattr(self, rated) > getattr(self, most):
                raise InputError(
                    f"motor '{self.name}': expected {rated} of at most {most} "
                    f"{getattr(self, most):g}, got {getattr(self, rated):g}"
                )

    @property
    def envelope(self) -> Floats:
        """Speeds and peak torques at these (3, 2)."""
        return np.array(
            [(0.0, self.peak_torque), (self.rated_speed, self.peak_torque), (self.max_speed, 0.0)]
        )

    def peak_torque_at(self, speed: Floats) -> Floats:
        """Return the largest torques (n,) at speeds (n,), in either direction."""
        speeds, torques = self.envelope.T
        if self.rated_speed == self.max_speed:
            return np.where(np.abs(speed) <= self.max_speed, self.peak_torque, 0.0)
        return np.asarray(np.interp(np.abs(speed), speeds, torques))


@dataclass(frozen=True)
class Gear:
    """A gear, or the screw of a linear actuator.

    Parameters
    ----------
    name : str
    ratio : float
        Turns of the motor per turn of the joint; for a screw, rad of the motor per m. Finite
        and above 0.
    efficiency : float
        Transmitted fraction of the power, in both directions.
    rated_effort, peak_effort : float
        At its output, continuous and short-time (N m, N).
    max_input_speed : float
        In rad/s.
    linear : bool
        Whether it is a screw.
    inertia : float
        At the input (kg m^2).
    mass, cost : float
        Mass (kg) and cost (any currency).

    Raises
    ------
    InputError
        If the ratio is not positive, or the rated effort exceeds the peak.
    """

    name: str
    ratio: float
    efficiency: float = 1.0
    rated_effort: float = math.inf
    peak_effort: float = math.inf
    max_input_speed: float = math.inf
    linear: bool = False
    inertia: float = 0.0
    mass: float = 0.0
    cost: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ratio) and self.ratio > 0.0):
            raise InputError(
                f"gear '{self.name}': expected a finite ratio above 0, got {self.ratio:g}"
            )
        if self.rated_effort > self.peak_effort:
            raise InputError(
                f"gear '{self.name}': expected rated_effort of at most peak_effort "
                f"{self.peak_effort:g}, got {self.rated_effort:g}"
            )


@dataclass(frozen=True)
class DriveTable:
    """Motors and gears, in any combination.

    Examples
    --------
    >>> from charmie_dynamics.studies.sizing.drive_table import parse_drive_table
    >>> table = parse_drive_table('''
    ... motors:
    ...   m1: {rated_torque: 0.1, peak_torque: 0.3, rated_speed: 300, max_speed: 600, mass: 0.2}
    ... gears:
    ...   g50: {ratio: 50, efficiency: 0.8}
    ...   screw: {lead: 0.002, efficiency: 0.6}
    ... ''')
    >>> [gear.name for gear in table.gears if gear.linear]
    ['screw']
    """

    motors: tuple[Motor, ...]
    gears: tuple[Gear, ...]


MOTOR_KEYS: dict[str, Any] = {
    "rated_torque": {**POSITIVE, "description": "continuous torque (N m)"},
    "peak_torque": {**POSITIVE, "description": "short-time torque (N m)"},
    "rated_speed": {
        **POSITIVE,
        "description": "speed up to which rated torque is available (rad/s)",
    },
    "max_speed": {**POSITIVE, "description": "speed at which the torque is zero (rad/s)"},
    "rotor_inertia": {**NOT_NEGATIVE, "description": "kg m^2"},
    "mass": {**NOT_NEGATIVE, "description": "kg"},
    "cost": {**NOT_NEGATIVE, "description": "cost in any currency"},
}
GEAR_KEYS: dict[str, Any] = {
    "ratio": {**POSITIVE, "description": "turns of the motor for each of the joint"},
    "lead": {**POSITIVE, "description": "lead of a screw (m for each turn), in place of ratio"},
    "efficiency": {**POSITIVE, "maximum": 1, "description": "ratio of output to input power"},
    "rated_effort": {**POSITIVE, "description": "continuous effort at the output (N m, N)"},
    "peak_effort": {**POSITIVE, "description": "short-time effort at the output (N m, N)"},
    "max_input_speed": {**POSITIVE, "description": "rad/s"},
    "inertia": {**NOT_NEGATIVE, "description": "inertia at the input (kg m^2)"},
    "mass": {**NOT_NEGATIVE, "description": "kg"},
    "cost": {**NOT_NEGATIVE, "description": "cost in any currency"},
}


def drive_table_schema() -> dict[str, Any]:
    """Return the JSON schema of a table of motors and gears."""

    def named(keys: dict[str, Any], required: list[str]) -> dict[str, Any]:
        entry = {
            "type": "object", "additionalProperties": False, "properties": keys,
            "required": required,
        }  # fmt: skip
        return {"type": "object", "minProperties": 1, "additionalProperties": entry}

    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["motors", "gears"],
        "properties": {
            "motors": named(
                MOTOR_KEYS, ["rated_torque", "peak_torque", "rated_speed", "max_speed"]
            ),
            "gears": named(GEAR_KEYS, []),
        },
    }


def parse_drive_table(text: str, source: str = "drives") -> DriveTable:
    """Read a table of motors and gears.

    Raises
    ------
    ModelFileError
        Names file, line, entry, the expected and the actual value.
    """
    document, lines = load_yaml(text, source)
    validator = jsonschema.Draft7Validator(drive_table_schema())
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        raise ModelFileError(describe(error, lines, source))
    require_finite(document, (), lines, source)
    try:
        motors = tuple(Motor(name, **_floats(e)) for name, e in document["motors"].items())
        gears = tuple(_gear(name, entry) for name, entry in document["gears"].items())
    except InputError as error:
        raise ModelFileError(f"{source}: {error}") from None
    return DriveTable(motors, gears)


def read_drive_table(path: Path) -> DriveTable:
    """Read a table of motors and gears from a path; see `parse_drive_table`."""
    return parse_drive_table(read_text(path), str(path))


def _gear(name: str, entry: Mapping[str, Any]) -> Gear:
    values: dict[str, Any] = _floats(entry)
    if ("ratio" in values) == ("lead" in values):
        raise InputError(f"gear '{name}': expected one of ratio and lead")
    lead = values.pop("lead", None)
    if lead is not None:
        return Gear(name, ratio=2.0 * math.pi / lead, linear=True, **values)
    return Gear(name, **values)


def _floats(entry: Mapping[str, Any]) -> dict[str, float]:
    return {key: float(value) for key, value in entry.items()}


SMALLEST_BY = ("rated_torque", "mass", "cost")
