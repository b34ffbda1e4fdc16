# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
from pathlib import Path
from typing import Any

import pytest
import zstandard
from input_recordings import Told, write_inputs
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer
from recordings import MCAP, SQLITE, START, STORES

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.recordings import RecordedInputs
from charmie_dynamics.recordings.read.salvage import salvage

OF_A_PAGE = 8  # messages, of a page of SQLite
SAMPLES = 250
BOTH = pytest.mark.parametrize("storage", [MCAP, SQLITE], ids=["mcap", "sqlite3"])


def data_file(folder: Path) -> Path:
    (file,) = (f for f in folder.iterdir() if f.suffix in (".mcap", ".db3"))
    return file


def read(path: Path) -> tuple[list[tuple[str, int]], list[str]]:
    with RecordedInputs(path) as bag:
        found = [(entry.topic, entry.sample.stamp) for entry in bag.received()]
        return found, bag.diagnostics.lines()


@BOTH
@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_of_a_bag_that_was_cut_off_the_beginning_is_read(
    tmp_path: Path, charmie: Model, storage: Any, part: float
) -> None:
    path = write_inputs(tmp_path / "b", charmie, SAMPLES, storage=storage)
    whole, diagnostics = read(path)
    assert len(whole) == 2 * SAMPLES and not diagnostics
    file = data_file(path)
    # the URDF and, of mcap, the index take the rest
    os.truncate(file, int(part * file.stat().st_size))
    for broken in (path, file):
        found, diagnostics = read(broken)
        assert len(found) > (part - 0.3) * len(whole)
        kept, known = whole[: whole.index(found[-1]) + 1], set(found)
        assert found == [entry for entry in kept if entry in known]
        assert len(kept) - len(found) <= OF_A_PAGE  # SQLite may have one of them behind the cut
        assert any("damaged" in line for line in diagnostics)


@BOTH
def test_compressed_files_are_read_without_metadata(
    tmp_path: Path, charmie: Model, storage: Any
) -> None:
    path = write_inputs(tmp_path / "b", charmie, SAMPLES, storage=storage)
    whole, _ = read(path)
    file = data_file(path)
    compressed = file.with_name(file.name + ".zstd")
    compressed.write_bytes(zstandard.ZstdCompressor().compress(file.read_bytes()))
    file.unlink()
    (path / "metadata.yaml").unlink()
    for given in (path, compressed):
        found, _ = read(given)
        assert found == whole


def test_of_a_compressed_file_that_was_cut_off_the_beginning_is_read(
    tmp_path: Path, charmie: Model
) -> None:
    path = write_inputs(tmp_path / "b", charmie, SAMPLES)
    whole, _ = read(path)
    file = data_file(path)
    data = zstandard.ZstdCompressor().compress(file.read_bytes())
    cut = file.with_name(file.name + ".zstd")
    cut.write_bytes(data[: int(0.7 * len(data))])
    found, diagnostics = read(cut)
    assert 0 < len(found) < len(whole) and found == whole[: len(found)]
    assert any("damaged" in line for line in diagnostics)


def test_messages_that_were_compressed_are_read_without_metadata(
    tmp_path: Path, charmie: Model
) -> None:
    path = write_inputs(tmp_path / "b", charmie, SAMPLES, storage=SQLITE)
    whole, _ = read(path)
    (path / "metadata.yaml").unlink()
    compressor = zstandard.ZstdCompressor()
    with sqlite3.connect(data_file(path)) as database:
        rows = database.execute("SELECT id, data FROM messages").fetchall()
        for number, data in rows:
            row = compressor.compress(data), number
            database.execute("UPDATE messages SET data = ? WHERE id = ?", row)
    assert read(path)[0] == whole


def test_compressed_chunks_are_read_up_to_the_one_that_is_cut(
    tmp_path: Path, charmie: Model
) -> None:
    path = write_inputs(tmp_path / "b", charmie, 3000, compressed=True)
    whole, diagnostics = read(path)
    assert len(whole) == 6000 and not diagnostics
    file = data_file(path)
    os.truncate(file, int(0.9 * file.stat().st_size))
    found, diagnostics = read(path)
    assert 1000 < len(found) < 6000 and found == whole[: len(found)]
    assert any("cut off" in line for line in diagnostics)


@BOTH
def test_a_bag_without_metadata_is_read_as_a_whole(
    tmp_path: Path, charmie: Model, storage: Any
) -> None:
    path = write_inputs(tmp_path / "b", charmie, 50, storage=storage)
    whole, _ = read(path)
    for text in (None, "", "rosbag2_bagfile_information: [", "rosbag2_bagfile_information: 3"):
        (path / "metadata.yaml").unlink(missing_ok=True)
        if text is not None:
            (path / "metadata.yaml").write_text(text)
        found, diagnostics = read(path)
        assert found == whole
        assert diagnostics


