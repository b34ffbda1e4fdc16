# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 1: read a mechanisms file (YAML) into a `MechanismSet`, checked against its schema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np

from charmie_dynamics.errors import ModelFileError, shown
from charmie_dynamics.numerics.polygon import support_polygon

from ..names import LONGEST_NAME, MOST_POINTS, POINT_NAME
from ..robot import JointFriction, JointRelation, Roller, Rotor, TrackedPoint, Vector3
from ..schema_faults import describe, require_finite
from ..yaml_document import Lines, line_of, load_yaml
from .linear_actuators import LinearActuator
from .mechanism import NAME, Mechanism
from .mechanism_set import MechanismSet
from .sections import SECTIONS

SCHEMA_FILE = Path(__file__).parents[1] / "mechanisms.schema.json"  # without the mechanisms


def file_schema() -> dict[str, Any]:
    """Return the JSON schema of a mechanisms file, with the sections of all types of mechanisms."""
    schema: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    schema["definitions"]["name"]["maxLength"] = LONGEST_NAME
    points = schema["properties"]["tracked_points"]
    points["propertyNames"] = {"pattern": POINT_NAME}
    points["maxProperties"] = MOST_POINTS
    for section, kind in SECTIONS.items():
        schema["definitions"][section] = kind.schema
        entries = {"$ref": f"#/definitions/{section}"}
        schema["properties"][section] = {
            "type": "object",
            "propertyNames": NAME,
            "additionalProperties": entries,
        }
    return schema


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
        Names of bodies and joints are not yet checked against a tree.

    Raises
    ------
    ModelFileError
        Naming file, line, entry, the expected and the actual value.
    """
    document, lines = load_yaml(text, source)
    validator = jsonschema.Draft7Validator(file_schema())
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        raise ModelFileError(describe(error, lines, source))
    require_finite(document, (), lines, source)
    contact = document.get("contact", {})
    _require_distinct_names(document, lines, source)
    parts: dict[str, Any] = {
        section: tuple(_read(section, kind, document, lines, source))
        for section, kind in SECTIONS.items()
    }
    _require_shares(parts["linear_actuators"], lines, source)
    return MechanismSet(
        gravity=_vector3(document.get("gravity", MechanismSet.gravity)),
        base_body=document.get("base_body", ""),
        base_joints=tuple(document.get("base_joints", ())),
        passive_joints=tuple(document.get("passive_joints", ())),
        rest_pose={name: float(x) for name, x in document.get("rest_pose", {}).items()},
        wheel_contacts=_wheel_contacts(document.get("wheel_contacts", ()), lines, source),
        rollers=_rollers(document.get("rollers", {}), lines, source),
        payload_links=dict(document.get("payload_links", {})),
        joint_groups={k: tuple(names) for k, names in document.get("joint_groups", {}).items()},
        grippers=dict(document.get("grippers", {})),
        tracked_points=tuple(
            TrackedPoint(name, entry["frame"], _vector3(entry.get("point", (0.0, 0.0, 0.0))))
            for name, entry in document.get("tracked_points", {}).items()
        ),
        friction={
            name: JointFriction(float(entry["viscous"]), float(entry["coulomb"]))
            for name, entry in document.get("friction", {}).items()
        },
        rotors={
            name: Rotor(float(entry["inertia"]), float(entry.get("gear_ratio", 1.0)))
            for name, entry in document.get("rotors", {}).items()
        },
        joint_relations={
            name: JointRelation(
                {joint: float(x) for joint, x in entry["coefficients"].items()},
                float(entry.get("constant", 0.0)),
            )
            for name, entry in document.get("joint_relations", {}).items()
        },
        contact_thresholds={name: float(x) for name, x in contact.get("thresholds", {}).items()},
        contact_share=float(contact.get("share_of_rated", math.inf)),
        sources=dict(document.get("sources", {})),
        **parts,
        lines=lines,
    )


def _require_distinct_names(document: Mapping[str, Any], lines: Lines, source: str) -> None:
    seen = set()
    for section in SECTIONS:
        for name in document.get(section, {}):
            if name in seen:
                line = line_of((section, name), lines)
                raise ModelFileError(
                    f"{source}, line {line}: the name '{shown(name)}' is used more than once among "
                    "linear actuators and mechanisms"
                )
            seen.add(name)


def _require_shares(parts: Sequence[LinearActuator], lines: Lines, source: str) -> None:
    """Refuse linear actuators of one joint whose shares do not add up to 1."""
    for joint in dict.fromkeys(part.joint for part in parts if part.joint):
        own = [part for part in parts if part.joint == joint]
        given = [part.share for part in own if part.share is not None]
        whole, is_open = sum(given), len(given) < len(own)
        if given and (whole >= 1.0 if is_open else not math.isclose(whole, 1.0, abs_tol=1e-6)):
            first = next(part.name for part in own if part.share is not None)
            names = ", ".join(f"'{shown(part.name)}'" for part in own)
            raise ModelFileError(
                f"{source}, line {line_of(('linear_actuators', first, 'share'), lines)}: share: "
                f"expected shares of the load of joint '{shown(joint)}' that add up to "
                f"{'less than 1, since one has none' if is_open else '1'}, got {whole:.6g} of "
                f"{names}; omit share for equal parts"
            )


def _read(
    section: str, kind: type[Mechanism], document: Mapping[str, Any], lines: Lines, source: str
) -> Iterator[Mechanism]:
    """Yield the mechanisms of a section."""
    for name, entry in document.get(section, {}).items():
        part = kind.read(name, entry)
        for key, message in part.faults():
            line = line_of((section, name, key), lines)
            raise ModelFileError(f"{source}, line {line}: {message}")
        yield part


def _vector3(values: Sequence[float]) -> Vector3:
    x, y, z = (float(value) for value in values)
    return x, y, z


def wheel_contacts_fault(points: Sequence[Vector3]) -> str:
    """Return the fault of points at which a robot touches the floor; empty if they are valid."""
    heights = sorted({z for _, _, z in points})
    if len(heights) > 1:
        return (
            f"expected points on one floor, at the same z, got z of {heights[0]} to {heights[-1]}"
        )
    if points and len(support_polygon(np.array(points))) < 3:
        return f"expected points that enclose an area, got {len(points)} in a line"
    return ""


def _wheel_contacts(
    entry: Sequence[Sequence[float]], lines: Lines, source: str
) -> tuple[Vector3, ...]:
    points = tuple(_vector3(point) for point in entry)
    fault = wheel_contacts_fault(points)
    if fault:
        line = line_of(("wheel_contacts",), lines)
        raise ModelFileError(f"{source}, line {line}: wheel_contacts: {fault}")
    return points


def _rollers(
    entries: Mapping[str, Mapping[str, Any]], lines: Lines, source: str
) -> dict[str, Roller]:
    rollers = {name: Roller(float(entry["angle"])) for name, entry in entries.items()}
    for name, roller in rollers.items():
        if roller.angle == 0.0:
            line = line_of(("rollers", name, "angle"), lines)
            raise ModelFileError(
                f"{source}, line {line}: rollers.{shown(name)}.angle: expected an angle other than "
                "0, at which the wheel could not drive"
            )
    return rollers
