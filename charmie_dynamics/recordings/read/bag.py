# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The bag reader: topics of a rosbag2, whole or damaged, and their messages in order of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.wire.messages import JOINT_STATE
from charmie_dynamics.live.wire.samples import RefusedSampleError
from charmie_dynamics.live.wire.stamps import NANOSECONDS

from .file_order import steps_back, with_rising_times
from .salvage import RawMessage, salvage, storage_files, storage_suffix

# the types of the topics are the same in all distributions
STORE = get_typestore(Stores.ROS2_HUMBLE)
MEANINGLESS = 4  # bytes


class Bag:
    """A rosbag2, mcap or sqlite3, metadata up to version 9; a context manager.

    Topics are found by their names without the namespace. Absolute names, such as ``/tf``, are
    global. A topic without messages counts as not recorded.

    Parameters
    ----------
    path : Path
        Folder of the bag; with `salvaged` also one of its storage files (.mcap, .db3, or
        one of them with .zstd).
    namespace : str, optional
        Of the dynamics node; required if several have been recorded.
    salvaged : collection of str, optional
        Types of messages of which the intact messages of a damaged bag are read, with a
        notice of the rest. Empty: a damaged bag is an error.

    Attributes
    ----------
    path : Path
    namespace : str
        The argument, without slashes.
    storage : {"mcap", "sqlite3"}
    types : dict of str to str
        Types of all topics, also of those without messages, by their names with namespace.
    notices : list of str
        Unreadable parts of a damaged bag, one line each; more may follow while messages are read.

    Raises
    ------
    CharmieError
        If the bag is missing, or no message can be read.

    Examples
    --------
    >>> with Bag(Path("recording")) as bag:  # doctest: +SKIP
    ...     efforts = [message.effort for message in bag.messages("actuator_efforts")]
    """

    def __init__(self, path: Path, namespace: str = "", salvaged: Collection[str] = ()) -> None:
        self.path = path
        self.namespace = namespace.strip("/")
        self.types: dict[str, str] = {}
        self.notices: list[str] = []
        if not path.exists():
            raise CharmieError(f"bag '{path}': there is no such file or folder")
        files = storage_files(path)
        self.storage = "sqlite3" if files and storage_suffix(files[0]) == ".db3" else "mcap"
        self._salvaged_types = salvaged
        self._salvaged: list[RawMessage] = []
        self._counts: Counter[str] = Counter()
        self._reader: AnyReader | None = None
        try:
            reader = AnyReader([path], default_typestore=STORE)
            reader.open()
        except Exception as error:  # the reader passes on any error of its storage
            self._open_damaged(error)
        else:
            self._reader = reader
            for connection in reader.connections:
                self.types[connection.topic] = connection.msgtype
                self._counts[connection.topic] += connection.msgcount
            if salvaged and steps_back(path):
                self._read_in_file_order()

    def __enter__(self) -> Bag:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        if self._reader is not None:
            self._reader.close()

    @property
    def topics(self) -> tuple[str, ...]:
        """Full names of all topics with messages, sorted."""
        return tuple(sorted(name for name in self.types if self._counts[name]))

    def names(self, topic: str, kind: str | None = None) -> list[str]:
        """Return the full names under which a topic was recorded, one for each namespace.

        Parameters
        ----------
        topic : str
            Name without the namespace, or an absolute one.
        kind : str, optional
            Type that the topic must have.
        """
        if topic.startswith("/"):
            names = [topic]
        elif self.namespace:
            names = [f"/{self.namespace}/{topic}"]
        else:
            names = [name for name in self.topics if f"/{name}".endswith(f"/{topic}")]
        return [n for n in names if self._counts[n] and kind in (None, self.types[n])]

    def name(self, topic: str, kind: str | None = None) -> str | None:
        """Return the full name of a topic; None if it was not recorded. See `names`.

        Raises
        ------
        CharmieError
            If it was recorded in several namespaces.
        """
        names = self.names(topic, kind)
        if len(names) > 1:
            raise CharmieError(
                f"bag '{self.path}' has '{topic}' in {len(names)} namespaces: {', '.join(names)}; "
                "expected one of them to be chosen"
            )
        return names[0] if names else None

    def prefix(self, topic: str, kind: str | None = None) -> str:
        """Return the namespace of a relative topic, with slashes around it."""
        if self.namespace:
            return f"/{self.namespace}/"
        name = self.name(topic, kind)
        return "/" if name is None else name[: -len(topic)] or "/"

    def count(self, topic: str) -> int:
        """Return the number of messages on a topic."""
        name = self.name(topic)
        return 0 if name is None else self._counts[name]

    def stamps(self, topic: str) -> list[int]:
        """Return the header stamps (ns) of a topic."""
        return [stamp for stamp, _ in self.arrivals(topic)]

    def arrivals(self, topic: str) -> list[tuple[int, int]]:
        """Return the header stamps of a topic, each with its time of recording (ns)."""
        return [(stamp_of(_header(m)), time) for m, time in self.timed_messages(topic)]

    def messages(self, topic: str) -> Iterator[Any]:
        """Yield the decoded messages of a topic.

        Raises
        ------
        CharmieError
            If the topic was not recorded, or in several namespaces, or if a message cannot be
            read.
        """
        for message, _ in self.timed_messages(topic):
            yield message

    def timed_messages(self, topic: str) -> Iterator[tuple[Any, int]]:
        """Yield the decoded messages of a topic, each with the time of its recording (ns).

        Raises
        ------
        CharmieError
            As `messages`.
        """
        name = self.name(topic)
        if name is None:
            raise CharmieError(
                f"bag '{self.path}' has no topic '{topic}'; it has: {', '.join(self.topics)}"
            )
        for raw in self.raw({name}):
            try:
                yield decode(raw), raw.time
            except RefusedSampleError as error:
                raise self._damaged(error, f", topic '{name}'") from error

    def raw(self, topics: Collection[str]) -> Iterator[RawMessage]:
        """Yield the messages of some topics, by their full names, in order of time.

        Raises
        ------
        CharmieError
            If the bag is damaged, and nothing is to be salvaged.
        """
        last = -1
        at_last: set[tuple[str, bytes]] = set()
        if self._reader is not None:
            wanted = [c for c in self._reader.connections if c.topic in topics]
            try:
                for connection, time, data in self._reader.messages(wanted) if wanted else ():
                    if time != last:
                        last = time
                        at_last.clear()
                    at_last.add((connection.topic, data))
                    yield RawMessage(connection.topic, connection.msgtype, time, data)
                return
            except Exception as error:
                if not self._salvaged_types:
                    names = ", ".join(f"'{name}'" for name in sorted(topics))
                    raise self._damaged(error, f", topic {names}") from error
                self._reader.close()
                self._reader = None
                self._salvage(error)
        # from where the reader gave up
        for raw in self._salvaged:
            if raw.topic in topics and (
                raw.time > last or (raw.time == last and (raw.topic, raw.data) not in at_last)
            ):
                yield raw

    def _read_in_file_order(self) -> None:
        """Read messages in the order of the file: their times of recording step back."""
        assert self._reader is not None
        connections = (
            raw for raw in salvage(self.path, self.notices) if raw.type in self._salvaged_types
        )
        self._salvaged, steps = with_rising_times(connections)
        self._reader.close()
        self._reader = None
        self.notices.append(
            f"the times of recording step back {steps} times: messages are read in the order of "
            "the file"
        )

    def _open_damaged(self, error: Exception) -> None:
        if not self._salvaged_types:
            raise self._damaged(error) from error
        self._salvage(error)
        if not self._salvaged:
            raise CharmieError(
                f"bag '{self.path}': no message can be read: {'; '.join(self.notices)}"
            ) from error
        self._counts.update(raw.topic for raw in self._salvaged)
        self.types.update((raw.topic, raw.type) for raw in self._salvaged)

    def _salvage(self, cause: Exception) -> None:
        self.notices.append(f"the bag is damaged, what can be read of it is used: {cause}")
        if not storage_files(self.path):
            self.notices.append(
                f"'{self.path}' holds no storage file (.mcap or .db3, or one of them with .zstd)"
            )
            return
        salvaged = salvage(self.path, self.notices)
        # in the order in which the reader of a whole bag gives them, however they were written
        self._salvaged = sorted(
            (raw for raw in salvaged if raw.type in self._salvaged_types), key=lambda raw: raw.time
        )

    def _damaged(self, error: Exception, where: str = "") -> CharmieError:
        return CharmieError(
            f"bag '{self.path}'{where} cannot be read: {error}; where a recording was cut short, "
            "`ros2 bag reindex` or the tool `mcap recover` may restore it"
        )


def decode(raw: RawMessage) -> Any:
    """Return the content of a message, as rosbags' object of its type.

    Raises
    ------
    RefusedSampleError
        If the bytes are not such a message.
    """
    try:
        return STORE.deserialize_cdr(raw.data, raw.type)
    except Exception as error:  # any error that the bytes cause
        fault = error
    if raw.type == JOINT_STATE:
        # Fast DDS appends meaningless bytes to a message with empty efforts
        try:
            return STORE.deserialize_cdr(raw.data[:-MEANINGLESS], raw.type)
        except Exception as error:
            fault = error
    raise RefusedSampleError(
        "bytes that cannot be decoded",
        f"{len(raw.data)} bytes that cannot be decoded; expected a serialised {raw.type}: {fault}",
    ) from fault


def stamp_of(header: Any) -> int:
    """Return the stamp of a header (ns)."""
    return int(header.stamp.sec) * NANOSECONDS + int(header.stamp.nanosec)


def _header(message: Any) -> Any:
    if hasattr(message, "header"):
        return message.header
    parts = message.transforms if hasattr(message, "transforms") else message.markers
    return parts[0].header
