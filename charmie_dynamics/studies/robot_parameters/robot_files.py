# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Write the files of a robot with other numbers; comments and other content are kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
import yaml

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.robot import Joint, Link, RobotTree, Rotor
from charmie_dynamics.model.description.urdf import rpy_from_rotation
from charmie_dynamics.model.equations.number_paths import (
    DYNAMICS,
    FRICTION,
    INERTIA_AXES,
    INERTIALS,
    JOINTS,
    ROTORS,
    parsed,
    path_of,
    with_numbers,
)

LOOP_JOINTS, LINEAR_ACTUATORS = "loop_joints", "linear_actuators"
# links of a linear actuator: the end of the name, the key of the file, and its direction along x
SOLIDS = (("_barrel", "barrel", 1.0), ("_piston", "rod", -1.0))
ACROSS = ("inertia.yy", "inertia.zz")  # `inertia` of a barrel or a rod
SYMMETRIC = 1e-9  # relative difference of the inertias of a barrel or rod
DIGITS = 12  # of a number: more than any measurement, and short for round values


def rewritten_mechanisms(
    text: str, numbers: Mapping[str, float], source: str = "", tree: RobotTree | None = None
) -> str:
    """Return the text of a mechanisms file with other numbers.

    Parameters
    ----------
    text : str
        The YAML.
    numbers : mapping of str to float
        By their paths, see `number_paths`; those of the URDF are ignored.
    source : str
        Value of ``source`` in changed entries; empty: unchanged.
    tree : RobotTree, optional
        Rotors of its transmissions become entries of the file if they change.

    Raises
    ------
    ModelFileError
        If the file has no entry for a number.

    Examples
    --------
    >>> from charmie_dynamics.studies.robot_parameters.robot_files import rewritten_mechanisms
    >>> text = "springs: {coil: {stiffness: 100.0}}  # soft"
    >>> rewritten_mechanisms(text, {"springs.coil.stiffness": 250.0})
    'springs: {coil: {stiffness: 250.0}}  # soft'
    """
    document = yaml.safe_load(text) or {}
    loops = document.get(LOOP_JOINTS) or {}
    added = {joint.name for joint in tree.joints if joint.name in loops} if tree else set()
    elsewhere = {} if tree is None else numbers_outside_urdf(tree, numbers)
    actuators = document.get(LINEAR_ACTUATORS) or {}
    for keys, value, path in _of_cylinders(elsewhere, actuators, loops):
        text = with_scalar(text, [LINEAR_ACTUATORS, *keys], _written(value), path)
    for path, value in numbers.items():
        section, name, field, place = parsed(path)
        if section == JOINTS and name in loops:  # a joint of the tree that this file adds
            section, field = _place_of_added(field, path)
        elif section in (INERTIALS, JOINTS):
            continue
        elif section == LOOP_JOINTS and name in added and field == "first_point":
            raise ModelFileError(
                f"number '{path}': expected '{JOINTS}.{name}.xyz', since this loop joint is a "
                "joint of the tree"
            )
        if section == ROTORS and tree is not None and name in tree.rotors:
            text = _with_rotor(text, name, tree.rotors[name])
        entry: list[str | int] = [section]
        if name:
            entry.append(int(name) if name.isdigit() and not field else name)
        if field:
            entry.append(field)
        if place is not None:
            entry.append(place)
        text = with_scalar(text, entry, _written(value), path)
        if source and field:
            text = with_scalar(text, [section, name, "source"], source, path)
    return text


def numbers_outside_urdf(tree: RobotTree, numbers: Mapping[str, float]) -> dict[str, float]:
    """Return the numbers of links and joints that are not in the URDF of a tree, by their paths."""
    elements = ElementTree.fromstring(tree.urdf) if tree.urdf else ()
    known = {(element.tag, element.get("name", "")) for element in elements}
    tags = {INERTIALS: "link", JOINTS: "joint"}
    return {
        path: value
        for path, value in numbers.items()
        for section, name, _, _ in (parsed(path),)
        if section in tags and (tags[section], name) not in known
    }


def _of_cylinders(
    numbers: Mapping[str, float], actuators: Mapping[str, Any], loops: Mapping[str, Any]
) -> Iterator[tuple[list[str | int], float, str]]:
    """Yield keys below `linear_actuators`, values and paths of the numbers of barrels and rods.

    Raises
    ------
    ModelFileError
        For a number that the file cannot hold.
    """
    for path, value in numbers.items():
        section, name, field, place = parsed(path)
        if section == JOINTS and name in loops:
            continue
        ends = [(end, key, sign) for end, key, sign in SOLIDS if name.endswith(end)]
        actuator = name[: -len(ends[0][0])] if ends else ""
        if section == JOINTS or actuator not in actuators:
            raise ModelFileError(
                f"number '{path}': neither the URDF nor the mechanisms file has it"
            )
        _, key, sign = ends[0]
        other = numbers.get(f"{INERTIALS}.{name}.{ACROSS[field == ACROSS[0]]}", np.nan)
        if field == "mass":
            yield [actuator, key, "mass"], value, path
        elif (field, place) == ("com", 0):
            yield [actuator, key, "center"], sign * value, path
        elif field in ACROSS and np.isclose(value, other, rtol=SYMMETRIC, atol=0.0):
            yield [actuator, key, "inertia"], value, path
        elif value:
            raise ModelFileError(
                f"number '{path}': the {key} of a linear actuator is a body along the line of its "
                "pins, with the same inertia about both axes across it; write it as a link, with "
                "a loop joint at its pin"
            )


