# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Writes serialised messages into a bag, on topics of the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live import topics

# version 9 of the metadata is not read by Humble
BAG_VERSION: Any = 8
FOREVER = QosTime(9223372036, 854775807)
PLUGINS = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}


def require_new(path: Path) -> None:
    """Refuse to write a bag over an existing file or folder.

    Raises
    ------
    CharmieError
        If the folder exists.
    """
    if path.exists():
        raise CharmieError(f"bag '{path}' exists; expected the name of a new folder")


class BagWriter:
    """A bag that is being written, a rosbag2.

    Parameters
    ----------
    path : Path
        Folder, which must not exist.
    storage : {"mcap", "sqlite3"}

    Raises
    ------
    CharmieError
        If the folder exists.
    """

    def __init__(self, path: Path, storage: str = "mcap") -> None:
        require_new(path)
        self._writer = Writer(path, version=BAG_VERSION, storage_plugin=PLUGINS[storage])
        self._types = get_typestore(Stores.ROS2_HUMBLE)  # the types are the same on Jazzy
        self._connections: dict[str, Any] = {}

    def open(self) -> None:
        """Create the folder."""
        self._writer.open()

    def add(self, topic: topics.Topic, name: str) -> None:
        """Add a topic with its name in the graph."""
        self._connections[topic.name] = self._writer.add_connection(
            name,
            topic.type,
            typestore=self._types,
            offered_qos_profiles=[_qos_of_bags(topic.qos)],
        )

    def has(self, topic: topics.Topic) -> bool:
        """Return whether a topic has been added."""
        return topic.name in self._connections

    def write(self, topic: topics.Topic, time: int, data: bytes) -> None:
        """Write a serialised message, received at a time (ns)."""
        self._writer.write(self._connections[topic.name], time, data)

    def close(self) -> None:
        """Close the bag, and write its index."""
        self._writer.close()


def _qos_of_bags(qos: topics.Qos) -> Qos:
    return Qos(
        history=QosHistory.KEEP_LAST,
        depth=qos.depth,
        reliability=QosReliability.RELIABLE if qos.reliable else QosReliability.BEST_EFFORT,
        durability=QosDurability.TRANSIENT_LOCAL if qos.latched else QosDurability.VOLATILE,
        deadline=FOREVER,
        lifespan=FOREVER,
        liveliness=QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=FOREVER,
        avoid_ros_namespace_conventions=False,
    )