@BOTH
def test_around_overwritten_bytes_the_rest_is_read(
    tmp_path: Path, charmie: Model, storage: Any
) -> None:
    # as several chunks or pages
    path = write_inputs(tmp_path / "b", charmie, 1500, storage=storage)
    whole, _ = read(path)
    file = data_file(path)
    with file.open("r+b") as data:
        data.seek(file.stat().st_size // 2)
        data.write(b"\x00" * 5000)
    found, diagnostics = read(path)
    assert 0.4 * len(whole) < len(found) < len(whole)
    assert set(found) <= set(whole)
    assert diagnostics
    if storage is SQLITE:
        assert found[-1] == whole[-1]


@pytest.mark.parametrize("compression", CompressionType)
def test_of_small_chunks_only_a_damaged_one_is_lost(
    tmp_path: Path, charmie: Model, compression: CompressionType
) -> None:
    source = write_inputs(tmp_path / "b", charmie, 800)
    path = tmp_path / "small.mcap"
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=32_768, compression=compression)
        writer.start("ros2")
        channels: dict[str, int] = {}
        for raw in salvage(source, []):
            if raw.topic not in channels:
                schema = writer.register_schema(raw.type, "ros2msg", b"")
                channels[raw.topic] = writer.register_channel(raw.topic, "cdr", schema)
            writer.add_message(channels[raw.topic], raw.time, raw.data, raw.time)
        writer.finish()
    whole = list(salvage(path, []))
    assert len(whole) > 1600
    with path.open("r+b") as file:
        summary = make_reader(file).get_summary()
        assert summary is not None
        chunks = summary.chunk_indexes
        damaged = chunks[len(chunks) // 2]
        file.seek(damaged.chunk_start_offset + damaged.chunk_length // 2)
        file.write(b"\xff" * 200)
    notices: list[str] = []
    found = list(salvage(path, notices))
    assert 0.7 * len(whole) < len(found) < len(whole)
    assert set(found) < set(whole)
    assert (found[0], found[-1]) == (whole[0], whole[-1])
    assert any("chunk at byte" in notice and "is damaged" in notice for notice in notices)


def test_data_of_no_end_or_of_impossible_lengths_are_told_as_cut_off(tmp_path: Path) -> None:
    records = {
        "nothing": b"",
        "record": struct.pack("<BQ", 5, 2**60),
        "chunk": struct.pack("<BQQQQIIQ", 6, 40, 0, 0, 2**60, 0, 0, 2**62),
        "message shorter than its head": struct.pack("<BQ", 5, 3) + bytes(40),
        "text": struct.pack("<BQHI", 3, 100, 1, 2**32 - 1) + bytes(94),
    }
    for what, record in records.items():
        path = tmp_path / "b.mcap"
        path.write_bytes(b"\x89MCAP0\r\n" + record)
        notices: list[str] = []
        assert list(salvage(path, notices)) == [], what
        assert notices[-1].startswith("'b.mcap' is cut off after "), what


def test_messages_of_an_unfinished_write_ahead_log_are_read(tmp_path: Path, charmie: Model) -> None:
    path = write_inputs(tmp_path / "b", charmie, 20, storage=SQLITE)
    file = data_file(path)
    (path / "metadata.yaml").unlink()
    killed = tmp_path / "killed"
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(
            "INSERT INTO messages (topic_id, timestamp, data) SELECT topic_id, timestamp + 1, data"
            " FROM messages WHERE topic_id = 2"
        )
        database.commit()
        shutil.copytree(path, killed)  # as a recorder leaves it that was killed now
    database.close()
    assert len(read(killed)[0]) == 60


@pytest.mark.parametrize("content", [b"", b"nothing of a bag" * 100])
@pytest.mark.parametrize("name", ["b.mcap", "b.db3"])
def test_a_file_that_is_no_bag_is_an_error_which_says_so(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CharmieError, match="no message can be read"):
        RecordedInputs(tmp_path / name)


def test_no_file_and_an_empty_folder_are_errors(tmp_path: Path) -> None:
    for path, text in ((tmp_path / "none", "no such"), (tmp_path, "holds no storage file")):
        with pytest.raises(CharmieError, match=text):
            RecordedInputs(path)


def test_several_namespaces_must_be_chosen_from(tmp_path: Path, charmie: Model) -> None:
    path = write_inputs(tmp_path / "b", charmie, 5, namespace="left")
    with RecordedInputs(path) as bag:
        assert bag.prefix == "/left/"
    with RecordedInputs(path, "right") as bag:
        assert bag.missing_topics(needs_lengths=True) == ["joint_states", "actuator_lengths"]
    with pytest.raises(CharmieError, match=r"no topic '/arm/joints'.*/left/joint_states"):
        RecordedInputs(path, topics={"joint_states": "arm/joints"})


def test_of_several_descriptions_that_of_the_inputs_is_read(tmp_path: Path, charmie: Model) -> None:
    kind = "std_msgs/msg/String"
    other = bytes(STORES.serialize_cdr(STORES.types[kind](data="<robot/>"), kind))
    told = [Told("/another/robot_description", kind, START - 1, other)]
    path = write_inputs(tmp_path / "b", charmie, 5, namespace="left", told=told)
    with RecordedInputs(path) as bag:
        assert bag.description == charmie.tree.urdf


@BOTH
def test_a_description_that_cannot_be_decoded_is_counted(
    tmp_path: Path, charmie: Model, storage: Any
) -> None:
    told = [Told("/robot_description", "std_msgs/msg/String", START, b"\x00\x01\x00\x00\xff")]
    without = ("robot_description",)
    path = write_inputs(tmp_path / "b", charmie, 5, storage=storage, told=told, without=without)
    with RecordedInputs(path) as bag:
        assert bag.description is None
        (line,) = bag.diagnostics.lines()
    assert line == "1 messages refused: /robot_description: bytes that cannot be decoded"
