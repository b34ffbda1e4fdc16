"""Read a rosbag2, mcap or sqlite3, topic by topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from charmie_dynamics.errors import CharmieError

# the types of the topics are the same in all distributions
STORE = get_typestore(Stores.ROS2_HUMBLE)
JOINT_STATE = "sensor_msgs/msg/JointState"
MEANINGLESS = 4  # bytes


class Bag:
    """A recorded bag.

    Topics are asked for by their names without the namespace. Absolute names, as ``/tf``, are
    those of the whole graph.

    Parameters
    ----------
    path : Path
        Folder of a rosbag2; both storages, metadata up to version 9.
    namespace : str, optional
        Of the dynamics node; needed where several have been recorded.

    Raises
    ------
    CharmieError
        If there is no readable bag.
    """

    def __init__(self, path: Path, namespace: str = "") -> None:
        self.path = path
        self._namespace = namespace.strip("/")
        if not path.exists():
            raise CharmieError(f"bag '{path}': there is no such folder")
        try:
            reader = AnyReader([path], default_typestore=STORE)
            reader.open()
        except Exception as error:  # the reader raises whatever its storage does
            raise self._damaged(error) from error
        self._reader = reader

    def __enter__(self) -> Bag:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    @property
    def topics(self) -> tuple[str, ...]:
        """Names of all topics, with namespace."""
        return tuple(sorted({c.topic for c in self._reader.connections}))

    def count(self, topic: str) -> int:
        """Return the number of messages on a topic."""
        return sum(c.msgcount for c in self._connections(topic))

    def namespace_of(self, topic: str) -> str:
        """Return the namespace that a relative topic was recorded in, empty where it is none."""
        names = {c.topic for c in self._connections(topic)}
        return next((name[: -len(topic)].strip("/") for name in names), "")

    def stamps(self, topic: str) -> list[int]:
        """Return the header stamps (ns) on a topic."""
        return [stamp_of(_header(message)) for message in self.messages(topic)]

    def messages(self, topic: str) -> Iterator[Any]:
        """Yield the messages of a topic.

        Raises
        ------
        CharmieError
            If there is no such topic, or one in each of several namespaces, or if a message
            cannot be read.
        """
        wanted = self._connections(topic)
        if not wanted:
            raise CharmieError(
                f"bag '{self.path}' has no topic '{topic}'; it has: {', '.join(self.topics)}"
            )
        try:
            for connection, _, data in self._reader.messages(connections=wanted):
                yield self._decode(data, connection.msgtype)
        except CharmieError:
            raise
        except Exception as error:
            raise self._damaged(error, f", topic '{topic}'") from error

    def _decode(self, data: Any, kind: str) -> Any:
        try:
            return self._reader.deserialize(data, kind)
        except Exception:
            if kind != JOINT_STATE:
                raise
            # Fast DDS leaves bytes without meaning behind a message whose efforts are empty
            return self._reader.deserialize(data[:-MEANINGLESS], kind)

    def _connections(self, topic: str) -> list[Any]:
        if topic.startswith("/"):
            return [c for c in self._reader.connections if c.topic == topic]
        if self._namespace:
            full = f"/{self._namespace}/{topic}"
            return [c for c in self._reader.connections if c.topic == full]
        found = [c for c in self._reader.connections if f"/{c.topic}".endswith(f"/{topic}")]
        names = sorted({c.topic for c in found})
        if len(names) > 1:
            raise CharmieError(
                f"bag '{self.path}' has '{topic}' in {len(names)} namespaces: {', '.join(names)}; "
                "expected one of them to be chosen"
            )
        return found

    def _damaged(self, error: Exception, where: str = "") -> CharmieError:
        return CharmieError(
            f"bag '{self.path}'{where} cannot be read: {error}; where a recording was cut short, "
            "`ros2 bag reindex` or the tool `mcap recover` may restore it"
        )


def stamp_of(header: Any) -> int:
    """Return the stamp of a header (ns)."""
    return int(header.stamp.sec) * 1_000_000_000 + int(header.stamp.nanosec)


def _header(message: Any) -> Any:
    if hasattr(message, "header"):
        return message.header
    parts = message.transforms if hasattr(message, "transforms") else message.markers
    return parts[0].header
