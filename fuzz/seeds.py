# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the fuzzer starts from: the package's own files whole and in parts, and their words."""

import re
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import yaml
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.model import DEFAULT_MECHANISMS, DEFAULT_URDF
from charmie_dynamics.model.reading import load_model

HERE = Path(__file__).resolve().parent
WORD = re.compile(rb"[A-Za-z_]\w{2,40}")


def seeds(name: str) -> Iterator[bytes]:
    """Yield the inputs that the harness of that name starts from."""
    own = {"urdf": _robots, "mechanisms": _mechanisms, "messages": _messages}
    if name in own:
        yield from own[name]()
    for path in sorted((HERE / "corpus" / name).glob("*.yaml")):
        yield path.read_bytes()
        yield from _parts(yaml.safe_load(path.read_text(encoding="utf-8")))


def dictionary(first: Sequence[bytes]) -> str:
    """Return what a mutation may put in, in libFuzzer's form: fixed words and those of seeds."""
    found = sorted({word.decode() for seed in first for word in WORD.findall(seed)})
    fixed = (HERE / "words.dict").read_text(encoding="utf-8")
    return fixed + "".join(f'"{word}"\n' for word in found)


def _parts(document: dict[str, object]) -> Iterator[bytes]:
    for key, value in document.items():
        yield yaml.safe_dump({key: value}).encode()
        if isinstance(value, dict):
            for name, entry in value.items():
                yield yaml.safe_dump({**document, key: {name: entry}}).encode()


def _robots() -> Iterator[bytes]:
    text = share_file(*DEFAULT_URDF).read_text(encoding="utf-8")
    yield text.encode()
    robot = ElementTree.fromstring(text)
    links = {link.get("name"): link for link in robot.iterfind("link")}
    for joint in robot.iterfind("joint"):
        part = ElementTree.Element("robot", name="part")
        part.extend(links[joint.find(role).get("link")] for role in ("parent", "child"))  # type: ignore[union-attr]
        part.append(joint)
        yield ElementTree.tostring(part)


def _mechanisms() -> Iterator[bytes]:
    text = share_file(*(DEFAULT_MECHANISMS or ())).read_text(encoding="utf-8")
    yield text.encode()
    yield from _parts(yaml.safe_load(text))


def message(topic: int, names: Sequence[str], values: Sequence[np.ndarray], time: int) -> bytes:
    """Return a joint state at a time (ns) as the harness takes it: topic, 5 ms, length, bytes."""
    fields = dict(zip(("position", "velocity"), (v.tolist() for v in values), strict=False))
    state = JointState(name=list(names), **fields)
    state.header.stamp.sec, state.header.stamp.nanosec = divmod(time, 10**9)
    data = bytes(serialize_message(state))
    return struct.pack("<BHH", topic, 5, len(data)) + data


def _messages() -> Iterator[bytes]:
    model, start = load_model(), 100 * 10**9
    driven = [actuator.name for actuator in model.mechanisms.linear_actuators]
    zero = model.zero_position()
    at = zero[[model.actuator_names.index(name) for name in driven]]
    joints = [name for name in model.actuator_names if name not in driven]
    for velocity in ([], [np.zeros(len(joints))]):
        data = b""
        for k in range(3):
            time = start + 10**7 * (k + 1)
            data += message(1, driven, [at + 0.001 * k], time)
            data += message(0, joints, [np.full(len(joints), 0.01 * k), *velocity], time)
        yield data
    yield message(0, model.joint_names, [np.zeros(len(zero))], start)
    for name in model.joint_names:
        yield message(0, (name,), [np.array([0.1]), np.array([0.2])], start)
