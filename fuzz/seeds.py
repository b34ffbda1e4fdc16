# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the fuzzer starts from: the package's own files whole and in parts, and their words."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

import numpy as np
import yaml

from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.description.mechanisms.mechanisms_file import file_schema
from charmie_dynamics.model.description.urdf_form import GRAMMAR, JOINT_TYPES
from charmie_dynamics.model.model import DEFAULT_MECHANISMS, DEFAULT_URDF
from charmie_dynamics.model.reading import load_model

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


def seeds(name: str) -> Iterator[bytes]:
    """Yield the inputs that the harness of that name starts from."""
    yield from {"urdf": _robots, "mechanisms": _mechanisms, "messages": _messages}[name]()


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
    return []


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
    names: tuple[str, ...],
    position: np.ndarray,
    velocity: np.ndarray,
    stamp: tuple[int, int],
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
