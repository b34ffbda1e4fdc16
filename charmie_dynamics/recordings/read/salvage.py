"""What can still be read of a damaged bag: its storage files, message by message.

A recording that was cut off has no index and often no metadata.yaml. The messages in it stand one
after the other, in an mcap file in chunks, so they are read until the first that is not whole; a
chunk that is damaged is left out. SQLite reads a database row by row until the first missing page.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MCAP_MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK, DATA_END = 0x03, 0x04, 0x05, 0x06, 0x0F
OPENING = struct.Struct("<BQ")  # of a record: its kind and length
HEAD = struct.Struct("<HIQQ")  # of a message: channel, sequence, two times (ns)
CHUNK_HEAD = struct.Struct("<QQQII")  # two times, size, checksum, length of the next string
SUFFIXES = (".mcap", ".db3")
# rows of a database that are skipped at once behind one that cannot be read, and how often
STRIDE = 50
MOST_STRIDES = 2000


class RawMessage(NamedTuple):
    """A message as it was stored: topic, type, time of recording (ns), bytes."""

    topic: str
    type: str
    time: int
    data: bytes


def storage_files(path: Path) -> list[Path]:
    """Return the storage files of a bag: itself, or those of its folder in their order."""
    if path.is_file():
        return [path] if path.suffix in SUFFIXES else []
    files = (file for file in path.iterdir() if file.suffix in SUFFIXES)
    return sorted(files, key=lambda file: (len(file.name), file.name))


def salvage(path: Path, notices: list[str]) -> Iterator[RawMessage]:
    """Yield what can be read of a bag.

    Parameters
    ----------
    path : Path
        Its folder, or one storage file.
    notices : list of str
        Gets a line for each part that could not be read.
    """
    for file in storage_files(path):
        read = _read_mcap if file.suffix == ".mcap" else _read_sqlite
        yield from read(file, notices)


def _read_mcap(path: Path, notices: list[str]) -> Iterator[RawMessage]:
    data = path.read_bytes()
    if not data.startswith(MCAP_MAGIC):
        notices.append(f"'{path.name}' does not begin as an mcap file: nothing of it was read")
        return
    reader = _McapRecords(path.name, notices)
    yield from reader.read(data, len(MCAP_MAGIC))
    if not reader.complete:
        notices.append(f"'{path.name}' is cut off after {reader.end} of {len(data)} bytes")


class _McapRecords:
    """Goes through the records of an mcap file."""

    def __init__(self, name: str, notices: list[str]) -> None:
        self.complete = False
        self.end = 0
        self._name = name
        self._notices = notices
        self._schemas: dict[int, str] = {}
        self._channels: dict[int, tuple[str, str]] = {}

    def read(self, data: bytes, start: int) -> Iterator[RawMessage]:
        """Yield the messages from an offset on, up to the first record that is not whole."""
        while start + OPENING.size <= len(data):
            kind, length = OPENING.unpack_from(data, start)
            begin = start + OPENING.size
            record = data[begin : begin + length]
            if kind == CHUNK:
                # of the last chunk of a file that was cut off, the beginning may do
                yield from self._chunk(record, whole=len(record) == length, at=start)
            if len(record) < length:
                return
            start = self.end = begin + length
            if kind == DATA_END:
                self.complete = True
                return
            try:
                message = self._record(kind, record)
            except (struct.error, UnicodeDecodeError):
                continue  # not a record of this kind after all
            if message is not None:
                yield message

    def _record(self, kind: int, record: bytes) -> RawMessage | None:
        if kind == SCHEMA:
            name, _ = _text(record, 2)
            self._schemas[struct.unpack_from("<H", record)[0]] = name
        elif kind == CHANNEL:
            number, schema = struct.unpack_from("<HH", record)
            topic, _ = _text(record, 4)
            self._channels[number] = topic, self._schemas.get(schema, "")
        elif kind == MESSAGE:
            number, _, time, _ = HEAD.unpack_from(record)
            channel = self._channels.get(number)
            if channel is not None:
                return RawMessage(*channel, time, record[HEAD.size :])
        return None

    def _chunk(self, record: bytes, *, whole: bool, at: int) -> Iterator[RawMessage]:
        try:
            _, _, size, checksum, _ = CHUNK_HEAD.unpack_from(record)
            compression, begin = _text(record, CHUNK_HEAD.size - 4)
            body = record[begin + 8 :]
            if compression and not whole:
                return  # the beginning of a compressed chunk says nothing
            if compression:
                # where a version of rosbags has it elsewhere, the chunk is as good as damaged
                from rosbags.rosbag2.storage_mcap import decompress

                body = decompress(body, compression, size, checksum)
            elif whole and checksum and zlib.crc32(body) != checksum:
                raise ValueError("its checksum is wrong")
        except Exception as error:  # the decompressors raise what they like
            self._notices.append(f"'{self._name}': chunk at byte {at} is damaged: {error}")
            return
        end, complete = self.end, self.complete
        yield from self.read(body, 0)
        self.end, self.complete = end, complete


def _text(record: bytes, start: int) -> tuple[str, int]:
    (length,) = struct.unpack_from("<I", record, start)
    end = start + 4 + length
    if end > len(record):
        raise struct.error("text beyond the end of its record")
    return record[start + 4 : end].decode(), end


def _read_sqlite(path: Path, notices: list[str]) -> Iterator[RawMessage]:
    journal = path.with_name(path.name + "-wal")
    with tempfile.TemporaryDirectory() as folder:
        if journal.exists() and journal.stat().st_size:
            # a recorder that was killed left its last messages here; SQLite writes to take them in
            copy = Path(folder, path.name)
            shutil.copyfile(path, copy)
            shutil.copyfile(journal, copy.with_name(copy.name + "-wal"))
            address = f"file:{copy}"
        else:
            address = f"file:{path}?mode=ro&immutable=1"
        try:
            database = sqlite3.connect(address, uri=True)
        except sqlite3.Error as error:
            notices.append(f"'{path.name}' cannot be opened: {error}")
            return
        try:
            # without it, SQLite refuses a file that is shorter than it should be as a whole
            database.execute("PRAGMA writable_schema=ON")
            topics = {
                number: (name, kind)
                for number, name, kind in database.execute("SELECT id, name, type FROM topics")
            }
            yield from _rows(database, topics, path.name, notices)
        except sqlite3.Error as error:
            notices.append(f"'{path.name}' cannot be read: {error}")
        finally:
            database.close()


def _rows(
    database: sqlite3.Connection,
    topics: dict[int, tuple[str, str]],
    name: str,
    notices: list[str],
) -> Iterator[RawMessage]:
    """Yield the rows in the order in which they were written, around those that are damaged."""
    row, skipped, read, strides = -1, 0, 0, 0
    fault = ""
    while strides < MOST_STRIDES:
        try:
            found = database.execute(
                "SELECT id, topic_id, timestamp, data FROM messages WHERE id > ? ORDER BY id",
                (row,),
            )
            for number, topic, time, data in found:
                if skipped:
                    notices.append(f"'{name}': rows {row - skipped + 1} to {row}: {fault}")
                row, skipped = number, 0
                read += 1
                if topic in topics and isinstance(data, bytes):
                    yield RawMessage(*topics[topic], time, data)
            break
        except sqlite3.DatabaseError as error:
            fault = str(error)
            row, skipped, strides = row + STRIDE, skipped + STRIDE, strides + 1
    if skipped or fault:
        notices.append(f"'{name}': {read} messages could be read; the rest cannot be: {fault}")
