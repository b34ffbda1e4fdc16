# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The readable messages of a damaged bag, from its storage files.

A truncated recording has no index and often no metadata.yaml. In an mcap file messages are stored
sequentially in chunks, so they are read up to the first incomplete one; damaged chunks are
skipped. SQLite reads a database row by row up to the first missing page.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple, cast

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, DataEnd, McapRecord, Message, Schema
from mcap.stream_reader import StreamReader, get_chunk_data_stream, read_magic

SUFFIXES = (".mcap", ".db3")
COMPRESSED = ".zstd"  # suffix after that of a file that a recorder compressed as a whole
ZSTD = b"\x28\xb5\x2f\xfd"  # first bytes of compressed data; a message begins with a zero
# rows of a database that are skipped after an unreadable one, and the number of attempts
STRIDE = 50
MOST_STRIDES = 2000
# errors of the mcap reader for invalid records
UNREADABLE = (McapError, struct.error, ValueError)


class RawMessage(NamedTuple):
    """A stored message: topic, type, time of recording (ns), bytes."""

    topic: str
    type: str
    time: int
    data: bytes


def storage_files(path: Path) -> list[Path]:
    """Return the storage files of a bag: itself, or those in its folder in their order."""
    if path.is_file():
        return [path] if storage_suffix(path) in SUFFIXES else []
    files = [file for file in path.iterdir() if storage_suffix(file) in SUFFIXES]
    # a recorder removes the file that it has compressed, unless it was killed in between
    whole = {file.name for file in files if file.suffix != COMPRESSED}
    files = [file for file in files if file.suffix != COMPRESSED or file.stem not in whole]
    return sorted(files, key=lambda file: (len(file.name), file.name))


def storage_suffix(path: Path) -> str:
    """Return the suffix of a storage file, compressed or not."""
    return Path(path.stem).suffix if path.suffix == COMPRESSED else path.suffix


def salvage(path: Path, notices: list[str]) -> Iterator[RawMessage]:
    """Yield the readable messages of a bag.

    Parameters
    ----------
    path : Path
        Its folder, or one storage file.
    notices : list of str
        Receives a line for each unreadable part.
    """
    for file in storage_files(path):
        read = _read_mcap if storage_suffix(file) == ".mcap" else _read_sqlite
        with _decompressed(file, notices) as plain:
            for message in read(plain, notices):
                yield _decompressed_message(message)


@contextmanager
def _decompressed(path: Path, notices: list[str]) -> Iterator[Path]:
    """Yield a storage file, decompressed up to the first damaged byte."""
    if path.suffix != COMPRESSED:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, path.stem)
        with path.open("rb") as source, plain.open("wb") as target:
            try:
                zstandard.ZstdDecompressor().copy_stream(source, target)
            except zstandard.ZstdError as error:
                notices.append(f"'{path.name}' cannot be decompressed to its end: {error}")
        yield plain


def _decompressed_message(message: RawMessage) -> RawMessage:
    """Return a message decompressed, if it was compressed; unchanged if damaged."""
    if not message.data.startswith(ZSTD):
        return message
    try:
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        return message._replace(data=decompressor.decompress(message.data))
    except zstandard.ZstdError:
        return message


def _read_mcap(path: Path, notices: list[str]) -> Iterator[RawMessage]:
    size = path.stat().st_size
    with path.open("rb") as file:
        try:
            read_magic(ReadDataStream(file))
        except UNREADABLE:
            notices.append(f"'{path.name}' does not begin as an mcap file: nothing of it was read")
            return
        messages = _McapMessages(path.name, notices)
        end = yield from messages.read(file, size)
        if end is not None:
            file.seek(end)
            yield from messages.of_cut_chunk(file, size)
            notices.append(f"'{path.name}' is cut off after {end} of {size} bytes")


class _BoundedFile:
    """A file of known size that notes requests for more bytes than it contains.

    The mcap reader takes the bytes that it gets as complete, and requests as many as a damaged
    length states.
    """

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.is_short = False
        self._file = file
        self._size = size

    def read(self, length: int) -> bytes:
        data = self._file.read(min(max(length, 0), self._size))
        self.is_short |= len(data) != length
        return data


class _McapMessages:
    """The messages in the records of an mcap file.

    Parameters
    ----------
    name : str
        Of the file, for notices.
    notices : list of str
    """

    def __init__(self, name: str, notices: list[str]) -> None:
        self._name = name
        self._notices = notices
        self._schemas: dict[int, str] = {}
        self._channels: dict[int, tuple[str, str]] = {}

    def read(self, file: IO[bytes], size: int) -> Generator[RawMessage, None, int | None]:
        """Yield the messages of a file, or of a chunk, up to the first damaged record.

        Returns
        -------
        int or None
            Start of that record; None at the end mark of the data.
        """
        bounded = _BoundedFile(file, size)
        reader = StreamReader(
            cast("IO[bytes]", bounded),
            skip_magic=True,
            emit_chunks=True,
            record_size_limit=size,
        )
        start = file.tell()
        try:
            for record in reader.records:
                if bounded.is_short:
                    return start
                if isinstance(record, DataEnd):
                    return None
                if isinstance(record, Chunk):
                    yield from self._of_chunk(record, start)
                elif (message := self._message(record)) is not None:
                    yield message
                start = file.tell()
        except UNREADABLE:
            pass
        return start

    def of_cut_chunk(self, file: IO[bytes], size: int) -> Iterator[RawMessage]:
        """Yield the messages at the beginning of the last chunk of a truncated file."""
        stream = ReadDataStream(cast("IO[bytes]", _BoundedFile(file, size)))
        try:
            if stream.read1() != Opcode.CHUNK:
                return
            stream.read8()  # its length
            chunk = Chunk.read(stream)
        except UNREADABLE:
            return
        if not chunk.compression:  # the beginning of a compressed one is not readable
            yield from self.read(BytesIO(chunk.data), len(chunk.data))

    def _of_chunk(self, chunk: Chunk, start: int) -> Iterator[RawMessage]:
        try:
            stream, size = get_chunk_data_stream(chunk, validate_crc=True)
            body = BytesIO(stream.read(size))
        except Exception as error:  # the decompressors may raise any error
            self._notices.append(f"'{self._name}': chunk at byte {start} is damaged: {error}")
            return
        yield from self.read(body, size)

    def _message(self, record: McapRecord) -> RawMessage | None:
        if isinstance(record, Schema):
            self._schemas[record.id] = record.name
        elif isinstance(record, Channel):
            self._channels[record.id] = record.topic, self._schemas.get(record.schema_id, "")
        elif isinstance(record, Message) and record.channel_id in self._channels:
            return RawMessage(*self._channels[record.channel_id], record.log_time, record.data)
        return None


def _read_sqlite(path: Path, notices: list[str]) -> Iterator[RawMessage]:
    journal = path.with_name(path.name + "-wal")
    with tempfile.TemporaryDirectory() as folder:
        if journal.exists() and journal.stat().st_size:
            # a killed recorder left its last messages here; SQLite reads them when it writes
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
            # otherwise SQLite refuses a file that is shorter than expected
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
    """Yield the rows in the written order, skipping damaged ones."""
    row, skipped, read, strides = -1, 0, 0, 0
    fault = ""
    while strides < MOST_STRIDES:
        try:
            rows = database.execute(
                "SELECT id, topic_id, timestamp, data FROM messages WHERE id > ? ORDER BY id",
                (row,),
            )
            for number, topic, time, data in rows:
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
