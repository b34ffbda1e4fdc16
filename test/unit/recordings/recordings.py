# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bags as the recorder writes them, without ROS.

A test module that imports this is skipped, and the report says so, where rosbags, mcap or tqdm
is missing.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rosbags", reason="rosbags is missing, which reads and writes bags")
pytest.importorskip("mcap", reason="mcap is missing, which reads damaged bags")
pytest.importorskip("tqdm", reason="tqdm is missing, which shows progress")

from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from charmie_dynamics import Model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.stability import Support, zero_moment_point
from charmie_dynamics.motions import make_motion

STORES = get_typestore(Stores.ROS2_HUMBLE)
MCAP, SQLITE = StoragePlugin.MCAP, StoragePlugin.SQLITE3
START = 1_700_000_000_123_456_789  # ns
STEP = 250_000_000  # ns
SAMPLES = 21


def motion(model: Model, samples: int = SAMPLES) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration (n, q) of the motion `wave`."""
    wave = make_motion("wave", model)
    position, velocity, acceleration = zip(
        *(wave.at(k * STEP * 1e-9) for k in range(samples)), strict=True
    )
    return np.array(position), np.array(velocity), np.array(acceleration)


def header(k: int, frame: str = "") -> Any:
    types = STORES.types
    seconds, nanoseconds = divmod(START + k * STEP, 1_000_000_000)
    time = types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=nanoseconds)
    return types["std_msgs/msg/Header"](stamp=time, frame_id=frame)


def write_recording(
    folder: Path,
    model: Model,
    *,
    storage: StoragePlugin = MCAP,
    version: Any = 8,
    namespace: str = "",
    without: Collection[str] = ("stability",),
    urdf: str | None = None,
    effort: bool = True,
    samples: int = SAMPLES,
    order: Collection[int] | None = None,
) -> Path:
    """Write what the node publishes of `motion`; `without` names the topics that are left out."""
    with Writer(folder, version=version, storage_plugin=storage) as writer:
        add_recording(
            writer, model, namespace, without, urdf, effort, samples, order or range(samples)
        )
    return folder


def add_recording(
    writer: Writer,
    model: Model,
    namespace: str,
    without: Collection[str],
    urdf: str | None,
    effort: bool,
    samples: int,
    order: Collection[int],
) -> None:
    types = STORES.types
    batch = model.compute(*motion(model, samples))
    force, torque = batch.base_wrench
    support = Support.of(model)
    point = zero_moment_point(force, torque, support.height)
    vector = types["geometry_msgs/msg/Vector3"]
    connections: dict[str, Any] = {}

    def write(topic: str, kind: str, k: int, fields: dict[str, Any]) -> None:
        if topic in without:
            return
        if topic not in connections:
            name = "/" + "/".join(filter(None, [namespace, topic]))
            connections[topic] = writer.add_connection(name, kind, typestore=STORES)
        data = STORES.serialize_cdr(types[kind](**fields), kind)
        writer.write(connections[topic], START + k * STEP, data)

    text = share_file("urdf", "charmie.urdf").read_text() if urdf is None else urdf
    write("robot_description", "std_msgs/msg/String", 0, {"data": text})
    for place, k in enumerate(order):
        joints = {
            "header": header(k),
            "name": list(model.actuator_names),
            "position": batch.position[k],
            "velocity": batch.velocity[k],
            "effort": batch.actuator_effort[k] if effort else np.zeros(0),
        }
        write("actuator_efforts", "sensor_msgs/msg/JointState", place, joints)
        wrench = types["geometry_msgs/msg/Wrench"](
            force=vector(*force[k].tolist()), torque=vector(*torque[k].tolist())
        )
        write(
            "base_wrench",
            "geometry_msgs/msg/WrenchStamped",
            place,
            {"header": header(k, "base"), "wrench": wrench},
        )
        at = types["geometry_msgs/msg/Point"](*point[k].tolist())
        write(
            "stability",
            "geometry_msgs/msg/PointStamped",
            place,
            {"header": header(k, support.frame), "point": at},
        )
