# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings whose values are on another topic, contradict each other, or have faulty stamps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cranes import MECHANISMS, crane, crane_urdf
from input_recordings import KIND, PERIOD, message
from recordings import MCAP, SQLITE, START, STORES, StoragePlugin, Writer

from charmie_dynamics import Model
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.recordings.commands.options import main
from charmie_dynamics.studies.commands.identify_options import main as identify

SAMPLES = 400
TIME = np.arange(SAMPLES) * PERIOD * 1e-9
BOOM = 0.3 * np.sin(2.0 * TIME), 0.6 * np.cos(2.0 * TIME), -1.2 * np.sin(2.0 * TIME)
SLEW = 0.5 * np.cos(3.0 * TIME), -1.5 * np.sin(3.0 * TIME), -4.5 * np.cos(3.0 * TIME)
LAG = {"causal": 0.2, "zero-phase": 0.01}  # residual of exact efforts, from lag alone
Rows = tuple[np.ndarray, np.ndarray | None, np.ndarray | None]


class Motion:
    """A motion of the crane: values of ram and joints, exact efforts of the actuators."""

    def __init__(self, model: Model, *, slewing: bool) -> None:
        ram = np.array([
            model.actuator_from_joint("boom_joint", *values) for values in zip(*BOOM, strict=True)
        ]).T  # fmt: skip
        motions = {"slew_joint": SLEW, "ram": ram} if slewing else {"ram": ram}
        ordered = [motions[name] for name in model.actuator_names]
        batch = model.compute(*(np.column_stack(rows) for rows in zip(*ordered, strict=True)))
        efforts = dict(zip(model.actuator_names, batch.actuator_effort.T, strict=True))
        self.values: dict[str, Rows] = {
            name: (values[0], values[1], efforts[name]) for name, values in motions.items()
        }
        self.values["boom_joint"] = BOOM[0], BOOM[1], None


@pytest.fixture(scope="module")
def slewing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    folder = tmp_path_factory.mktemp("slewing")
    return Motion(crane(folder, slewing=True), slewing=True).values