def _place_of_added(field: str, path: str) -> tuple[str, str]:
    """Return section and field of a number of a loop joint with a coordinate of its own."""
    if field in DYNAMICS:
        return FRICTION, DYNAMICS[field]
    if field == "xyz":
        return LOOP_JOINTS, "first_point"
    raise ModelFileError(f"number '{path}': the mechanisms file has no number for it")


def _with_rotor(text: str, name: str, rotor: Rotor) -> str:
    """Return a mechanisms file with an entry for a rotor, unchanged if it has one."""
    document = yaml.safe_load(text) or {}
    if name in (document.get(ROTORS) or {}):
        return text
    key, gear_ratio = json.dumps(name), _written(rotor.gear_ratio)
    entry = f"{{inertia: {_written(rotor.inertia)}, gear_ratio: {gear_ratio}}}"
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    if document.get(ROTORS):
        return _with_key(text, _child(node, ROTORS), key, entry)
    if document:
        return _with_key(text, node, ROTORS, f"{{{key}: {entry}}}")
    return f"{text}\n{ROTORS}: {{{key}: {entry}}}\n"


def rewritten_urdf(tree: RobotTree, numbers: Mapping[str, float]) -> str:
    """Return the text of a URDF with other numbers; those of a mechanisms file are ignored.

    Changed inertials are written along the axes of their links.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.description.urdf import parse_urdf
    >>> from charmie_dynamics.studies.robot_parameters.robot_files import rewritten_urdf
    >>> tree = load_model().tree
    >>> heavier = parse_urdf(rewritten_urdf(tree, {"inertials.head.mass": 2.5}), "heavier")
    >>> heavier.links["head"].inertial.mass
    2.5
    """
    values = {
        path_of(tree, MechanismSet(), path): value
        for path, value in numbers.items()
        if parsed(path).section in (INERTIALS, JOINTS)
    }
    if not values:
        return tree.urdf
    changed, _ = with_numbers(tree, MechanismSet(), values)
    document = ElementTree.fromstring(
        tree.urdf,
        parser=ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True)),
    )
    entries = {(path.section, path.name) for path in values}
    joints = {joint.name: joint for joint in changed.joints}
    for element in document:
        name = element.get("name", "")
        if element.tag == "link" and (INERTIALS, name) in entries:
            _write_inertial(element, changed.links[name])
        elif element.tag == "joint" and (JOINTS, name) in entries:
            _write_joint(element, joints[name])
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(document, encoding="unicode") + "\n"


def with_scalar(text: str, keys: list[str | int], value: str, path: str) -> str:
    """Return YAML with another scalar at a place; a missing key is added.

    Parameters
    ----------
    text : str
        The YAML.
    keys : list of str or int
        Path to the scalar.
    value : str
        Text of the scalar.
    path : str
        Name of the place in messages.

    Raises
    ------
    ModelFileError
        If the key cannot be added.
    """
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for depth, key in enumerate(keys):
        child = _child(node, key)
        if child is None:
            if depth == len(keys) - 1 and isinstance(node, yaml.MappingNode) and node.value:
                return _with_key(text, node, str(key), value)
            raise ModelFileError(
                f"number '{path}': the mechanisms file has no entry for it; expected one with "
                f"'{key}' under '{'.'.join(map(str, keys[:depth]))}'"
            )
        node = child
    return text[: node.start_mark.index] + value + text[node.end_mark.index :]


def _child(node: Any, key: str | int) -> Any:
    """Return the node of an entry; None if it is missing."""
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key]
    if isinstance(node, yaml.MappingNode):
        for name, child in node.value:
            if name.value == str(key):
                return child
    return None


def _with_key(text: str, node: yaml.MappingNode, key: str, value: str) -> str:
    """Return YAML with a further key in a mapping, after the first."""
    first, content = node.value[0]
    end = content.end_mark.index
    if node.flow_style:
        return f"{text[:end]}, {key}: {value}{text[end:]}"
    start = first.start_mark.index
    return f"{text[:start]}{key}: {value}\n{' ' * first.start_mark.column}{text[start:]}"


def _write_inertial(element: ElementTree.Element, link: Link) -> None:
    inertial, entry = link.inertial, element.find("inertial")
    if inertial is None or entry is None:
        return
    _origin(entry, inertial.p_link_com, (0.0, 0.0, 0.0))
    for tag, values in (
        ("mass", {"value": inertial.mass}),
        ("inertia", {f"i{axes}": inertial.inertia[place] for axes, place in INERTIA_AXES.items()}),
    ):
        node = entry.find(tag)
        if node is not None:
            for name, value in values.items():
                node.set(name, _written(float(value)))


def _write_joint(element: ElementTree.Element, joint: Joint) -> None:
    _origin(element, joint.p_parent_joint, rpy_from_rotation(joint.R_parent_joint))
    limit = element.find("limit")
    if limit is not None:
        for name in ("lower", "upper", "effort", "velocity"):
            value = getattr(joint.limit, name)
            if np.isfinite(value) and name in limit.attrib:
                limit.set(name, _written(value))


def _origin(element: ElementTree.Element, xyz: object, rpy: object) -> None:
    origin = element.find("origin")
    if origin is None:
        origin = ElementTree.Element("origin")
        origin.tail = element.text
        element.insert(0, origin)
    for name, values in (("xyz", xyz), ("rpy", rpy)):
        origin.set(name, " ".join(_written(float(value)) for value in np.asarray(values)))


def _written(value: float) -> str:
    """Return a number as text that YAML and XML read as a number."""
    text = f"{value:.{DIGITS}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{exponent}"
    return text if "." in text else f"{text}.0"
