# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bags whose times of recording step back, for example after the recorder's clock was set.

Readers sort messages by these times, which mixes the parts before and after the step. The order
of the file is that of arrival. In a bag that was written topic by topic, times step back between
topics but rise within each: such a bag is sorted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from mcap.exceptions import McapError
from mcap.reader import make_reader

from .salvage import RawMessage, storage_files

# ns: recorders write almost simultaneous messages in any order
LEAST_STEP = 200_000_000


def steps_back(path: Path) -> bool:
    """Return whether times of recording in a bag step back; False if this is not known."""
    try:
        return any(
            _steps_back_mcap(file) if file.suffix == ".mcap" else _steps_back_sqlite(file)
            for file in storage_files(path)
            if file.suffix in (".mcap", ".db3")
        )
    except (McapError, sqlite3.Error, OSError):
        return False


def with_rising_times(messages: Iterable[RawMessage]) -> tuple[list[RawMessage], int]:
    """Return messages in file order with shifted times after steps, and the number of steps."""
    result: list[RawMessage] = []
    newest, shift, steps = 0, 0, 0
    for message in messages:
        time = message.time + shift
        if newest - time > LEAST_STEP:
            shift += newest + 1 - time
            time, steps = newest + 1, steps + 1
        newest = max(newest, time)
        result.append(message._replace(time=time))
    return result, steps


def _steps_back_mcap(path: Path) -> bool:
    with path.open("rb") as file:
        reader = make_reader(file)
        summary = reader.get_summary()
        chunks = [] if summary is None else summary.chunk_indexes
        ordered = sorted(chunks, key=lambda chunk: chunk.chunk_start_offset)
        spans = [(c.message_start_time, c.message_end_time) for c in ordered]
        if len(spans) > 1 and not _falls(spans):
            return False
        messages = reader.iter_messages(log_time_order=False)
        return _falls_of_topics((channel.id, m.log_time) for _, channel, m in messages)


def _falls(spans: list[tuple[int, int]]) -> bool:
    """Return whether a span of times (ns) begins well before the end of an earlier one."""
    newest = 0
    for start, end in spans:
        if newest - start > LEAST_STEP:
            return True
        newest = max(newest, end)
    return False


def _falls_of_topics(times: Iterable[tuple[int, int]]) -> bool:
    """Return whether the times (ns) of a topic, given by its number, fall in their order."""
    newest: dict[int, int] = {}
    for topic, time in times:
        if newest.get(topic, time) - time > LEAST_STEP:
            return True
        newest[topic] = max(time, newest.get(topic, time))
    return False


def _steps_back_sqlite(path: Path) -> bool:
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        return _falls_of_topics(
            database.execute("SELECT topic_id, timestamp FROM messages ORDER BY id")
        )
    finally:
        database.close()
