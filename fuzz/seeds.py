# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the fuzzer starts from: the package's own files whole and in parts, and their words."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import numpy as np
import yaml

from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.description.mechanisms.mechanisms_file import file_schema
from charmie_dynamics.model.description.urdf_form import GRAMMAR, JOINT_TYPES
from charmie_dynamics.model.description.world.world_file import ENTITY, world_schema
from charmie_dynamics.model.model import DEFAULT_MECHANISMS, DEFAULT_URDF
from charmie_dynamics.model.reading import load_model
from charmie_dynamics.studies.design.study_file import METHODS, study_schema
from charmie_dynamics.studies.sizing.drive_table import GEAR_KEYS, MOTOR_KEYS

MOTION = 3  # messages of each topic in a seed

NUMBERS = (
    *("0", "-0", "1", "-1", "0.5", "3.14159", "1e-3", "1e30", "1e31", "-1e308", "1e-320", "1e400"),
    *("nan", "inf", "-inf", "1_0", "0x10", "010", "1:30", "1,5", "", "9" * 400),
)
XML = (
    *(
        "<!DOCTYPE r [",
        '<!ENTITY a "b">',
        "&a;",
        "&#65;",
        "&#0;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
    ),
    *(
        "<?xml version='1.0' encoding='UTF-16'?>",
        "\ufeff",
        "xmlns:xacro",
        "xacro:macro",
        "/>",
        "</",
    ),
    *("name", "type", "link", "xyz", "rpy", "value", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    *("lower", "upper", "effort", "velocity", "multiplier", "offset", "rgba", "size", "radius"),
    *("length", "filename", "scale", "version", "quat_xyzw"),
)
YAML = (
    *(
        "&a ",
        "*a",
        "<<: ",
        "!!float ",
        "!!binary ",
        "? ",
        "- ",
        ": ",
        "|\n",
        ">\n",
        "---\n",
        "...\n",
    ),
    *(
        "%YAML 1.1\n",
        ".nan",
        ".inf",
        "-.inf",
        "null",
        "~",
        "true",
        "on",
        "2024-13-45",
        "\t",
        "\ufeff",
    ),
)


WORLD_OF_SHAPES = """
world: shapes
gravity: [0, 0, -9.81]
contact_slots: 20
materials: {steel: {young: 2.1e11, poisson: 0.3}}
contacts:
  default: {normal: flores, stiffness: 1.0e6, exponent: 1.5, restitution: 0.7,
            friction: bengisu_akay, kinetic: 0.5, static: 0.6, v0: 0.01}
  pairs:
    - {between: [ball, ground], normal: hertz}
entities:
  ground: {shape: plane, material: steel}
  ball: {shape: sphere, size: [0.05], mass: 1.0, material: steel, pose: [0, 0, 0.5, 0, 0, 0],
         twist: [0, 0, -1, 0, 0, 0], moves: free}
  crate: {shape: box, size: [0.1, 0.2, 0.3], mass: 2.0, pose: [1, 0, 0.5, 0.1, 0, 0]}
  can: {shape: cylinder, size: [0.03, 0.1], mass: 0.4, pose: [2, 0, 0.5, 0, 0, 0]}
"""
WORLD_OF_ROBOTS = """
entities:
  arm: {urdf: scara, pose: [0, 0, 1, 0, 0, 0], position: {joint_1: 0.2}}
  pin: {shape: capsule, size: [0.03, 0.1], mass: 0.4, moves: free}
"""
STUDY = """
study: all of it
seed: 1
variables:
  k: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}
  m: {path: inertials.head.mass, steps: [1, 2, 3]}
  lift: {paths: {balance_mechanisms.lift_balance_left.stiffness: 2,
                 balance_mechanisms.lift_balance_right.stiffness: 1}, bounds: [10, 1000]}
  part: {list: {springs.torso_spring.free_length: [0.17, 0.18], wire: [0.001, 0.002]}}
motions:
  wave: {named: wave, rate: 5, duration: 2}
  any: {random: 3, duration: 2, rate: 5, static: true, actuators: [torso_actuator]}
objectives:
  torso: {peak: torso_actuator, weight: 2, motions: [any]}
  size: {size: torso_actuator, overload: 2}
  work: {energy: lift_actuator, recovered: 0.5}
  stress: {spring_stress: torso_spring, wire: part.wire, coil: 0.01}
  margin: {margin: true, maximise: true}
  mass: {mass: true, besides: 1}
constraints:
  tension: {spring_tension: torso_spring, min: 1, max: 600}
  longest: {longest: torso_actuator, max: 1}
methods: [grid, {local: 2}, {global: {population: 7}}]
"""
DRIVES = """
motors:
  m1: {rated_torque: 0.1, peak_torque: 0.3, rated_speed: 300, max_speed: 600, mass: 0.2,
       rotor_inertia: 1.0e-5, cost: 20}
gears:
  g50: {ratio: 50, efficiency: 0.8, rated_effort: 5, peak_effort: 20, max_input_speed: 500}
  screw: {lead: 0.002, efficiency: 0.6, inertia: 1.0e-6, mass: 0.1, cost: 10}
"""
CONTACTS_KEYS = (
    *("default", "pairs", "between", "normal", "stiffness", "damping", "exponent", "restitution"),
    *("friction", "kinetic", "static", "v0", "v1", "xi", "young", "poisson", "hooke", "hertz"),
    *("kelvin_voigt", "calibrated", "coulomb", "threlfall", "ambrosio", "none"),
)


def seeds(name: str) -> Iterator[bytes]:
    """Yield the inputs that the harness of that name starts from."""
    yield from _SEEDS[name]()


def words(name: str) -> list[str]:
    """Return what the fuzzer may put into an input of the harness of that name."""
    if name == "urdf":
        read = {tag for group in GRAMMAR.values() for part in group for tag in part}
        tags = sorted(read | set(GRAMMAR))
        return [*NUMBERS, *XML, *JOINT_TYPES, *(f"<{tag}>" for tag in tags), *tags]
    if name == "mechanisms":
        schema = file_schema()
        groups = [schema, *schema["definitions"].values()]
        keys = sorted({key for group in groups for key in group.get("properties", {})})
        model = load_model()
        return [*NUMBERS, *YAML, *keys, *model.joint_names, *model.flat.body_names]
    if name == "world":
        groups = [world_schema()["properties"], ENTITY["properties"], CONTACTS_KEYS]
        return [*NUMBERS, *YAML, *sorted({key for group in groups for key in group})]
    if name == "study":
        sections = study_schema()["properties"]
        groups = [sections, *(_entries(part) for part in sections.values()), METHODS]
        return [*NUMBERS, *YAML, *sorted({key for group in groups for key in group})]
    if name == "drives":
        return [*NUMBERS, *YAML, "motors", "gears", *MOTOR_KEYS, *GEAR_KEYS]
    return []


def _entries(section: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of the entries of a section."""
    entry = section.get("additionalProperties", {})
    found: dict[str, Any] = entry.get("properties", {}) if isinstance(entry, dict) else {}
    return found


def _worlds() -> Iterator[bytes]:
    yield from (text.encode() for text in (WORLD_OF_SHAPES, WORLD_OF_ROBOTS))


def _studies() -> Iterator[bytes]:
    yield STUDY.encode()
    document = yaml.safe_load(STUDY)
    for key, objective in document["objectives"].items():
        yield yaml.safe_dump({**document, "objectives": {key: objective}}).encode()


def _drives() -> Iterator[bytes]:
    yield DRIVES.encode()


def _robots() -> Iterator[bytes]:
    text = share_file(*DEFAULT_URDF).read_text(encoding="utf-8")
    yield text.encode()
    robot = ElementTree.fromstring(text)
    links = {link.get("name"): link for link in robot.iterfind("link")}
    for joint in robot.iterfind("joint"):
        part = ElementTree.Element("robot", name="part")
        for role in ("parent", "child"):
            end = joint.find(role)
            if end is not None:
                part.append(links[end.get("link")])
        part.append(joint)
        yield ElementTree.tostring(part)


def _mechanisms() -> Iterator[bytes]:
    text = share_file(*DEFAULT_MECHANISMS).read_text(encoding="utf-8")
    yield text.encode()
    document = yaml.safe_load(text)
    for key, value in document.items():
        yield yaml.safe_dump({key: value}).encode()
        if isinstance(value, dict):
            for name, entry in value.items():
                yield yaml.safe_dump({key: {name: entry}}).encode()


def joint_state(
    names: tuple[str, ...], position: np.ndarray, velocity: np.ndarray, stamp: tuple[int, int]
) -> bytes:
    """Return a joint state without efforts as it is on the wire."""
    body = struct.pack("<iI", *stamp)

    def number(value: int) -> None:
        nonlocal body
        body += bytes(-len(body) % 4) + struct.pack("<I", value)

    def text(value: str) -> None:
        nonlocal body
        number(len(value) + 1)
        body += value.encode() + b"\0"

    text("")
    number(len(names))
    for name in names:
        text(name)
    for values in (position, velocity, np.empty(0)):
        number(len(values))
        if len(values):
            body += bytes(-len(body) % 8) + values.astype("<f8").tobytes()
    return b"\x00\x01\x00\x00" + body


def pack(topic: int, milliseconds: int, message: bytes) -> bytes:
    """Return a message as the harness takes it: topic, time since the last one, length, bytes."""
    return struct.pack("<BHH", topic, milliseconds, len(message)) + message


def _messages() -> Iterator[bytes]:
    model = load_model()
    driven = [actuator.name for actuator in model.mechanisms.linear_actuators]
    zero = model.zero_position()
    lengths = tuple(driven)
    at = zero[[model.actuator_names.index(name) for name in driven]]
    joints = tuple(name for name in model.actuator_names if name not in driven)
    for velocity in (np.empty(0), np.zeros(len(joints))):
        data = b""
        for k in range(MOTION):
            stamp = (100, 10_000_000 * (k + 1))
            data += pack(1, 5, joint_state(lengths, at + 0.001 * k, np.empty(0), stamp))
            data += pack(0, 5, joint_state(joints, np.full(len(joints), 0.01 * k), velocity, stamp))
        yield data
    every = joint_state(model.joint_names, np.zeros(len(zero)), np.empty(0), (100, 0))
    yield pack(0, 10, every)
    for name in model.joint_names:
        yield pack(0, 10, joint_state((name,), np.array([0.1]), np.array([0.2]), (100, 0)))


_SEEDS = {
    "urdf": _robots,
    "mechanisms": _mechanisms,
    "messages": _messages,
    "world": _worlds,
    "study": _studies,
    "drives": _drives,
}
