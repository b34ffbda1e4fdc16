# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Read and check study files (YAML)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema

from charmie_dynamics.errors import CharmieError, InputError, ModelFileError, choices
from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.package_robots import model_files, study_file
from charmie_dynamics.model.description.schema_faults import describe, require_finite
from charmie_dynamics.model.description.yaml_document import Lines, line_of, load_yaml
from charmie_dynamics.model.equations.number_paths import numbers_by_path
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import read_model

from .evaluation import Evaluator
from .motion_entries import MOTION, POSITIVE, TEXT, motion_of_entry
from .quantities import KINDS, NOTHING, StudyQuantity
from .study import Constraint, MethodCall, Objective, Study, start_of
from .study_motion import StudyMotion
from .variables import DesignSpace, Variable
from .world_motion import WorldMotion

NUMBER = {"type": "number"}
NAMES = {"type": "array", "items": TEXT, "minItems": 1}
NUMBERS = {"type": "array", "items": NUMBER, "minItems": 1}
# numeric options of quantities
OPTION_RANGES: dict[str, dict[str, float]] = {
    "overload": {"exclusiveMinimum": 0},
    "wire": {"exclusiveMinimum": 0},
    "coil": {"exclusiveMinimum": 0},
    "recovered": {"minimum": 0, "maximum": 1},
}
# options with defaults by method; the first is the meaning of a bare number
METHODS: dict[str, dict[str, float]] = {
    "grid": {"points": 5},
    "latin_hypercube": {"samples": 256},
    "sobol": {"samples": 256},
    "sensitivity": {"samples": 256},
    "local": {"starts": 4, "iterations": 100},
    "global": {"generations": 60, "population": 15},
    "pareto": {"points": 21, "iterations": 100},
}


