"""Write computed cycles into a bag, on the topics and with the messages of the node."""

from __future__ import annotations

import shutil
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

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.model.model import Model
from charmie_dynamics.recordings.compute.cycles import Cycles
from charmie_dynamics.recordings.read.bag import STORE, STRING
from charmie_dynamics.recordings.read.description import DESCRIPTION

from .measured_topics import MeasuredTopic, measured_topics
from .output_topics import TF_TYPE, OutputTopic, output_topics, static_transforms

TF_STATIC = "/tf_static"
# version 9 of the metadata is not read by Humble
BAG_VERSION: Any = 8
FOREVER = QosTime(9223372036, 854775807)
PLUGINS = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}
PART = 1024  # cycles whose messages are in memory at once


class OutputBag:
    """A bag that is being written; a context manager.

    Parameters
    ----------
    path : Path
        Folder, which must not exist. It is removed again if an error ends the writing.
    model : Model
    storage : {"mcap", "sqlite3"}
    prefix : str
        Namespace of the relative topics, with slashes.
    dynamics : bool
        False: there are no loads in the cycles.
    world_frame, frame_prefix : str
        As the node's parameters.

    Raises
    ------
    CharmieError
        If the folder exists.
    """

    def __init__(
        self,
        path: Path,
        model: Model,
        *,
        storage: str = "mcap",
        prefix: str = "/",
        dynamics: bool = True,
        world_frame: str = "odom",
        frame_prefix: str = "",
    ) -> None:
        if path.exists():
            raise CharmieError(f"bag '{path}' exists; expected the name of a new folder")
        self._path = path
        self._model = model
        self._frames = (world_frame, frame_prefix)
        self._topics: list[OutputTopic | MeasuredTopic] = [
            *output_topics(model, prefix, dynamics, world_frame, frame_prefix),
            *measured_topics(model, prefix, world_frame, frame_prefix),
        ]
        self._description = prefix + DESCRIPTION
        self._writer = Writer(path, version=BAG_VERSION, storage_plugin=PLUGINS[storage])
        self._connections: dict[str, Any] = {}
        self._begun = False

    def __enter__(self) -> OutputBag:
        self._writer.open()
        for name, kind in ((TF_STATIC, TF_TYPE), (self._description, STRING)):
            self._connect(name, kind, latched=True)
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        self._writer.close()
        if kind is not None:
            shutil.rmtree(self._path, ignore_errors=True)  # nobody wants half of a result

    def write(self, cycles: Cycles) -> None:
        """Write cycles, all topics of a cycle together, at the time of recording of its sample."""
        for first in range(0, len(cycles.stamps), PART):
            some = slice(first, first + PART)
            arrays = {name: array[some] for name, array in cycles.arrays.items()}
            self._write(Cycles(cycles.stamps[some], cycles.arrivals[some], arrays))

    def _write(self, cycles: Cycles) -> None:
        if not self._begun:
            self._write_latched(int(cycles.arrivals[0]), int(cycles.stamps[0]))
            self._begun = True
        columns = [topic.messages(cycles) for topic in self._topics]
        for time, *messages in zip(cycles.arrivals.tolist(), *columns, strict=True):
            for topic, message in zip(self._topics, messages, strict=True):
                if message is not None:
                    # the topics of measured efforts are not there unless there are any
                    if topic.name not in self._connections:
                        self._connect(topic.name, topic.type, latched=False)
                    self._writer.write(self._connections[topic.name], time, message)

    def _connect(self, name: str, kind: str, *, latched: bool) -> None:
        self._connections[name] = self._writer.add_connection(
            name, kind, typestore=STORE, offered_qos_profiles=[_qos(latched)]
        )

    def _write_latched(self, time: int, stamp: int) -> None:
        text = STORE.types[STRING](data=self._model.tree.urdf)
        description = bytes(STORE.serialize_cdr(text, STRING))
        self._writer.write(self._connections[self._description], time, description)
        static = static_transforms(self._model, *self._frames, stamp)
        self._writer.write(self._connections[TF_STATIC], time, static)


def _qos(latched: bool) -> Qos:
    return Qos(
        history=QosHistory.KEEP_LAST,
        depth=1 if latched else 10,
        reliability=QosReliability.RELIABLE,
        durability=QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
        deadline=FOREVER,
        lifespan=FOREVER,
        liveliness=QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=FOREVER,
        avoid_ros_namespace_conventions=False,
    )
