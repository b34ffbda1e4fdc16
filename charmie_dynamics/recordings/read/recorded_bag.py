"""The inputs of a robot in a bag, and its loads; whole or damaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from rosbags.highlevel import AnyReader

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.wire.samples import (
    ACTUATOR_LENGTHS,
    JOINT_STATES,
    RefusedSampleError,
    make_sample,
)

from .bag import JOINT_STATE, STORE
from .joint_state_cdr import JointStateDecoder, JointStateValues
from .load_topics import INERTIA, WRENCH, LoadTopics
from .received import Received, ToldLoad, Trouble
from .recording import DESCRIPTION, EFFORTS
from .salvage import RawMessage, salvage, storage_files

STRING = "std_msgs/msg/String"
USED = (JOINT_STATE, STRING, INERTIA, WRENCH)


class RecordedBag:
    """A bag as a recording, a context manager; what is damaged is left out, with a notice.

    Parameters
    ----------
    path : Path
        Folder of a rosbag2, or one of its storage files (.mcap, .db3).
    namespace : str, optional
        Of the node; needed where several have been recorded.
    topics : dict, optional
        Recorded names of ``joint_states`` and ``actuator_lengths`` where they are others.

    Attributes
    ----------
    path, description, count, trouble
        See `received.Recording`.
    storage : str
        "mcap" or "sqlite3".
    prefix : str
        Namespace that the joint states were recorded in, "/" where there is none.

    Raises
    ------
    CharmieError
        If nothing in it can be read, or a topic stands in several namespaces.
    """

    def __init__(
        self, path: Path, namespace: str = "", topics: dict[str, str] | None = None
    ) -> None:
        self.path = path
        self.trouble = Trouble()
        self._namespace = namespace.strip("/")
        if not path.exists():
            raise CharmieError(f"bag '{path}': there is no such file or folder")
        files = storage_files(path)
        self.storage = "sqlite3" if files and files[0].suffix == ".db3" else "mcap"
        self._reader: AnyReader | None = None
        self._salvaged: list[RawMessage] = []
        self._decoder = JointStateDecoder()
        self._types: dict[str, str] = {}
        self._counts = self._open()
        try:
            self._names = self._resolve(topics or {})
        except CharmieError:
            self.__exit__()
            raise
        inputs = self._names.get(JOINT_STATES) or self._names.get(ACTUATOR_LENGTHS) or "/"
        self.prefix = self._namespace_of(inputs, topics or {})
        self._loads = LoadTopics(self._types, self.prefix)
        if self._loads.elsewhere:
            self.trouble.notices.append(
                f"loads in another namespace than '{self.prefix}' are not used: "
                f"{', '.join(self._loads.elsewhere)}"
            )
        self.count = sum(self._counts[name] for name in (*self._names.values(), *self._loads.names))
        self.description = self._read_description()

    def missing_topics(self, *, needs_lengths: bool) -> list[str]:
        """Return the input topics that are not in the bag, of those that a robot needs."""
        needed = (JOINT_STATES, ACTUATOR_LENGTHS) if needs_lengths else (JOINT_STATES,)
        return [topic for topic in needed if topic not in self._names]

    def efforts(self) -> Iterator[tuple[JointStateValues, int]]:
        """Yield the node's own efforts, with their times of recording (ns)."""
        found = self._find(EFFORTS)
        for raw in self._raw(set(found[:1])) if found else ():
            try:
                yield self._decoder.decode(raw.data), raw.time
            except RefusedSampleError as error:
                self.trouble.refused[f"{raw.topic}: {error.cause}"] += 1

    def received(self) -> Iterator[Received | ToldLoad]:
        """Yield the samples of both input topics, and what is told of loads."""
        read = yield from self._entries({name: topic for topic, name in self._names.items()})
        if read < self.count:
            self.trouble.notices.append(f"{read} of {self.count} messages could be read")

    def published(self) -> Iterator[Received | ToldLoad]:
        """Yield the node's own efforts as samples, and what is told of loads."""
        yield from self._entries(dict.fromkeys(self._find(EFFORTS)[:1], EFFORTS))

    @property
    def has_loads(self) -> bool:
        """Whether anything is told of loads."""
        return any(self._counts[name] for name in self._loads.names)

    def _entries(self, wanted: dict[str, str]) -> Generator[Received | ToldLoad, None, int]:
        """Yield samples and loads; return the number of messages that could be read.

        `wanted` are the names of the topics with samples, as recorded and as they are told.
        """
        read = 0
        latched = self._latched()
        for raw in self._raw({*wanted, *self._loads.names}):
            read += 1
            try:
                if raw.topic not in wanted:
                    yield self._loads.decode(raw)
                    continue
                yield from (t._replace(arrival=raw.time) for t in latched if t.stamp < raw.time)
                latched = []
                yield _received(wanted[raw.topic], raw, self._decoder.decode(raw.data))
            except RefusedSampleError as error:
                self.trouble.refused[f"{raw.topic}: {error.cause}"] += 1
        return read

    def _latched(self) -> list[ToldLoad]:
        """Return what the node first says that it assumes.

        It says so to a recorder when it hears of it, also what it has assumed since long before,
        and this may be later than it hears of the first samples.
        """
        found = []
        for topic in self._loads.assumed:
            try:
                found += [self._loads.decode(raw) for raw in islice(self._raw({topic}), 1)]
            except RefusedSampleError:
                continue  # counted when its turn comes
        return found

    def __enter__(self) -> RecordedBag:
        return self

    def __exit__(self, *_: object) -> None:
        if self._reader is not None:
            self._reader.close()

    def _open(self) -> Counter[str]:
        """Return the number of messages of each topic of a type that is used here."""
        counts: Counter[str] = Counter()
        try:
            reader = AnyReader([self.path], default_typestore=STORE)
            reader.open()
        except Exception as error:  # the reader raises whatever its storage does
            self._salvage(str(error))
            counts.update(raw.topic for raw in self._salvaged)
            self._types.update((raw.topic, raw.type) for raw in self._salvaged)
            if not counts:
                raise CharmieError(
                    f"bag '{self.path}': no message can be read: {'; '.join(self.trouble.notices)}"
                ) from error
            return counts
        self._reader = reader
        for connection in reader.connections:
            if connection.msgtype in USED:
                counts[connection.topic] += connection.msgcount
                self._types[connection.topic] = connection.msgtype
        return counts

    def _salvage(self, cause: str) -> None:
        notices = self.trouble.notices
        notices.append(f"the bag is damaged, what can be read of it is used: {cause}")
        if not storage_files(self.path):
            notices.append(f"'{self.path}' holds no storage file (.mcap or .db3)")
        found = salvage(self.path, notices) if storage_files(self.path) else iter(())
        # as the reader of a whole bag gives them, whatever order they were written in
        self._salvaged = sorted(
            (raw for raw in found if raw.type in USED), key=lambda raw: raw.time
        )

    def _raw(self, topics: set[str]) -> Iterator[RawMessage]:
        """Yield the messages of some topics; from where the reader gives up, what else is whole."""
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
                self._reader.close()
                self._reader = None
                self._salvage(str(error))
        for raw in self._salvaged:
            if raw.topic in topics and (
                raw.time > last or (raw.time == last and (raw.topic, raw.data) not in at_last)
            ):
                yield raw

    def _resolve(self, given: dict[str, str]) -> dict[str, str]:
        names = {}
        for topic in (JOINT_STATES, ACTUATOR_LENGTHS):
            if topic in given:
                name = "/" + given[topic].strip("/")
                if name not in self._counts:
                    joints = sorted(t for t, kind in self._types.items() if kind == JOINT_STATE)
                    raise CharmieError(
                        f"bag '{self.path}' has no topic '{name}'; those with joint states are: "
                        f"{', '.join(joints) or 'none'}"
                    )
                names[topic] = name
                continue
            found = self._find(topic)
            if len(found) > 1:
                raise CharmieError(
                    f"bag '{self.path}' has '{topic}' in {len(found)} namespaces: "
                    f"{', '.join(found)}; expected one of them to be chosen"
                )
            if found:
                names[topic] = found[0]
        return names

    def _find(self, topic: str) -> list[str]:
        if self._namespace:
            full = f"/{self._namespace}/{topic}"
            return [full] if self._counts[full] else []
        return sorted(n for n in self._counts if f"/{n}".endswith(f"/{topic}") and self._counts[n])

    def _namespace_of(self, name: str, given: dict[str, str]) -> str:
        if self._namespace:
            return f"/{self._namespace}/"
        return "/" if given else name[: name.rindex("/") + 1] or "/"

    def _read_description(self) -> str | None:
        found = self._find(DESCRIPTION)
        for raw in self._raw(set(found[:1])) if found else ():
            try:
                message: Any = STORE.deserialize_cdr(raw.data, STRING)
                return str(message.data)
            except Exception:
                self.trouble.refused[f"{raw.topic}: bytes that cannot be decoded"] += 1
        return None


def _received(topic: str, raw: RawMessage, values: JointStateValues) -> Received:
    stamp = values.stamp or raw.time
    if stamp < 0:
        raise RefusedSampleError("stamp before 1970", f"stamp {stamp} ns; expected 0 or above")
    sample = make_sample(values.names, values.position, values.velocity, values.effort, stamp)
    return Received(topic, sample, raw.time)
