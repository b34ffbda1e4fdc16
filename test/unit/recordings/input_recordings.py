# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bags with the inputs of the node, as `ros2 bag record` leaves them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from recordings import MCAP, START, STORES, StoragePlugin, Writer
from rosbags.rosbag2 import CompressionFormat, CompressionMode

from charmie_dynamics import Model
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.motions import make_motion

PERIOD = 10_000_000  # ns
DELAY = 300_000  # ns, from the stamp to the time of recording
KIND = "sensor_msgs/msg/JointState"
PUSH = "/external_wrench"


class Told(NamedTuple):
    """A message about a load."""

    topic: str
    type: str
    arrival: int
    data: bytes


def inertia(
    topic: str, arrival: int, mass: float, com: tuple[float, ...] = (0.0, 0.0, 0.0),
    frame: str = "", stamp: int | None = None,
) -> Told:  # fmt: skip
    """A body without inertia about its centre of mass, stamped when it comes unless told else."""
    types, kind = STORES.types, "geometry_msgs/msg/InertiaStamped"
    body = types["geometry_msgs/msg/Inertia"](
        m=mass, com=types["geometry_msgs/msg/Vector3"](*com), ixx=0.0, ixy=0.0, ixz=0.0,
        iyy=0.0, iyz=0.0, izz=0.0,
    )  # fmt: skip
    built = types[kind](header=header_of(arrival if stamp is None else stamp, frame), inertia=body)
    return Told(topic, kind, arrival, bytes(STORES.serialize_cdr(built, kind)))


def wrench(arrival: int, frame: str, force: tuple[float, ...], topic: str = PUSH) -> Told:
    types, kind = STORES.types, "geometry_msgs/msg/WrenchStamped"
    vector = types["geometry_msgs/msg/Vector3"]
    pushed = types["geometry_msgs/msg/Wrench"](force=vector(*force), torque=vector(0.0, 0.0, 0.0))
    built = types[kind](header=header_of(arrival, frame), wrench=pushed)
    return Told(topic, kind, arrival, bytes(STORES.serialize_cdr(built, kind)))


def before(sample: int) -> int:
    """Return a time of recording shortly before that of a sample's lengths."""
    return START + sample * PERIOD + DELAY - 50_000


def wave(model: Model, samples: int, period: int = PERIOD) -> tuple[np.ndarray, ...]:
    """Position, velocity, acceleration (n, q) of the motion `wave`."""
    motion = make_motion("wave", model)
    rows = [motion.at(k * period * 1e-9) for k in range(samples)]
    return tuple(np.array(values) for values in zip(*rows, strict=True))


def message(
    names: Collection[str],
    position: np.ndarray,
    velocity: np.ndarray | None,
    stamp: int,
    effort: np.ndarray | None = None,
) -> bytes:
    types, nothing = STORES.types, np.empty(0)
    built = types[KIND](
        header=header_of(stamp),
        name=list(names),
        position=position,
        velocity=nothing if velocity is None else velocity,
        effort=nothing if effort is None else effort,
    )
    return bytes(STORES.serialize_cdr(built, KIND))


def header_of(stamp: int, frame: str = "") -> Any:
    seconds, nanoseconds = divmod(stamp, 1_000_000_000)
    time = STORES.types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=nanoseconds)
    return STORES.types["std_msgs/msg/Header"](stamp=time, frame_id=frame)


def write_inputs(
    folder: Path,
    model: Model,
    samples: int = 250,
    *,
    storage: StoragePlugin = MCAP,
    namespace: str = "",
    without: Collection[str] = (),
    with_velocity: bool = True,
    effort: float | np.ndarray | None = None,
    stamps: Collection[int] | None = None,
    compressed: bool = False,
    told: Collection[Told] = (),
    urdf: str = "charmie.urdf",
) -> Path:
    """Write `wave`: lengths, then joints with the same stamp, the URDF, and what is told.

    Efforts are one for all, or those of each sample and actuator.
    """
    position, velocity, _ = wave(model, samples)
    measured = np.broadcast_to(np.nan if effort is None else effort, position.shape)
    linear = {actuator.name for actuator in model.mechanisms.linear_actuators}
    columns = {
        ACTUATOR_LENGTHS: [i for i, n in enumerate(model.actuator_names) if n in linear],
        JOINT_STATES: [i for i, n in enumerate(model.actuator_names) if n not in linear],
    }
    order = stamps if stamps is not None else [START + k * PERIOD for k in range(samples)]
    prefix = f"/{namespace}/" if namespace else "/"
    writer = Writer(folder, version=8, storage_plugin=storage)
    if compressed:
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        connections: dict[str, Any] = {
            topic: writer.add_connection(prefix + topic, KIND, typestore=STORES)
            for topic in columns
            if topic not in without
        }
        text = "std_msgs/msg/String"
        if "robot_description" not in without:
            described = writer.add_connection(prefix + "robot_description", text, typestore=STORES)
            description = STORES.types[text](data=share_file("urdf", urdf).read_text())
            writer.write(described, START, bytes(STORES.serialize_cdr(description, text)))
        for each in told:
            if each.topic not in connections:
                connections[each.topic] = writer.add_connection(
                    each.topic, each.type, typestore=STORES
                )
            writer.write(connections[each.topic], each.arrival, each.data)
        for k, stamp in enumerate(order):
            for place, (topic, some) in enumerate(columns.items()):
                if topic in without:
                    continue
                names = [model.actuator_names[i] for i in some]
                speeds = velocity[k, some] if with_velocity else None
                efforts = None if effort is None else measured[k, some]
                data = message(names, position[k, some], speeds, stamp, efforts)
                arrival = START + k * PERIOD + DELAY + 100_000 * place
                writer.write(connections[topic], arrival, data)
    return folder
