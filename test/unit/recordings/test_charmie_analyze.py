# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from input_recordings import PERIOD, message, write_inputs
from recordings import MCAP, START, STORES, Writer, write_recording

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.recordings.commands import one_recording
from charmie_dynamics.recordings.commands.one_recording import run
from charmie_dynamics.recordings.commands.options import main
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.read.recorded_motion import settling_at

KIND = "sensor_msgs/msg/JointState"
PENDULUM = """\
<robot name="pendulum">
  <link name="world"/>
  <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="world"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="5" velocity="4"/></joint>
</robot>
"""
TIME = np.arange(1000) * 0.01
ANGLE, SPEED = 0.8 * np.sin(1.7 * TIME), 0.8 * 1.7 * np.cos(1.7 * TIME)
# of a body on a horizontal axis, from its Lagrangian; gravity pulls the arm to larger angles
EFFORT = 0.6 * (-0.8 * 1.7**2 * np.sin(1.7 * TIME)) - 2.0 * 9.81 * 0.5 * np.cos(ANGLE)
FRICTION = 1.5 * SPEED + 0.7 * np.sign(SPEED) + 0.2


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.urdf"
    path.write_text(PENDULUM)
    return path


def analyze(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main([*map(str, arguments), "--quiet"])
    out, err = capsys.readouterr()
    return status, out, err


def test_everything_is_written_and_summed_up(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_inputs(tmp_path / "in", charmie, 100)
    status, out, err = analyze(
        capsys, path, "--smoothing", "causal", "--out", tmp_path / "out", "--export",
        tmp_path / "t.csv", "--json", tmp_path / "s.json",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert "100 cycles over 0.99 s" in out and "times as fast as real time" in out
    assert "14 of the cycles are from estimates that were settling" in out
    assert all(name in out for name in charmie.actuator_names)
    summary = json.loads((tmp_path / "s.json").read_text())
    with Bag(tmp_path / "out") as bag:
        efforts = np.array([m.effort for m in bag.messages("actuator_efforts")])
        stamps = np.array(bag.stamps("actuator_efforts"))
        left = settling_at(bag, stamps)
        assert left is not None and len(bag.stamps("estimator_settling")) == 14 + 1
    with (tmp_path / "t.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert summary["cycles"] == len(rows) == 100
    assert summary["settling_cycles"] == (left > 0.0).sum() == 14
    assert [float(row["settling"]) for row in rows] == left.tolist()
    for k, actuator in enumerate(summary["actuators"]):
        name = actuator["name"]
        judged = efforts[left == 0.0, k]
        assert actuator["rms_effort"] == pytest.approx(np.sqrt(np.mean(judged**2)))
        assert actuator["peak_effort"] == judged[np.abs(judged).argmax()]
        column = [float(row[f"{name}.effort"]) for row in rows]
        np.testing.assert_array_equal(column, efforts[:, k])


def test_friction_of_a_pendulum_is_found_from_a_bag(
    tmp_path: Path, pendulum: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Writer(tmp_path / "in", version=8, storage_plugin=MCAP) as writer:
        connection = writer.add_connection("/arm/joint_states", KIND, typestore=STORES)
        for k in range(len(TIME)):
            given = [np.array([x[k]]) for x in (ANGLE, SPEED, EFFORT + FRICTION)]
            data = message(["hinge"], given[0], given[1], START + k * PERIOD, given[2])
            writer.write(connection, START + k * PERIOD, data)
    status, out, err = analyze(
        capsys, tmp_path / "in", "--urdf", pendulum, "--measured",
        "--plots", tmp_path, "--json", tmp_path / "s.json", "--export", tmp_path / "t.csv",
        "--friction", tmp_path / "friction.yaml",
    )  # fmt: skip
    assert (status, err) == (0, "")
    (found,) = json.loads((tmp_path / "s.json").read_text())["measured"]
    assert found["measured"] == pytest.approx(np.sqrt(np.mean((EFFORT + FRICTION) ** 2)))
    assert found["residual"] == pytest.approx(np.sqrt(np.mean(FRICTION**2)), rel=5e-3)
    friction = found["friction"]
    assert friction["viscous"] == pytest.approx(1.5, abs=0.03)
    assert friction["coulomb"] == pytest.approx(0.7, abs=0.03)
    assert friction["offset"] == pytest.approx(0.2, abs=0.02)
    assert found["remaining"] < 0.1 and found["unseen"] < 0.1
    measured = EFFORT + FRICTION
    peak = measured[np.abs(measured).argmax()]
    rated = load_model(pendulum).actuator_limits()[0].effort
    assert (found["peak"], found["rated"]) == (pytest.approx(peak), rated)
    table = out.partition("\nmeasured efforts")[2].partition("\n\n")[0]
    (row,) = (line.split() for line in table.splitlines() if line.startswith("hinge"))
    assert row[3:6] == [f"{rated:.4g}", f"{peak:.3f}", f"{100.0 * abs(peak) / rated:.0f}"]
    taken = load_model(pendulum, tmp_path / "friction.yaml").mechanisms.friction["hinge"]
    assert taken.viscous == pytest.approx(friction["viscous"], rel=1e-5)
    assert taken.coulomb == pytest.approx(friction["coulomb"], rel=1e-5)
    assert (tmp_path / "measured.png").stat().st_size > 20_000
    with (tmp_path / "t.csv").open() as file:
        row = next(csv.DictReader(file))
    assert float(row["hinge.measured_effort"]) == EFFORT[0] + FRICTION[0]
    assert "hinge.friction" in row


def test_a_table_of_motor_currents_gives_the_same_friction(
    tmp_path: Path, pendulum: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = np.column_stack((TIME, np.degrees(ANGLE), (EFFORT + FRICTION) / 0.25))
    np.savetxt(tmp_path / "t.csv", rows, delimiter=",", header="t,q,current")
    (tmp_path / "c.yaml").write_text(
        "joints: [hinge]\ntime: t\nposition: {columns: [q], unit: deg}\n"
        "effort: {columns: [current], factor: 0.25, unit: A}\n"
    )
    status, _, err = analyze(
        capsys, tmp_path / "t.csv", "--columns", tmp_path / "c.yaml", "--urdf", pendulum,
        "--measured", "--json", tmp_path / "s.json",
    )  # fmt: skip
    assert (status, err) == (0, "")
    (found,) = json.loads((tmp_path / "s.json").read_text())["measured"]
    assert found["friction"]["viscous"] == pytest.approx(1.5, abs=0.03)
    assert found["remaining"] < 0.1


def test_a_bag_of_outputs_alone_is_summed_up_and_what_is_missing_is_said(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_recording(tmp_path / "in", charmie)
    status, out, err = analyze(capsys, path)
    assert status == 0
    assert "21 cycles" in out and "lift_actuator" in out
    assert "no topic 'joint_states'" in err and "efforts that the node published" in err
    assert analyze(capsys, path, "--out", tmp_path / "out")[0] == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("effort", [None, 0.0], ids=["none", "zero"])
def test_measured_efforts_that_nobody_recorded_are_missed(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str], effort: float | None
) -> None:
    path = write_inputs(tmp_path / "in", charmie, 50, effort=effort)
    status, _, err = analyze(capsys, path, "--measured")
    assert status == 1
    assert "no measured effort" in err


def test_a_bag_without_lengths_is_an_error_that_names_the_way_out(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_inputs(tmp_path / "in", charmie, 50, without=("actuator_lengths",))
    status, out, err = analyze(capsys, path, "--out", tmp_path / "out")
    assert (status, out) == (1, "")
    assert "--hold lift_actuator=VALUE torso_actuator=VALUE" in err
    assert not (tmp_path / "out").exists()
    hold = ("--hold", "lift_actuator=0.4", "torso_actuator=0.35")
    status, out, err = analyze(capsys, path, *hold)
    assert status == 0 and "50 cycles" in out
    assert "no topic 'actuator_lengths'" in err


@pytest.mark.parametrize(
    ("without", "reason"),
    [
        (("joint_states", "actuator_lengths"), "no topic 'joint_states'"),
        (("robot_description",), "no topic 'robot_description' in the bag: the robot is taken"),
    ],
)
def test_an_error_tells_what_the_bag_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], without: tuple[str, ...], reason: str
) -> None:
    path = write_inputs(tmp_path / "in", load_model("charmie_lar"), 5, without=without)
    status, _, err = analyze(capsys, path)
    assert status == 1
    assert "no cycle could be computed" in err and reason in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--plots", "p", "--no-dynamics"), "--plots uses efforts"),
        (("arm.csv",), "'arm.csv': a table needs --columns"),
        (("--storage", "mcap"), "--storage needs --out"),
        (("--world-frame", "map"), "--world-frame needs --out"),
        (("--odometry", "odom"), "--odometry needs --contacts"),
        (("--columns", "c.yaml", "--joint-states", "a"), "--joint-states: expected a bag"),
        (("--friction", "f.yaml"), "--measured"),
        (("--measured", "--no-dynamics"), "--no-dynamics"),
        (("--cutoff", "0"), "above 0"),
        (("--hold", "lift_actuator"), "ACTUATOR=VALUE"),
        (("--hold", "lift_actuator=nan"), "ACTUATOR=VALUE"),
        (("--payload", "left"), "NAME=MASS"),
        (("--payload", "left=a"), "NAME=MASS"),
        (("--payload", "left=1,2"), "expected 1, 4 or 10 numbers, got 2"),
        (("--payload", "left=-1"), "mass: expected a positive number"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SystemExit):
        main(["bag", *arguments])
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("count", "drawn"), [(5, ["efforts.png"]), (1, [])])
def test_the_computed_efforts_of_two_cycles_or_more_are_drawn(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str], count: int, drawn: list[str]
) -> None:
    path = write_inputs(tmp_path / "in", charmie, count)
    simple = ["--no-acceleration", "--smoothing", "causal"]
    status, _, err = analyze(capsys, path, *simple, "--plots", tmp_path / "charts")
    assert (status, "expected two cycles or more, got 1" in err) == (0, not drawn), err
    assert [each.name for each in (tmp_path / "charts").glob("*")] == drawn


def test_options_that_cannot_be_met_are_told_before_anything_is_computed(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = write_inputs(tmp_path / "in", charmie, 5)
    monkeypatch.setattr("charmie_dynamics.recordings.compute.analysis.METHODS", {})
    status, _, err = analyze(capsys, path, "--hold", "lift_actuatr=0.3")
    assert status == 1 and "did you mean" in err
    status, _, err = analyze(capsys, path, "--json", tmp_path)
    assert status == 1 and "expected the name of a file, got a folder" in err
    status, _, err = analyze(capsys, path, "--measured", "--plots", path / "metadata.yaml")
    assert status == 1 and "expected the name of a folder, got a file" in err
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    status, _, err = analyze(capsys, path, "--export", "t.xlsx")
    assert status == 1 and ".csv or .parquet" in err
    status, _, err = analyze(capsys, path, "--export", "t.parquet")
    assert status == 1 and "pip install pyarrow" in err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, _, err = analyze(capsys, path, "--measured", "--plots", tmp_path / "p")
    assert status == 2 and "matplotlib is not installed" in err


def test_the_speed_excludes_compilation(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    event = pytest.importorskip("numba.core.event", reason="numba is missing")
    path = write_inputs(tmp_path / "in", charmie, 5)

    def compile_and_run(options: Any) -> Any:
        with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            time.sleep(1.0)
        return run(options)

    monkeypatch.setattr(one_recording, "run", compile_and_run)
    start = time.perf_counter()
    _, out, _ = analyze(capsys, path)
    total = time.perf_counter() - start
    computed = float(out.partition("computed in ")[2].split()[0])
    assert computed <= total - 1.0 + 0.005  # s, rounded to 0.01 s in the text


def test_parquet_holds_the_same_numbers_as_csv(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is missing")
    path = write_inputs(tmp_path / "in", charmie, 20)
    files = (tmp_path / "t.csv", tmp_path / "t.parquet")
    assert analyze(capsys, path, "--export", *files)[0] == 0
    columns = parquet.read_table(files[1]).to_pydict()
    with files[0].open() as file:
        rows = list(csv.DictReader(file))
    assert list(columns) == list(rows[0])
    for name, values in columns.items():
        assert values == [type(values[0])(row[name]) for row in rows]


def test_the_command_needs_no_ros(tmp_path: Path, charmie: Model) -> None:
    path = write_inputs(tmp_path / "in", charmie, 20)
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('rclpy', 'sensor_msgs', 'tf2_msgs')))\n"
        "from charmie_dynamics.recordings.commands.options import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    root = share_file("urdf", "charmie.urdf").parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), "--out", str(tmp_path / "out")],
        cwd=root, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "samples: 100%" in done.stderr  # the progress bar


def test_a_link_that_no_body_can_be_is_said_and_computed(
    tmp_path: Path, pendulum: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pendulum.write_text(PENDULUM.replace('izz="0.1"', 'izz="0.3"'))
    np.savetxt(tmp_path / "t.csv", np.column_stack((TIME, ANGLE)), delimiter=",", header="t,q")
    (tmp_path / "c.yaml").write_text(
        "joints: [hinge]\ntime: t\nposition: {columns: [q], unit: rad}\n"
    )
    status, out, err = analyze(
        capsys, tmp_path / "t.csv", "--columns", tmp_path / "c.yaml", "--urdf", pendulum
    )
    assert status == 0
    assert "hinge" in out
    assert err.startswith(f"charmie_analyze: {pendulum}, line 3: link 'arm': no body has these")
    assert err.count("\n") == 1


def test_a_prefix_that_makes_frame_ids_too_long_is_refused(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_inputs(tmp_path / "in", charmie, 5)
    status, _, err = analyze(capsys, path, "--out", tmp_path / "out", "--frame-prefix", "p" * 1000)
    assert status == 1
    assert "frame_prefix" in err and "expected at most 255" in err
    assert not (tmp_path / "out").exists()
