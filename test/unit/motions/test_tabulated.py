# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions in tables: what is written is played, and what cannot be played is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.errors import InputError
from charmie_dynamics.motions import make_motion, write_motion
from charmie_dynamics.simulation.session.settings import SessionSettings


@pytest.fixture
def table(scara: Model, tmp_path: Path) -> Path:
    wave = make_motion("wave", scara)
    time = np.arange(0.0, 2.0, 0.05)
    path = tmp_path / "wave.csv"
    write_motion(path, scara.actuator_names, wave.sampled(time))
    return path


def test_a_written_motion_is_played_between_its_rows_too(scara: Model, table: Path) -> None:
    wave, played = make_motion("wave", scara), make_motion(str(table), scara)
    assert played.duration == pytest.approx(1.95)
    for time in (0.0, 0.511, 1.95):
        for expected, found in zip(wave.at(time), played.at(time), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-5)
    assert not played.at(3.0)[1].any()


def test_the_simulator_takes_a_table(table: Path) -> None:
    assert SessionSettings(motion=str(table)).motion == str(table)
    with pytest.raises(InputError, match="motion: 'waves' is unknown"):
        SessionSettings(motion="waves")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("joint_3.velocity", "other"), "has no column joint_3.velocity"),
        (lambda text: text.replace("\n0.05,", "\nnan,"), "line 3: expected finite numbers"),
        (lambda text: text.replace("\n0.05,", "\n0.5,"), "expected times that increase"),
        (lambda text: text[: text.index("\n") + 1], "expected 2 to 1000000 rows, got 0"),
    ],
)
def test_a_table_that_cannot_be_played_is_refused(
    scara: Model, table: Path, change, said: str
) -> None:
    table.write_text(change(table.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(CharmieError, match=said):
        make_motion(str(table), scara)
    with pytest.raises(CharmieError, match=r"nowhere\.csv': cannot be read"):
        make_motion(str(table.with_name("nowhere.csv")), scara)


def test_a_table_may_begin_with_a_byte_order_mark(scara: Model, table: Path) -> None:
    table.write_text(table.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert make_motion(str(table), scara).duration == pytest.approx(1.95)


def test_a_table_that_cannot_be_written_is_refused(scara: Model, tmp_path: Path) -> None:
    motion = make_motion("wave", scara).sampled(np.array([0.0, 1.0]))
    with pytest.raises(InputError, match="names: expected one for each of 5 actuators, got 4"):
        write_motion(tmp_path / "few.csv", scara.actuator_names[:-1], motion)
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "file" / "wave.csv"):
        with pytest.raises(CharmieError, match="cannot be written: "):
            write_motion(place, scara.actuator_names, motion)
