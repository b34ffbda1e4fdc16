"""Step 1: read a mechanisms file (YAML) into a `MechanismSet`, checked against its schema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np

from charmie_dynamics.errors import LONGEST, ModelFileError, choices, shown
from charmie_dynamics.numerics.polygon import support_polygon

from .robot import (
    BalanceMechanism,
    JointFriction,
    Limit,
    LinearActuator,
    MechanismSet,
    Spring,
    Vector3,
)
from .xml_document import LARGEST_NUMBER
from .yaml_document import Key, Lines, line_of, load_yaml

SCHEMA_FILE = Path(__file__).with_name("mechanisms.schema.json")


def parse_mechanisms(text: str, source: str) -> MechanismSet:
    """Read a mechanisms file.

    Parameters
    ----------
    text : str
        The YAML.
    source : str
        Name of the file, for messages.

    Returns
    -------
    MechanismSet
        Names of bodies and joints are not yet held against a tree.

    Raises
    ------
    ModelFileError
        Naming file, line, entry, what was expected and what was found.
    """
    document, lines = load_yaml(text, source)
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(schema)
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        raise ModelFileError(_describe(error, lines, source))
    _require_finite(document, (), lines, source)
    actuators = document.get("linear_actuators", {})
    springs = document.get("springs", {})
    balances = document.get("balance_mechanisms", {})
    contact = document.get("contact", {})
    _require_distinct_names(actuators, springs, balances, lines=lines, source=source)
    return MechanismSet(
        gravity=_vector3(document.get("gravity", MechanismSet.gravity)),
        base_body=document.get("base_body", ""),
        base_joints=tuple(document.get("base_joints", ())),
        rest_pose={name: float(x) for name, x in document.get("rest_pose", {}).items()},
        wheel_contacts=_wheel_contacts(document.get("wheel_contacts", ()), lines, source),
        payload_links=dict(document.get("payload_links", {})),
        friction={
            name: JointFriction(float(entry["viscous"]), float(entry["coulomb"]))
            for name, entry in document.get("friction", {}).items()
        },
        contact_thresholds={name: float(x) for name, x in contact.get("thresholds", {}).items()},
        contact_share=float(contact.get("share_of_rated", math.inf)),
        sources=dict(document.get("sources", {})),
        linear_actuators=tuple(
            _linear_actuator(name, entry, lines, source) for name, entry in actuators.items()
        ),
        springs=tuple(_spring(name, entry) for name, entry in springs.items()),
        balance_mechanisms=tuple(
            _balance(name, entry, lines, source) for name, entry in balances.items()
        ),
        lines=lines,
    )


def _describe(error: Any, lines: Lines, source: str) -> str:
    path = list(error.absolute_path)
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = next(key for key in error.instance if key not in known)
        where = line_of([*path, unknown], lines)
        place = _dotted(path) or "top level"
        return (
            f"{source}, line {where}: {place}: unknown key '{shown(unknown)}'"
            f"{choices(unknown, known)}"
        )
    message = error.message  # begins with the value, ends with what is wrong
    if len(message) > 3 * LONGEST:
        message = f"{message[:LONGEST]}...{message[-LONGEST:]}"
    subject = _dotted(path) or "document"
    return f"{source}, line {line_of(path, lines)}: {subject}: {message}"


def _dotted(path: Iterable[Key]) -> str:
    return ".".join(shown(str(key)) for key in path)


def _require_finite(value: Any, path: tuple[Key, ...], lines: Lines, source: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _require_finite(item, (*path, key), lines, source)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _require_finite(item, (*path, index), lines, source)
    elif isinstance(value, float) and not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        raise ModelFileError(
            f"{source}, line {line_of(path, lines)}: {_dotted(path)}: expected a finite number of "
            f"magnitude up to {LARGEST_NUMBER:g}, got {value}"
        )


def _require_distinct_names(*groups: Mapping[str, Any], lines: Lines, source: str) -> None:
    seen = set()
    for group, title in zip(
        groups, ("linear_actuators", "springs", "balance_mechanisms"), strict=True
    ):
        for name in group:
            if name in seen:
                raise ModelFileError(
                    f"{source}, line {line_of((title, name), lines)}: the name '{shown(name)}' is "
                    "used more than once among actuators, springs and balance mechanisms"
                )
            seen.add(name)


def _vector3(values: Sequence[float]) -> Vector3:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _wheel_contacts(
    entry: Sequence[Sequence[float]], lines: Lines, source: str
) -> tuple[Vector3, ...]:
    points = tuple(_vector3(point) for point in entry)
    where = f"{source}, line {line_of(('wheel_contacts',), lines)}: wheel_contacts"
    heights = sorted({z for _, _, z in points})
    if len(heights) > 1:
        raise ModelFileError(
            f"{where}: expected points on one floor, at the same z, got z of {heights[0]} to "
            f"{heights[-1]}"
        )
    if points and len(support_polygon(np.array(points))) < 3:
        raise ModelFileError(
            f"{where}: expected points that enclose an area, got {len(points)} in a line"
        )
    return points


def _linear_actuator(
    name: str, entry: Mapping[str, Any], lines: Lines, source: str
) -> LinearActuator:
    lower, upper = (float(x) for x in entry.get("length_limits", (0.0, math.inf)))
    if not 0.0 <= lower < upper:
        line = line_of(("linear_actuators", name, "length_limits"), lines)
        raise ModelFileError(
            f"{source}, line {line}: length_limits of '{shown(name)}' must be 0 <= lower < upper, "
            f"got {lower} and {upper}"
        )
    return LinearActuator(
        name=name,
        joint=entry["joint"],
        base_body=entry["base_body"],
        base_point=_vector3(entry["base_point"]),
        tip_body=entry["tip_body"],
        tip_point=_vector3(entry["tip_point"]),
        limit=Limit(
            lower,
            upper,
            float(entry.get("effort_limit", math.inf)),
            float(entry.get("velocity_limit", math.inf)),
        ),
        branch=entry.get("branch", "upright"),
        reaction_share=float(entry.get("reaction_share", 0.0)),
    )


def _spring(name: str, entry: Mapping[str, Any]) -> Spring:
    return Spring(
        name=name,
        base_body=entry["base_body"],
        base_point=_vector3(entry["base_point"]),
        tip_body=entry["tip_body"],
        tip_point=_vector3(entry["tip_point"]),
        stiffness=float(entry["stiffness"]),
        free_length=float(entry["free_length"]),
        pretension=float(entry.get("pretension", 0.0)),
    )


def _balance(name: str, entry: Mapping[str, Any], lines: Lines, source: str) -> BalanceMechanism:
    if entry["spring_arm"] > entry["bar_length"]:
        line = line_of(("balance_mechanisms", name, "spring_arm"), lines)
        raise ModelFileError(
            f"{source}, line {line}: spring_arm of '{shown(name)}' must not exceed bar_length "
            f"{entry['bar_length']}, got {entry['spring_arm']}"
        )
    return BalanceMechanism(
        name=name,
        frame_body=entry["frame_body"],
        carried_body=entry["carried_body"],
        pivot=_vector3(entry["pivot"]),
        side=int(entry["side"]),
        bar_length=float(entry["bar_length"]),
        spring_arm=float(entry["spring_arm"]),
        link_height=float(entry["link_height"]),
        carried_point_z=float(entry["carried_point_z"]),
        spring_anchor=_vector3(entry["spring_anchor"]),
        stiffness=float(entry["stiffness"]),
        free_length=float(entry["free_length"]),
        pretension=float(entry.get("pretension", 0.0)),
        torque_share=float(entry.get("torque_share", 0.0)),
    )
