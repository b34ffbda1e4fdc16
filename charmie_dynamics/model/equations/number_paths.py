# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every number of a robot's files by its path, and the robot with others in their places.

The paths are those of the mechanisms file, ``springs.NAME.stiffness``, ``gravity[2]``,
``linear_actuators.NAME.base_point[1]``, ``friction.ACTUATOR.coulomb``, ``rotors.NAME.inertia``
(those of the URDF's transmissions, too), ``wheel_contacts[0][1]``, and of the URDF:
``inertials.LINK.mass``, ``.com[0]``, ``.inertia.xy`` (of the centre of mass, along the link's
axes), ``joints.JOINT.xyz[0]``, ``.rpy[2]``, ``.lower``, ``.upper``, ``.effort``, ``.velocity``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mechanisms.mechanism import Mechanism
from charmie_dynamics.model.description.robot import Inertial, Joint, Limit, Link, RobotTree
from charmie_dynamics.model.description.urdf import rotation_from_rpy, rpy_from_rotation

GRAVITY, INERTIALS, JOINTS = "gravity", "inertials", "joints"
FRICTION, ROTORS, WHEEL_CONTACTS = "friction", "rotors", "wheel_contacts"
INERTIA_AXES = {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1), "yz": (1, 2), "zz": (2, 2)}
LIMITS = tuple(field.name for field in fields(Limit))
# of a joint's `friction`, by the attributes of URDF's <dynamics>
DYNAMICS = {"damping": "viscous", "friction": "coulomb"}
_PATH = re.compile(
    r"(?P<section>[^.\[]+)(\.(?P<name>.+?)\.(?P<field>inertia\.[a-z]{2}|[^.\[]+))?"
    r"(\[(?P<row>[0-9]+)\](?=\[))?(\[(?P<place>[0-9]+)\])?"
)
# of a linear actuator's `limit`, by the keys of the file
LIMIT_KEYS = {
    ("length_limits", 0): "lower",
    ("length_limits", 1): "upper",
    ("effort_limit", None): "effort",
    ("velocity_limit", None): "velocity",
}
# of one entry of a file: field and place in it (None: the field is a number), and the new value
Changes = Mapping[tuple[str, int | None], float]


class NumberPath(NamedTuple):
    """A path in its parts; `place` is None where the field is a single number.

    `name` is the name of the entry in the section; in a list, its number.
    """

    section: str
    name: str
    field: str
    place: int | None


def numbers_by_path(tree: RobotTree, mechanisms: MechanismSet) -> dict[str, float]:
    """Return all numbers of a robot's files, by their paths.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.equations.number_paths import numbers_by_path
    >>> model = load_model()
    >>> numbers_by_path(model.tree, model.mechanisms)["springs.torso_spring.stiffness"]
    4200.0
    """
    found = {f"{GRAVITY}[{k}]": value for k, value in enumerate(mechanisms.gravity)}
    for row, point in enumerate(mechanisms.wheel_contacts):
        found.update({f"{WHEEL_CONTACTS}[{row}][{k}]": value for k, value in enumerate(point)})
    for section, part in mechanisms.parts():
        for path, value in _of_mechanism(part):
            found[f"{section}.{part.name}.{path}"] = value
    for name, friction in mechanisms.friction.items():
        for field in fields(friction):
            found[f"{FRICTION}.{name}.{field.name}"] = getattr(friction, field.name)
    for name, rotor in mechanisms.all_rotors(tree).items():
        for field in fields(rotor):
            found[f"{ROTORS}.{name}.{field.name}"] = getattr(rotor, field.name)
    for name, link in tree.links.items():
        if link.inertial is not None:
            for path, value in _of_inertial(link.inertial):
                found[f"{INERTIALS}.{name}.{path}"] = value
    for joint in tree.joints:
        for path, value in _of_joint(joint):
            found[f"{JOINTS}.{joint.name}.{path}"] = value
    return found


def path_of(tree: RobotTree, mechanisms: MechanismSet, path: str) -> NumberPath:
    """Return a path in its parts.

    Raises
    ------
    UnknownNameError
        If it leads to no number.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.equations.number_paths import path_of
    >>> model = load_model()
    >>> path_of(model.tree, model.mechanisms, "inertials.head.com[2]")
    NumberPath(section='inertials', name='head', field='com', place=2)
    """
    numbers = numbers_by_path(tree, mechanisms)
    if path not in numbers:
        raise UnknownNameError(f"number '{path}' is unknown{choices(path, numbers)}")
    return parsed(path)


def parsed(path: str) -> NumberPath:
    """Return a path that is known to lead to a number in its parts."""
    found = _PATH.fullmatch(path)
    if found is None:
        raise UnknownNameError(f"number '{path}' is no path such as springs.NAME.stiffness")
    section, name, field, row, place = found.group("section", "name", "field", "row", "place")
    place = None if place is None else int(place)
    return NumberPath(section, name or row or "", field or "", place)


def is_of_friction(path: NumberPath) -> bool:
    """Return whether a number is one of friction, in which efforts are linear."""
    return path.section == FRICTION or (path.section == JOINTS and path.field in DYNAMICS)