@pytest.fixture(scope="module")
def lifting(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    return Motion(crane(tmp_path_factory.mktemp("lifting")), slewing=False).values


def write(
    folder: Path,
    topics: Mapping[str, Mapping[str, Rows]],
    stamps: np.ndarray | None = None,
    *,
    storage: StoragePlugin = MCAP,
    arrivals: np.ndarray | None = None,
) -> Path:
    """Write a bag with the values on each topic; efforts where they are known."""
    arrivals = START + PERIOD * np.arange(SAMPLES) if arrivals is None else arrivals
    slewing = any("slew_joint" in values for values in topics.values())
    stamps = START + PERIOD * np.arange(SAMPLES) if stamps is None else stamps
    with Writer(folder / "bag", version=8, storage_plugin=storage) as writer:
        text = "std_msgs/msg/String"
        described = writer.add_connection("/robot_description", text, typestore=STORES)
        description = STORES.types[text](data=crane_urdf(slewing=slewing))
        writer.write(described, START, bytes(STORES.serialize_cdr(description, text)))
        connections = {t: writer.add_connection(f"/{t}", KIND, typestore=STORES) for t in topics}
        for k, stamp in enumerate(stamps.tolist()):
            for topic, values in topics.items():
                arrays: list[Any] = []
                for field in zip(*values.values(), strict=True):
                    known = [row for row in field if row is not None]
                    arrays.append(np.array([row[k] for row in known]) if known else None)
                data = message(list(values), arrays[0], arrays[1], stamp, arrays[2])
                writer.write(connections[topic], int(arrivals[k]), data)
    (folder / "crane.yaml").write_text(MECHANISMS)
    return folder / "bag"


def analyze(path: Path, *options: str) -> dict[str, Any]:
    """Return the summary of an analysis."""
    out = path.parent / "summary.json"
    mechanisms = str(path.parent / "crane.yaml")
    arguments = [str(path), "--mechanisms", mechanisms, "--quiet", "--json", str(out), *options]
    assert main(arguments) == 0
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def peaks(summary: dict[str, Any]) -> dict[str, float]:
    return {row["name"]: row["peak_effort"] for row in summary["actuators"]}


def positions(values: Mapping[str, Rows], *names: str) -> dict[str, Rows]:
    return {name: (values[name][0], None, None) for name in names}


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
@pytest.mark.parametrize("name", ["ram", "boom_joint"])
def test_a_cylinder_is_known_by_its_length_or_its_joint_in_joint_states(
    tmp_path: Path, lifting: dict[str, Rows], name: str, smoothing: str
) -> None:
    usual, other = tmp_path / "usual", tmp_path / "other"
    usual.mkdir()
    other.mkdir()
    options = ("--smoothing", smoothing)
    bag = write(usual, {ACTUATOR_LENGTHS: positions(lifting, "ram")})
    expected = analyze(bag, *options)
    found = analyze(write(other, {JOINT_STATES: positions(lifting, name)}), *options)
    assert found["cycles"] == expected["cycles"] == SAMPLES
    assert peaks(found) == pytest.approx(peaks(expected), rel=1e-9)
    assert not any("actuator_lengths" in notice or "ignored" in notice
                   for notice in found["notices"])  # fmt: skip


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
@pytest.mark.parametrize("topic", [JOINT_STATES, ACTUATOR_LENGTHS])
def test_lengths_and_joints_in_one_topic_are_told_apart(
    tmp_path: Path, slewing: dict[str, Rows], topic: str, smoothing: str
) -> None:
    values = {name: slewing[name] for name in ("slew_joint", "ram")}
    found = analyze(write(tmp_path, {topic: values}), "--smoothing", smoothing, "--measured")
    assert found["cycles"] == SAMPLES
    assert [row["name"] for row in found["measured"]] == ["ram", "slew_joint"]
    assert all(row["residual"] < LAG[smoothing] * row["measured"] for row in found["measured"])


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_a_joint_that_contradicts_the_length_is_reported(
    tmp_path: Path, slewing: dict[str, Rows], smoothing: str
) -> None:
    boom = slewing["boom_joint"][0] + 0.15, None, None
    values = {**positions(slewing, "slew_joint", "ram"), "boom_joint": boom}
    found = analyze(write(tmp_path, {JOINT_STATES: values}), "--smoothing", smoothing)
    assert any("joint 'boom_joint'" in notice for notice in found["notices"])


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_good_values_are_not_reported(
    tmp_path: Path, slewing: dict[str, Rows], smoothing: str
) -> None:
    values = {name: slewing[name] for name in ("slew_joint", "ram")}
    values["boom_joint"] = slewing["boom_joint"][0], slewing["boom_joint"][1], np.zeros(SAMPLES)
    bag = write(tmp_path, {JOINT_STATES: values})
    found = analyze(bag, "--smoothing", smoothing, "--measured")
    assert found["notices"] == []


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_velocities_in_degrees_are_reported(
    tmp_path: Path, slewing: dict[str, Rows], smoothing: str
) -> None:
    q, v, _ = slewing["slew_joint"]
    assert v is not None
    values = {"slew_joint": (q, np.degrees(v), None), "ram": (*slewing["ram"][:2], None)}
    found = analyze(write(tmp_path, {JOINT_STATES: values}), "--smoothing", smoothing)
    (line,) = (notice for notice in found["notices"] if "velocity" in notice)
    assert line.startswith("'slew_joint': ") and "degrees per second" in line


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_positions_in_degrees_are_reported(
    tmp_path: Path, slewing: dict[str, Rows], smoothing: str
) -> None:
    q = np.degrees(slewing["slew_joint"][0])
    values = {"slew_joint": (q, None, None), **positions(slewing, "ram")}
    found = analyze(write(tmp_path, {JOINT_STATES: values}), "--smoothing", smoothing)
    (line,) = (notice for notice in found["notices"] if "outside its limits" in notice)
    assert "'slew_joint'" in line and line.endswith("in degrees?")


def currents(values: Mapping[str, Rows]) -> dict[str, Rows]:
    constants = {"slew_joint": 9.0, "ram": -150.0}
    result: dict[str, Rows] = {}
    for name, constant in constants.items():
        q, v, effort = values[name]
        assert effort is not None
        result[name] = q, v, effort / constant
    return result


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_currents_are_reported_with_a_factor_that_makes_them_efforts(
    tmp_path: Path, slewing: dict[str, Rows], smoothing: str
) -> None:
    bag = write(tmp_path, {JOINT_STATES: currents(slewing)})
    found = analyze(bag, "--smoothing", smoothing, "--measured")
    lines = [notice for notice in found["notices"] if "measured effort" in notice]
    assert len(lines) == 2
    assert "'ram'" in lines[0] and "A factor of -15" in lines[0] and "check its sign" in lines[0]
    assert "'slew_joint'" in lines[1] and "A factor of " in lines[1]
    factors = ("--effort-factor", "slew_joint=9", "ram=-150")
    scaled = analyze(bag, "--smoothing", smoothing, "--measured", *factors)
    assert scaled["notices"] == []
    assert all(row["residual"] < LAG[smoothing] * row["measured"] for row in scaled["measured"])


def test_a_factor_of_an_unknown_joint_is_an_error(
    tmp_path: Path, slewing: dict[str, Rows], capsys: pytest.CaptureFixture[str]
) -> None:
    bag = write(tmp_path, {JOINT_STATES: positions(slewing, "slew_joint", "ram")})
    arguments = ["--mechanisms", str(tmp_path / "crane.yaml"), "--quiet"]
    assert main([str(bag), *arguments, "--effort-factor", "slew_join=2"]) == 1
    assert "did you mean 'slew_joint'?" in capsys.readouterr().err


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
@pytest.mark.parametrize("step", [1.0, 0.08])
def test_a_step_of_the_clock_leaves_measured_efforts_with_their_cycles(
    tmp_path: Path, slewing: dict[str, Rows], step: float, smoothing: str
) -> None:
    values = {name: slewing[name] for name in ("slew_joint", "ram")}
    whole, stepped = tmp_path / "whole", tmp_path / "stepped"
    whole.mkdir()
    stepped.mkdir()
    options = ("--smoothing", smoothing, "--measured")
    expected = analyze(write(whole, {JOINT_STATES: values}), *options)
    stamps = START + PERIOD * np.arange(SAMPLES)
    stamps[SAMPLES // 2 :] -= int(step * 1e9)
    found = analyze(write(stepped, {JOINT_STATES: values}, stamps), *options)
    assert any("time jumped back 1 times" in notice for notice in found["notices"])
    assert found["cycles"] >= SAMPLES - 2
    for row, usual in zip(found["measured"], expected["measured"], strict=True):
        assert row["residual"] < usual["residual"] + 5e-3 * usual["measured"]


@pytest.mark.parametrize("storage", [MCAP, SQLITE], ids=["mcap", "sqlite3"])
@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_a_step_of_the_recorder_clock_does_not_mix_the_parts(
    tmp_path: Path, slewing: dict[str, Rows], storage: StoragePlugin, smoothing: str
) -> None:
    values = {name: slewing[name] for name in ("slew_joint", "ram")}
    stamps = START + PERIOD * np.arange(SAMPLES)
    stamps[SAMPLES // 2 :] -= 10**9
    bag = write(tmp_path, {JOINT_STATES: values}, stamps, storage=storage, arrivals=stamps)
    found = analyze(bag, "--smoothing", smoothing, "--measured")
    assert found["cycles"] == SAMPLES
    assert any("in the order of the file" in notice for notice in found["notices"])
    assert all(row["residual"] < LAG[smoothing] * row["measured"] for row in found["measured"])


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_repeated_stamps_are_counted(
    tmp_path: Path, slewing: dict[str, Rows], smoothing: str
) -> None:
    stamps = START + PERIOD * (np.arange(SAMPLES) - np.arange(SAMPLES) % 2)
    bag = write(tmp_path, {JOINT_STATES: positions(slewing, "slew_joint", "ram")}, stamps)
    notices = analyze(bag, "--smoothing", smoothing)["notices"]
    assert any(f"{SAMPLES // 2} of {SAMPLES} samples of joint_states repeat" in n for n in notices)


def test_identification_reports_currents_and_bodies_that_cannot_be(
    tmp_path: Path, slewing: dict[str, Rows], capsys: pytest.CaptureFixture[str]
) -> None:
    values = {**currents(slewing)}
    q, v, effort = values["ram"]
    assert effort is not None
    values["ram"] = q, v, -effort
    bag = write(tmp_path, {JOINT_STATES: values})
    out = tmp_path / "out"
    arguments = [str(bag), "--mechanisms", str(tmp_path / "crane.yaml"), "--out", str(out)]
    assert identify([*arguments, "--quiet", "--no-pictures"]) == 0
    err = capsys.readouterr().err
    assert "'ram': measured effort is 0.006" in err
    assert "link 'boom': identified mass" in err and "described 9 kg" in err
    assert "## Warnings" in (out / "report.md").read_text(encoding="utf-8")
    factors = ["--effort-factor", "slew_joint=9", "ram=150"]
    assert identify([*arguments, "--quiet", "--no-pictures", *factors]) == 0
    assert "link" not in capsys.readouterr().err


@pytest.mark.parametrize("delay", [0.0, 0.03])
def test_identification_reports_filtered_velocities_but_no_noise(
    tmp_path: Path, slewing: dict[str, Rows], capsys: pytest.CaptureFixture[str], delay: float
) -> None:
    random = np.random.default_rng(1)
    q, _, effort = slewing["slew_joint"]
    velocity = -1.5 * np.sin(3.0 * (TIME - delay)) + 0.05 * random.normal(size=SAMPLES)
    values = {**slewing, "slew_joint": (q + 2e-4 * random.normal(size=SAMPLES), velocity, effort)}
    del values["boom_joint"]
    bag = write(tmp_path, {JOINT_STATES: values})
    arguments = [str(bag), "--mechanisms", str(tmp_path / "crane.yaml"), "--no-pictures", "--quiet"]
    assert identify([*arguments, "--out", str(tmp_path / "out")]) == 0
    notice = "'slew_joint': velocity differs from the motion by at least 8 % (RMS)"
    err = capsys.readouterr().err
    assert (notice in err) == ("velocity" in err) == (delay > 0.0)