def study_schema() -> dict[str, Any]:
    """Return the JSON schema of a study file."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["variables", "motions", "objectives", "methods"],
        "properties": {
            "study": {**TEXT, "description": "name, for readers"},
            "urdf": {**TEXT, "description": "file, or name of a robot of the package"},
            "mechanisms": {**TEXT, "description": "file, or name of a robot of the package"},
            "seed": {"type": "integer", "minimum": 0, "description": "seed of all random numbers"},
            "variables": _named(VARIABLE),
            "motions": _named(MOTION),
            "objectives": _named(_quantity({
                "weight": {**POSITIVE, "description": "weight in a sum of objectives"},
                "maximise": {"type": "boolean", "description": "it is to become large"},
            })),
            "constraints": _named(_quantity({
                "min": {**NUMBER, "description": "smallest value"},
                "max": {**NUMBER, "description": "largest value"},
            })),
            "methods": {
                "type": "array", "minItems": 1,
                "items": {
                    "type": ["string", "object"], "minProperties": 1, "maxProperties": 1,
                    "description": f"one of {', '.join(METHODS)}, alone or with its options",
                },
            },
        },
    }  # fmt: skip


VARIABLE: dict[str, Any] = {
    "path": {**TEXT, "description": "path of the number in the robot's files"},
    "paths": {
        "description": "several that are tied: a list, or a mapping to factors",
        "anyOf": [NAMES, {"type": "object", "additionalProperties": NUMBER, "minProperties": 1}],
    },
    "bounds": {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2},
    "steps": {**NUMBERS, "description": "the only values that it may have"},
    "list": {
        "type": "object", "additionalProperties": NUMBERS, "minProperties": 1,
        "description": "columns of a list of parts, by path or name",
    },
}  # fmt: skip


def read_study(path: str | Path) -> Study:
    """Read a study file, or a study of the package by its name; see `parse_study`.

    Examples
    --------
    >>> from charmie_dynamics.studies import read_study
    >>> read_study("exact_torso").start.shape
    (7,)
    """
    file = study_file(path)
    return parse_study(read_text(file), str(path), file.parent)


def parse_study(text: str, source: str = "study", folder: Path | None = None) -> Study:
    """Read a study.

    Parameters
    ----------
    text : str
        The YAML.
    source : str
        Name of the file in messages.
    folder : Path, optional
        Base folder of the files of robots and recordings.

    Raises
    ------
    ModelFileError
        Names file, line, entry, the expected and the actual value.

    Examples
    --------
    >>> from charmie_dynamics.studies import parse_study
    >>> study = parse_study('''
    ... variables:
    ...   stiffness: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}
    ... motions: {wave: {named: wave}}
    ... objectives: {torso: {peak: torso_actuator}}
    ... methods: [local]
    ... ''')
    >>> study.start
    array([4200.])
    """
    document, lines = load_yaml(text, source)
    validator = jsonschema.Draft7Validator(study_schema())
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        raise ModelFileError(describe(error, lines, source))
    require_finite(document, (), lines, source)
    return _StudyReader(document, lines, source, folder).study(text)


class _StudyReader:
    """Reader of a document that satisfies the schema."""

    def __init__(
        self, document: Mapping[str, Any], lines: Lines, source: str, folder: Path | None
    ) -> None:
        self._document, self._lines, self._source = document, lines, source
        self._folder = folder

    def study(self, text: str) -> Study:
        document = self._document
        name = document.get("study", "study")
        robot = document.get("urdf"), document.get("mechanisms")
        model = read_model(*(self._found(given) for given in robot))
        numbers = numbers_by_path(model.tree, model.mechanisms)
        space = DesignSpace(
            tuple(
                self._guarded(self._variable, "variables", key, numbers)
                for key in document["variables"]
            )
        )
        self._require_single_paths(space)
        motions, worlds = self._motions(model)
        objectives = tuple(
            self._guarded(self._objective, "objectives", key) for key in document["objectives"]
        )
        if not objectives:
            raise InputError(f"study '{name}': expected at least one objective")
        constraints = tuple(
            self._guarded(self._constraint, "constraints", key)
            for key in document.get("constraints", {})
        )
        quantities = [part.quantity for part in (*objectives, *constraints)]
        evaluator = self._guarded(
            lambda *_: Evaluator(model, space, motions, quantities, worlds), "objectives", ""
        )
        return Study(
            name, text, evaluator, objectives, constraints,
            tuple(self._method(k) for k in range(len(document["methods"]))),
            int(document.get("seed", 0)), start_of(evaluator, numbers),
            self._mechanisms_text(robot),
        )  # fmt: skip

    def _mechanisms_text(self, robot: tuple[str | None, str | None]) -> str:
        urdf, mechanisms = (str(self._found(given) or "") for given in robot)
        path = model_files(urdf, mechanisms)[1]
        return "" if path is None else read_text(path)

    def _found(self, name: str | None) -> str | Path | None:
        """Return a path relative to the file's folder, or the name of a robot unchanged."""
        if not name or self._folder is None or not Path(name).suffix:
            return name
        return self._folder / name

    def _guarded(self, read: Callable[..., Any], section: str, key: str, *arguments: Any) -> Any:
        """Return the result of `read` for an entry; errors name the line."""
        try:
            return read(key, *arguments)
        except ModelFileError:
            raise
        except CharmieError as error:
            path = (section, key) if key else (section,)
            raise self._fault(str(error), *path) from None

    def _fault(self, message: str, *path: str | int) -> ModelFileError:
        line = line_of(path, self._lines)
        return ModelFileError(f"{self._source}, line {line}: {'.'.join(map(str, path))}: {message}")

    def _require_single_paths(self, space: DesignSpace) -> None:
        """Refuse a number that belongs to two variables."""
        setters: dict[str, str] = {}
        for variable in space.variables:
            for path in variable.factors:
                if path in setters:
                    raise self._fault(
                        f"'{path}' is set by '{setters[path]}', too; expected one variable for it",
                        "variables", variable.name,
                    )  # fmt: skip
                setters[path] = variable.name

    def _variable(self, key: str, numbers: Mapping[str, float]) -> Variable:
        entry = self._document["variables"][key]
        keys = [name for name in ("path", "paths", "list") if name in entry]
        if len(keys) != 1:
            raise self._fault(
                f"expected one of path, paths and list, got {' and '.join(keys) or 'none'}",
                "variables", key,
            )  # fmt: skip
        if "list" in entry:
            return self._listed(key, entry, numbers)
        factors = entry.get("paths", [entry.get("path")])
        if not isinstance(factors, dict):
            factors = dict.fromkeys(factors, 1.0)
        for path, factor in factors.items():
            if path not in numbers:
                raise self._fault(
                    f"'{path}' leads to no number of the robot{choices(path, numbers)}",
                    "variables", key,
                )  # fmt: skip
            if factor == 0.0:
                raise self._fault(f"'{path}': expected a factor other than 0", "variables", key)
        steps = tuple(float(value) for value in entry.get("steps", ()))
        if not steps and "bounds" not in entry:
            raise self._fault("expected bounds or steps", "variables", key)
        lower, upper = entry.get("bounds", (steps or (0.0,))[:1] + (steps or (0.0,))[-1:])
        factors = {path: float(factor) for path, factor in factors.items()}
        return Variable(key, factors, float(lower), float(upper), steps)

    def _listed(self, key: str, entry: Mapping[str, Any], numbers: Mapping[str, float]) -> Variable:
        for name in ("bounds", "steps"):
            if name in entry:
                raise self._fault(f"expected no {name} beside a list", "variables", key, name)
        columns = {name: tuple(map(float, column)) for name, column in entry["list"].items()}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) != 1:
            described = ", ".join(f"{name}: {count}" for name, count in lengths.items())
            raise self._fault(
                f"expected columns of one length, got {described}", "variables", key, "list"
            )
        paths = {name: 1.0 for name in columns if name in numbers}
        for name in columns:
            if name not in numbers and ("." in name or "[" in name):
                raise self._fault(
                    f"'{name}' leads to no number of the robot{choices(name, numbers)}",
                    "variables", key, "list",
                )  # fmt: skip
        if not paths:
            raise self._fault("expected a column that is a path of a number", "variables", key)
        rows = next(iter(lengths.values()))
        steps = tuple(float(row) for row in range(rows))
        return Variable(key, paths, 0.0, float(rows - 1), steps, columns)

    def _motions(self, model: Model) -> tuple[list[StudyMotion], list[WorldMotion]]:
        """Return the known motions, and those that are simulated for each candidate."""
        values = [
            self._guarded(motion_of_entry, "motions", key, entry, model, self._folder)
            for key, entry in self._document["motions"].items()
        ]
        return (
            [motion for motion in values if isinstance(motion, StudyMotion)],
            [motion for motion in values if isinstance(motion, WorldMotion)],
        )

    def _quantity(self, section: str, key: str, beside: tuple[str, ...]) -> StudyQuantity:
        entry = self._document[section][key]
        kinds = [name for name in entry if name in KINDS]
        if len(kinds) != 1:
            raise self._fault(
                f"expected one quantity ({', '.join(KINDS)}), got {' and '.join(kinds) or 'none'}",
                section, key,
            )  # fmt: skip
        kind = kinds[0]
        subject = entry[kind] if KINDS[kind].of != NOTHING else ""
        options = {
            name: value if isinstance(value, str) else float(value)
            for name, value in entry.items()
            if name not in (kind, "motions", *beside)
        }
        return StudyQuantity(key, kind, subject, options, tuple(entry.get("motions", ())))

    def _objective(self, key: str) -> Objective:
        entry = self._document["objectives"][key]
        quantity = self._quantity("objectives", key, ("weight", "maximise"))
        return Objective(quantity, float(entry.get("weight", 1.0)), entry.get("maximise", False))

    def _constraint(self, key: str) -> Constraint:
        entry = self._document["constraints"][key]
        if key in self._document["objectives"]:
            raise self._fault(
                "an objective has this name, too; expected another", "constraints", key
            )
        quantity = self._quantity("constraints", key, ("min", "max"))
        lower, upper = entry.get("min", -math.inf), entry.get("max", math.inf)
        if not ("min" in entry or "max" in entry) or lower > upper:
            raise self._fault(
                f"expected min, max or both with min <= max, got [{lower:g}, {upper:g}]",
                "constraints", key,
            )  # fmt: skip
        return Constraint(quantity, float(lower), float(upper))

    def _method(self, k: int) -> MethodCall:
        entry = self._document["methods"][k]
        ((name, value),) = ((entry, {}),) if isinstance(entry, str) else entry.items()
        if name not in METHODS:
            raise self._fault(f"'{name}' is no method{choices(name, METHODS)}", "methods", k)
        known = METHODS[name]
        options = value if isinstance(value, dict) else {next(iter(known)): value}
        for option, number in options.items():
            if option not in known:
                raise self._fault(
                    f"{name} has no option '{option}'{choices(str(option), known)}", "methods", k
                )
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                raise self._fault(
                    f"{name}: {option}: expected a whole number above 0, got {number}",
                    "methods", k,
                )  # fmt: skip
        return MethodCall(name, {**known, **options})


def _named(entry: dict[str, Any]) -> dict[str, Any]:
    properties = {"type": "object", "additionalProperties": False, "properties": entry}
    return {"type": "object", "additionalProperties": properties, "minProperties": 1}


def _quantity(beside: dict[str, Any]) -> dict[str, Any]:
    kinds: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for name, kind in KINDS.items():
        about = {"enum": [True]} if kind.of == NOTHING else TEXT
        kinds[name] = {**about, "description": kind.meaning}
        for option, (_, meaning) in kind.options.items():
            limits = OPTION_RANGES.get(option, {})
            options[option] = {"type": ["number", "string"], "description": meaning, **limits}
    motions = {**NAMES, "description": "motions that count (default: all)"}
    return {**kinds, **options, "motions": motions, **beside}