def with_numbers(
    tree: RobotTree, mechanisms: MechanismSet, values: Mapping[NumberPath, float]
) -> tuple[RobotTree, MechanismSet]:
    """Return a robot with other numbers in its files.

    Parameters
    ----------
    tree : RobotTree
    mechanisms : MechanismSet
    values : mapping of NumberPath to float
        By their paths, from `path_of`.

    Raises
    ------
    InputError
        For a value that is not finite.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.equations.number_paths import path_of, with_numbers
    >>> model = load_model()
    >>> stiffness = path_of(model.tree, model.mechanisms, "springs.torso_spring.stiffness")
    >>> _, mechanisms = with_numbers(model.tree, model.mechanisms, {stiffness: 2500.0})
    >>> mechanisms.springs[0].stiffness
    2500.0
    """
    by_entry: dict[tuple[str, str], dict[tuple[str, int | None], float]] = {}
    for (section, name, field, place), value in values.items():
        if not math.isfinite(value):
            path = ".".join(filter(None, (section, name, field)))
            raise InputError(f"number '{path}': expected a finite value, got {value}")
        by_entry.setdefault((section, name), {})[field, place] = float(value)
    links, joints = dict(tree.links), {joint.name: joint for joint in tree.joints}
    parts: dict[str, Any] = {}
    for (section, name), changes in by_entry.items():
        if section == GRAVITY:
            parts[section] = _replaced(mechanisms.gravity, changes)
        elif section == WHEEL_CONTACTS:
            points = list(parts.get(section, mechanisms.wheel_contacts))
            points[int(name)] = _replaced(points[int(name)], changes)
            parts[section] = tuple(points)
        elif section == FRICTION:
            of_section = dict(parts.get(section, mechanisms.friction))
            of_section[name] = replace(of_section[name], **{k: v for (k, _), v in changes.items()})
            parts[section] = of_section
        elif section == ROTORS:
            of_section = dict(parts.get(section, mechanisms.rotors))
            rotor = of_section.get(name) or tree.rotors[name]
            of_section[name] = replace(rotor, **{k: v for (k, _), v in changes.items()})
            parts[section] = of_section
        elif section == INERTIALS:
            links[name] = replace(links[name], inertial=_inertial_with(links[name], changes))
        elif section == JOINTS:
            joints[name] = _joint_with(joints[name], changes)
        else:
            shared = ("load_sharing",) if section == "linear_actuators" else ()
            for kind in (section, *shared):
                parts[kind] = tuple(
                    _mechanism_with(part, changes) if part.name == name else part
                    for part in parts.get(kind, getattr(mechanisms, kind))
                )
    if any(section in (INERTIALS, JOINTS) for section, _ in by_entry):
        tree = replace(tree, links=links, joints=tuple(joints.values()))
    return tree, replace(mechanisms, **parts) if parts else mechanisms


def _of_mechanism(part: Mechanism) -> Iterator[tuple[str, float]]:
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, float):
            yield field.name, value
        elif isinstance(value, tuple) and all(isinstance(entry, float) for entry in value):
            for k, entry in enumerate(value):
                yield f"{field.name}[{k}]", entry
        elif isinstance(value, Limit):
            for (key, place), own in LIMIT_KEYS.items():
                yield key if place is None else f"{key}[{place}]", getattr(value, own)


def _of_inertial(inertial: Inertial) -> Iterator[tuple[str, float]]:
    yield "mass", inertial.mass
    for k in range(3):
        yield f"com[{k}]", float(inertial.p_link_com[k])
    for axes, place in INERTIA_AXES.items():
        yield f"inertia.{axes}", float(inertial.inertia[place])


def _of_joint(joint: Joint) -> Iterator[tuple[str, float]]:
    for k in range(3):
        yield f"xyz[{k}]", float(joint.p_parent_joint[k])
    for k, angle in enumerate(rpy_from_rotation(joint.R_parent_joint)):
        yield f"rpy[{k}]", angle
    for name in LIMITS:
        yield name, getattr(joint.limit, name)
    if joint.friction is not None:
        for name, field in DYNAMICS.items():
            yield name, getattr(joint.friction, field)


def _replaced(values: Sequence[float], changes: Changes) -> tuple[float, ...]:
    new = list(values)
    for (_, place), value in changes.items():
        if place is not None:
            new[place] = value
    return tuple(new)


def _mechanism_with(part: Mechanism, changes: Changes) -> Mechanism:
    new: dict[str, Any] = {}
    for (field, place), value in changes.items():
        if (field, place) in LIMIT_KEYS:
            limit: Limit = new.get("limit") or getattr(part, "limit")  # noqa: B009 (of one type)
            new["limit"] = replace(limit, **{LIMIT_KEYS[field, place]: value})
        elif place is None:
            new[field] = value
        else:
            now = new.get(field, getattr(part, field))
            new[field] = (*now[:place], value, *now[place + 1 :])
    return replace(part, **new)


def _inertial_with(link: Link, changes: Changes) -> Inertial | None:
    if link.inertial is None:
        return None
    mass, com, inertia = link.inertial.mass, link.inertial.p_link_com, link.inertial.inertia
    com, inertia = com.copy(), inertia.copy()
    for (field, place), value in changes.items():
        if field == "mass":
            mass = value
        elif field == "com":
            com[place] = value
        else:
            i, j = INERTIA_AXES[field.rpartition(".")[2]]
            inertia[i, j] = inertia[j, i] = value
    return Inertial(mass, com, inertia)


def _joint_with(joint: Joint, changes: Changes) -> Joint:
    p, rpy = joint.p_parent_joint.copy(), list(rpy_from_rotation(joint.R_parent_joint))
    limits, dynamics = {}, {}
    turned = False
    for (field, place), value in changes.items():
        if field == "xyz":
            p[place] = value
        elif field == "rpy" and place is not None:
            rpy[place], turned = value, True
        elif field in DYNAMICS:
            dynamics[DYNAMICS[field]] = value
        else:
            limits[field] = value
    R = rotation_from_rpy(rpy) if turned else joint.R_parent_joint
    limit, friction = replace(joint.limit, **limits), joint.friction
    if friction is not None:
        friction = replace(friction, **dynamics)
    return replace(joint, p_parent_joint=p, R_parent_joint=R, limit=limit, friction=friction)
