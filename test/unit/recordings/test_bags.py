# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from input_recordings import KIND, message
from recordings import (
    MCAP,
    SAMPLES,
    SQLITE,
    START,
    STEP,
    STORES,
    add_recording,
    header,
    motion,
    write_recording,
)
from rosbags.rosbag2 import Writer

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.read.recorded_motion import (
    read_motion,
    read_stability,
    read_wrench,
)


@pytest.mark.parametrize("storage", [MCAP, SQLITE], ids=["mcap", "sqlite3"])
@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("namespace", ["", "charmie"])
def test_motion_comes_back_from_every_kind_of_bag(
    tmp_path: Path, charmie: Model, storage: Any, version: int, namespace: str
) -> None:
    path = write_recording(
        tmp_path / "b", charmie, storage=storage, version=version, namespace=namespace
    )
    with Bag(path) as bag:
        recorded = read_motion(bag)
    position, velocity, acceleration = motion(charmie)
    assert recorded.names == charmie.actuator_names
    np.testing.assert_array_equal(recorded.stamps, START + STEP * np.arange(SAMPLES))
    np.testing.assert_array_equal(recorded.position, position)
    np.testing.assert_array_equal(recorded.velocity, velocity)
    expected = charmie.compute(position, velocity, acceleration).actuator_effort
    np.testing.assert_array_equal(recorded.effort, expected)


@pytest.mark.parametrize("behind", [b"", bytes(4), b"\x09\x00\x2f\x7f"])
def test_bytes_that_fast_dds_leaves_behind_empty_efforts_are_ignored(
    tmp_path: Path, behind: bytes
) -> None:
    data = message(["neck_pan_joint"], np.array([0.25]), np.array([0.5]), START)
    with Writer(tmp_path / "b", version=8, storage_plugin=MCAP) as writer:
        connection = writer.add_connection("/joint_states", KIND, typestore=STORES)
        writer.write(connection, START, data + behind)
    with Bag(tmp_path / "b") as bag:
        assert bag.stamps("joint_states") == [START]
        (found,) = bag.messages("joint_states")
    assert (found.position.tolist(), found.effort.tolist()) == ([0.25], [])


def test_samples_out_of_order_are_put_in_order_and_repeated_ones_dropped(
    tmp_path: Path, charmie: Model
) -> None:
    order = [0, 2, 1, 1, *range(3, SAMPLES)]
    with Bag(write_recording(tmp_path / "b", charmie, order=order)) as bag:
        recorded = read_motion(bag)
    np.testing.assert_array_equal(recorded.stamps, START + STEP * np.arange(SAMPLES))
    np.testing.assert_array_equal(recorded.position, motion(charmie)[0])


def test_topics_that_are_not_there_read_as_none(bag: Path) -> None:
    with Bag(bag) as opened:
        assert read_stability(opened) is None
        assert read_wrench(opened) is not None


def test_missing_efforts_are_an_error_that_names_the_topics_that_are_there(
    tmp_path: Path, charmie: Model
) -> None:
    path = write_recording(tmp_path / "b", charmie, without=("actuator_efforts",))
    with (
        Bag(path) as bag,
        pytest.raises(CharmieError, match=r"no topic 'actuator_efforts'.*/base_wrench"),
    ):
        read_motion(bag)


def test_no_bag_is_an_error_that_names_the_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(CharmieError, match=str(path)):
            Bag(path)


@pytest.mark.parametrize("storage", [MCAP, SQLITE], ids=["mcap", "sqlite3"])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_bag_that_was_cut_short_is_an_error_and_says_what_may_help(
    tmp_path: Path, charmie: Model, storage: Any, part: float
) -> None:
    path = write_recording(tmp_path / "b", charmie, storage=storage)
    (data,) = (file for file in path.iterdir() if file.name != "metadata.yaml")
    os.truncate(data, int(part * data.stat().st_size))
    with pytest.raises(CharmieError, match="ros2 bag reindex"), Bag(path) as bag:
        read_motion(bag)


def test_one_of_several_namespaces_must_be_chosen(tmp_path: Path, charmie: Model) -> None:
    with Writer(tmp_path / "b", version=8, storage_plugin=MCAP) as writer:
        for namespace, samples in (("left", 5), ("right", 7)):
            add_recording(writer, charmie, namespace, (), None, True, samples, range(samples))
    with Bag(tmp_path / "b") as bag, pytest.raises(CharmieError, match=r"/left.*/right"):
        read_motion(bag)
    with Bag(tmp_path / "b", "/right") as bag:
        assert len(read_motion(bag).stamps) == 7


def test_a_topic_without_messages_is_no_second_namespace(tmp_path: Path, charmie: Model) -> None:
    with Writer(tmp_path / "b", version=8, storage_plugin=MCAP) as writer:
        writer.add_connection("/left/actuator_efforts", KIND, typestore=STORES)
        add_recording(writer, charmie, "right", (), None, True, 5, range(5))
    with Bag(tmp_path / "b") as bag:
        assert bag.name("actuator_efforts") == "/right/actuator_efforts"
        assert bag.prefix("actuator_efforts") == "/right/"
        assert bag.count("/left/actuator_efforts") == 0
        assert len(read_motion(bag).stamps) == 5


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"position": np.zeros(1)}, "2 names, got 1"),
        ({"velocity": np.array([0.0, np.nan])}, "position and velocity"),
        ({"name": ["a", "c"]}, "a, b and later a, c"),
    ],
)
def test_messages_that_do_not_fit_together_are_refused(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    kind = "sensor_msgs/msg/JointState"
    usual = {"name": ["a", "b"], **{f: np.zeros(2) for f in ("position", "velocity", "effort")}}
    with Writer(tmp_path / "b", version=8, storage_plugin=MCAP) as writer:
        connection = writer.add_connection("/actuator_efforts", kind, typestore=STORES)
        for k, changed in enumerate(({}, fields)):
            built = STORES.types[kind](header=header(k), **{**usual, **changed})
            writer.write(connection, START + k, STORES.serialize_cdr(built, kind))
    with Bag(tmp_path / "b") as bag, pytest.raises(CharmieError, match=message):
        read_motion(bag)
