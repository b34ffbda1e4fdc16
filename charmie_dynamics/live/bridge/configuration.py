# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Read a bridge file (YAML): which field of which topic is which joint."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from charmie_dynamics.errors import LONGEST, ModelFileError, UnknownNameError, choices, shown
from charmie_dynamics.model.description.yaml_document import Key, Lines, line_of, load_yaml
from charmie_dynamics.model.model import Model

from .field_path import FieldPath, FieldPathError

SCHEMA_FILE = Path(__file__).with_name("bridge.schema.json")
# for the built robot, in the share folder
ROBOT_FILE = ("config", "charmie_bridge.yaml")
DEFAULT_CUTOFF = 1.0  # Hz
ARRIVAL = "arrival"
YAW = "yaw"
UNITS: dict[str, float] = {
    "m": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "rad": 1.0,
    "deg": math.pi / 180.0,
    YAW: 1.0,
}
KINDS = ("joints", "actuators")


@dataclass(frozen=True)
class Entry:
    """One joint or actuator: value = factor * field + offset (rad or m).

    `sign` is the sign of the factor; `quantum` is in rad or m, 0 without rounding; `cutoff` (Hz)
    is 0 where nothing is smoothed.
    """

    name: str
    is_length: bool
    field: FieldPath
    velocity: FieldPath | None = None
    effort: FieldPath | None = None
    is_yaw: bool = False
    factor: float = 1.0
    sign: int = 1
    offset: float = 0.0
    quantum: float = 0.0
    cutoff: float = 0.0

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """All paths of the entry."""
        return tuple(path for path in (self.field, self.velocity, self.effort) if path is not None)


@dataclass(frozen=True)
class Source:
    """A topic and the values read from it.

    `stamp` is the path of the measurement's time; None: `header.stamp` where there is a header and
    `by_arrival` is false, else the time of arrival. `rate` is how often the simulator publishes it
    (Hz); 0: with each sample.
    """

    name: str
    topic: str
    type: str
    entries: tuple[Entry, ...]
    stamp: FieldPath | None = None
    by_arrival: bool = False
    rate: float = 0.0


def parse_bridge(text: str, source: str, model: Model) -> tuple[Source, ...]:
    """Read a bridge file.

    Parameters
    ----------
    text : str
        The YAML.
    source : str
        Name of the file, for messages.
    model : Model
        Whose joints and linear actuators the names are.

    Raises
    ------
    ModelFileError
        Names the file, line and entry, and the expected and actual content.
    UnknownNameError
        If the model lacks a name.
    """
    document, lines = load_yaml(text, source)
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    faults = jsonschema.Draft7Validator(schema).iter_errors(document)
    for fault in sorted(faults, key=lambda fault: list(map(str, fault.path))):
        raise _error(fault, lines, source)
    reader = _Reader(lines, source, model)
    return tuple(reader.source(name, entry) for name, entry in document["sources"].items())


@dataclass
class _Reader:
    """Makes sources of a checked document."""

    lines: Lines
    file: str
    model: Model

    def __post_init__(self) -> None:
        lengths = tuple(actuator.name for actuator in self.model.mechanisms.linear_actuators)
        self._known = {"joints": self.model.joint_names, "actuators": lengths}
        self._taken: dict[str, str] = {}
        self._types: dict[str, str] = {}

    def source(self, name: str, given: Mapping[str, Any]) -> Source:
        stamp = given.get("stamp")
        entries = tuple(
            self._entry(("sources", name, kind, key), entry)
            for kind in KINDS
            for key, entry in given.get(kind, {}).items()
        )
        if not entries:
            raise self._fault(("sources", name), "expected joints or actuators, got neither")
        type_of = self._types.setdefault(given["topic"], given["type"])
        if type_of != given["type"]:
            raise self._fault(
                ("sources", name, "type"), f"expected {type_of}, as of the same topic above"
            )
        by_arrival = stamp == ARRIVAL
        path = (
            None if stamp is None or by_arrival else self._path(("sources", name), "stamp", stamp)
        )
        rate = float(given.get("rate", 0.0))
        return Source(name, given["topic"], given["type"], entries, path, by_arrival, rate)

    def _entry(self, place: tuple[str, str, str, str], given: Mapping[str, Any]) -> Entry:
        _, source, kind, name = place
        known = self._known[kind]
        if name not in known:
            noun = "joint" if kind == "joints" else "linear actuator"
            raise UnknownNameError(
                f"{self._where(place)}: '{self.model.name}' has no {noun} '{shown(name)}'"
                f"{choices(name, known)}"
            )
        other = self._taken.setdefault(name, source)
        if other != source:
            raise self._fault(place, f"expected one source, also read from '{shown(other)}'")
        smooths = "quantum" in given or "cutoff" in given
        if smooths and "velocity" in given:
            raise self._fault(place, "expected either a velocity or smoothing, got both")
        unit = given.get("unit", "")
        if unit == YAW and "velocity" in given:
            raise self._fault(place, "expected no velocity with the unit yaw, got one")
        sign = given.get("sign", 1)
        factor = sign * given.get("scale", 1.0) * UNITS.get(unit, 1.0)
        numbers = {
            "factor": float(factor),
            "offset": float(given.get("offset", 0.0)),
            "quantum": abs(factor) * given.get("quantum", 0.0),
            "cutoff": float(given.get("cutoff", DEFAULT_CUTOFF)) if smooths else 0.0,
        }
        if not all(map(math.isfinite, numbers.values())) or not numbers["factor"]:
            raise self._fault(place, "expected finite numbers and a scale that is not zero")
        return Entry(
            name=name,
            is_length=kind == "actuators",
            field=self._path(place, "field", given["field"]),
            velocity=self._optional(place, "velocity", given),
            effort=self._optional(place, "effort", given),
            is_yaw=unit == YAW,
            sign=sign,
            **numbers,
        )

    def _optional(
        self, place: tuple[str, ...], key: str, given: Mapping[str, Any]
    ) -> FieldPath | None:
        return self._path(place, key, given[key]) if key in given else None

    def _path(self, place: tuple[str, ...], key: str, text: str) -> FieldPath:
        try:
            return FieldPath(text)
        except FieldPathError as error:
            raise self._fault((*place, key), str(error)) from None

    def _where(self, place: Sequence[Key]) -> str:
        dotted = ".".join(shown(str(key)) for key in place)
        return f"{self.file}, line {line_of(place, self.lines)}: {dotted}"

    def _fault(self, place: Sequence[Key], text: str) -> ModelFileError:
        return ModelFileError(f"{self._where(place)}: {text}")


def _error(fault: Any, lines: Lines, source: str) -> ModelFileError:
    """Return the error for a violation of the schema."""
    path = list(fault.absolute_path)
    place = ".".join(shown(str(key)) for key in path) or "top level"
    if fault.validator == "additionalProperties":
        known = sorted(fault.schema.get("properties", {}))
        unknown = next(key for key in fault.instance if key not in known)
        line = line_of([*path, unknown], lines)
        text = f"unknown key '{shown(unknown)}'{choices(unknown, known)}"
        return ModelFileError(f"{source}, line {line}: {place}: {text}")
    message = fault.message  # begins with the value, ends with the fault
    if len(message) > 3 * LONGEST:
        message = f"{message[:LONGEST]}...{message[-LONGEST:]}"
    return ModelFileError(f"{source}, line {line_of(path, lines)}: {place}: {message}")
