# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What `charmie_analyze` says of loads, and of robots that can bear them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from input_recordings import before, inertia, wrench, write_inputs
from recordings import START

from charmie_dynamics import Model, load_model
from charmie_dynamics.recordings.commands.options import main
from charmie_dynamics.recordings.read.bag import Bag

LEFT, ASSUMED = "/payload/left", "/assumed_payload/left"


def analyze(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main([*map(str, arguments), "--quiet"])
    out, err = capsys.readouterr()
    return status, out, err


def test_loads_are_summed_up_for_people_and_programs(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    told = [
        inertia(LEFT, START - 10, 0.3),  # superseded before there is anything to compute
        inertia(LEFT, START - 9, 1.5, (0.1, 0.2, 0.3)),
        inertia(LEFT, before(50), 0.0),
        wrench(before(10), "right_tool", (5.0, 0.0, 0.0)),
        wrench(before(11), "right_tool", (5.0, 0.0, 0.0)),
    ]
    path = write_inputs(tmp_path / "in", charmie, 100, told=told)
    status, out, err = analyze(capsys, path, "--json", tmp_path / "s.json")
    assert (status, err) == (0, "")
    assert (
        "\n\nleft_tool holds a payload of 1.5 kg from the start (/payload/left)\n"
        "left_tool holds nothing from 0.50 s on (/payload/left)\n"
        "right_tool is pushed by 2 wrenches\n\n"
    ) in out
    summary = json.loads((tmp_path / "s.json").read_text())
    first, last = summary["payloads"]
    assert (first["link"], first["time"], first["mass"]) == ("left_tool", 0.0, 1.5)
    assert first["p_link_com"] == [0.1, 0.2, 0.3] and np.shape(first["inertia"]) == (3, 3)
    assert (last["mass"], last["inertia"], last["source"]) == (0.0, None, LEFT)
    assert summary["wrenches"] == {"right_tool": 2}


def test_the_option_gives_the_efforts_of_a_recording_with_that_payload(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = (1.5, 0.02, -0.01, 0.08)
    told = [inertia(LEFT, before(0), numbers[0], numbers[1:])]
    loaded = write_inputs(tmp_path / "loaded", charmie, 20, told=told)
    bare = write_inputs(
        tmp_path / "bare", charmie, 20, told=[inertia(ASSUMED, before(0), 0.0, stamp=START - 10)]
    )
    option = "left=" + ",".join(map(str, numbers))
    efforts = []
    for path, options in ((loaded, ()), (bare, ("--payload", option, "right=0"))):
        status, out, _ = analyze(capsys, path, *options, "--out", tmp_path / f"out {path.name}")
        assert status == 0
        with Bag(tmp_path / f"out {path.name}") as bag:
            efforts.append([m.effort for m in bag.messages("actuator_efforts")])
    np.testing.assert_array_equal(*efforts)
    assert "left_tool holds a payload of 1.5 kg from the start (--payload left)" in out


def test_a_payload_without_a_link_is_an_error_with_the_valid_names(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_inputs(tmp_path / "in", charmie, 5)
    status, _, err = analyze(capsys, path, "--payload", "lefd=1")
    assert status == 1
    assert "payload 'lefd': the mechanisms file of 'charmie'" in err and "'left'" in err


def test_refused_loads_are_told(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    told = [wrench(before(1), "nowhere", (1.0, 0.0, 0.0))]
    status, _, err = analyze(capsys, write_inputs(tmp_path / "in", charmie, 20, told=told))
    assert status == 0
    assert "/external_wrench: 1 messages refused, the first since expected the frame" in err


def test_the_other_robot_of_the_package_is_recognised_and_so_is_what_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = load_model("charmie_lar")
    path = write_inputs(tmp_path / "in", robot, 50, urdf="charmie_lar.urdf")
    status, out, err = analyze(capsys, path, "--out", tmp_path / "out")
    assert (status, err) == (0, "")
    assert "50 cycles" in out and all(name in out for name in robot.actuator_names)
    status, out, err = analyze(capsys, tmp_path / "out")
    assert status == 0
    assert "50 cycles" in out and "efforts that the node published" in err


def test_a_robot_of_the_package_may_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = load_model("charmie_lar")
    path = write_inputs(tmp_path / "in", robot, 20, without=("robot_description",))
    status, out, err = analyze(capsys, path, "--urdf", "charmie_lar")
    assert (status, err) == (0, "")
    assert out.startswith("charmie_lar: 20 cycles")


def test_a_file_with_the_name_of_a_robot_of_the_package_is_read_as_a_file(
    tmp_path: Path, charmie: Model, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "charmie_lar").write_text("<robot")
    monkeypatch.chdir(tmp_path)
    path = write_inputs(tmp_path / "in", charmie, 5)
    status, _, err = analyze(capsys, path, "--urdf", "./charmie_lar")
    assert status == 1 and "charmie_lar" in err


def test_a_payload_beyond_all_measure_leaves_the_summary_readable_for_programs(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_inputs(tmp_path / "in", charmie, 20, told=[inertia(LEFT, before(1), 1e300)])
    with np.errstate(over="ignore"):
        assert analyze(capsys, path, "--json", tmp_path / "s.json")[0] == 0
    text = (tmp_path / "s.json").read_text()
    summary = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    rms = {actuator["name"]: actuator["rms_effort"] for actuator in summary["actuators"]}
    assert rms["lift_actuator"] is None and rms["neck_pan_joint"] > 0.0
