# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""charmie_identify: bags to a URDF and a mechanisms file, and a proposed motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from input_recordings import wave, write_inputs

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are identified")

from charmie_dynamics import CharmieError, Model, Payload, load_model
from charmie_dynamics.model.flat.friction_laws import direction
from charmie_dynamics.motions import make_motion
from charmie_dynamics.studies.commands import identify
from charmie_dynamics.studies.commands.identify_options import main, parse_options

SAMPLES = 800
HEAVIER = 1.15
VISCOUS, COULOMB = 3.0, 2.0
PENDULUM = """<robot name="pendulum">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit effort="20" velocity="10"/></joint>
  <loop_joint/>
</robot>"""


@pytest.fixture(scope="module")
def bag(charmie: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`wave` of a robot whose every link and spring is stronger, with friction."""
    position, velocity, acceleration = wave(charmie, SAMPLES)
    effort = charmie.compute(position, velocity, acceleration).actuator_effort
    transition = 0.01 * np.array([limit.velocity for limit in charmie.actuator_limits()])
    friction = direction(velocity, np.broadcast_to(transition, velocity.shape))
    measured = HEAVIER * effort + VISCOUS * velocity + COULOMB * friction
    folder = tmp_path_factory.mktemp("identify") / "bag"
    return write_inputs(folder, charmie, SAMPLES, effort=measured)


@pytest.fixture(scope="module")
def found(bag: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("identified") / "found"
    assert main([str(bag), "--out", str(folder), "--quiet", "--no-pictures"]) == 0
    return folder


def test_the_written_robot_has_the_measured_efforts(charmie: Model, found: Path) -> None:
    robot = load_model(found / "identified.urdf", found / "identified_mechanisms.yaml")
    motion = wave(charmie, SAMPLES)
    expected = HEAVIER * charmie.compute(*motion).actuator_effort
    got = robot.compute(*motion, friction=False).actuator_effort
    usual = np.sqrt(np.mean(expected**2, axis=0)) + COULOMB
    assert (np.sqrt(np.mean((got - expected) ** 2, axis=0)) < 0.03 * usual).all()
    arm = robot.mechanisms.friction["left_arm_joint_2"]
    assert arm.viscous == pytest.approx(VISCOUS, rel=0.1)
    assert arm.coulomb == pytest.approx(COULOMB, rel=0.1)


def test_the_files_say_where_their_numbers_come_from(found: Path) -> None:
    text = (found / "identified_mechanisms.yaml").read_text(encoding="utf-8")
    entries = yaml.safe_load(text)
    assert entries["sources"]["inertials"] == "identified from bag"
    assert entries["sources"]["geometry"] == "published"
    assert entries["springs"]["torso_spring"]["source"].startswith("identified: stiffness ")
    assert "# An extension spring between two points pulls them together" in text
    (line,) = (line for line in text.splitlines() if line.startswith("  left_arm_joint_2: {v"))
    assert "+-" in line and "N m s/rad" in line
    assert "identified from bag" in (found / "identified.urdf").read_text(encoding="utf-8")


def test_the_report_compares_measured_described_and_identified_efforts(found: Path) -> None:
    text = (found / "report.md").read_text(encoding="utf-8")
    assert "| base_x_carriage m | kg | 0 |" in text
    assert "_joint rotor" not in text  # the measured robot has none
    rows = [line for line in text.splitlines() if line.startswith("| left_arm_joint_2 | N m ")]
    measured, described, _, identified = (float(rows[0].split("|")[k]) for k in (3, 4, 5, 6))
    assert identified < 0.1 * described < measured


def test_the_report_begins_with_the_largest_significant_differences(found: Path) -> None:
    text = (found / "report.md").read_text(encoding="utf-8")
    assert text.index("`mx`") < text.index("## Largest differences") < text.index("## Efforts")
    section = text.partition("## Largest differences")[2].partition("## Efforts")[0]
    rows = [line.split("|")[3:6] for line in section.splitlines() if line.startswith("| ")][2:]
    assert 2 <= len(rows) <= 10
    for described, estimate, width in rows:
        assert abs(float(estimate) - float(described)) > float(width.replace("+-", ""))


def test_a_payload_is_found_in_a_recording(
    charmie: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded = charmie.with_loads({"right_tool": Payload(0.7, (0.02, 0.0, -0.05))})
    effort = loaded.compute(*wave(charmie, SAMPLES)).actuator_effort
    bag = write_inputs(tmp_path / "loaded", charmie, SAMPLES, effort=effort)
    out = [str(bag), "--out", str(tmp_path / "found"), "--quiet", "--no-pictures"]
    assert main([*out, "--find-payload", "right"]) == 0
    text = capsys.readouterr().out
    (line,) = (line for line in text.splitlines() if line.startswith("payload right: mass "))
    assert f"**{line}**" in (tmp_path / "found" / "report.md").read_text(encoding="utf-8")
    option = text.partition("--payload right=")[2].split()[0]
    assert [float(value) for value in option.split(",")] == pytest.approx(
        [0.7, 0.02, 0.0, -0.05], abs=0.01
    )
    written = load_model(tmp_path / "found" / "identified.urdf")
    assert written.tree.urdf == charmie.tree.urdf  # bodies stay as described
    # a payload that is set is no part of the one found
    assert main([*out, "--find-payload", "right", "--payload", f"right={option}"]) == 0
    assert "payload right: mass 0.7" not in capsys.readouterr().out


def test_pictures_are_drawn(bag: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is missing, which draws charts")
    arguments = [str(bag), "--out", str(tmp_path), "--quiet", "--no-inertials", "--no-springs"]
    assert main([*arguments, "--actuators", "neck_pan_joint"]) == 0
    assert (tmp_path / "efforts_1.png").exists() and (tmp_path / "numbers_1.png").exists()


def test_what_cannot_be_is_said(
    bag: Path, charmie: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path), "--quiet", "--no-pictures"]
    assert main([str(bag), *out, "--actuators", "neck_pan"]) == 1
    assert (
        "actuator 'neck_pan' is unknown; did you mean 'neck_pan_joint'?" in capsys.readouterr().err
    )
    silent = write_inputs(tmp_path / "silent", charmie, 50)
    assert main([str(silent), *out]) == 1
    assert "no effort of an actuator was measured in 50 samples" in capsys.readouterr().err
    short = write_inputs(tmp_path / "short", charmie, 30, effort=1.0)
    assert main([str(short), *out]) == 1
    assert "unknowns cannot be found from" in capsys.readouterr().err
    assert main([str(tmp_path / "nowhere"), *out]) == 1
    assert "nowhere" in capsys.readouterr().err
    other = write_inputs(
        tmp_path / "other", load_model("charmie_lar"), 50, effort=1.0, urdf="charmie_lar.urdf"
    )
    assert main([str(bag), str(other), *out]) == 1
    assert "expected recordings of one robot, or --urdf" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--seed=-1", "expected a whole number of at least 0, got '-1'"),
        ("--rounds=-1", "expected a whole number above 0, got '-1'"),
        ("--margin=nan", "expected a number above 0, got 'nan'"),
    ],
)
def test_settings_of_the_search_out_of_range_are_refused(
    option: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--propose", str(tmp_path / "motion.csv"), option])
    assert expected in capsys.readouterr().err


def test_the_warnings_of_the_default_robot_are_reported_with_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "default.urdf").write_text(PENDULUM)
    model = identify.read_model(tmp_path / "default.urdf")
    monkeypatch.setattr(identify, "read_model", lambda *_: model)
    columns = tmp_path / "columns.yaml"
    columns.write_text("joints: [hinge]\ntime: t\nposition: [q]\neffort: [m]\n")
    table = tmp_path / "t.csv"
    time = np.arange(0.0, 4.0, 0.02)
    rows = np.column_stack((time, np.sin(time), np.sin(time)))
    np.savetxt(table, rows, delimiter=",", header="t,q,m", comments="")
    out = ["--out", str(tmp_path / "out"), "--quiet", "--no-pictures", "--no-inertials"]
    assert main([str(table), "--columns", str(columns), *out]) == 0
    assert "loop_joint" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "expected at least one BAG, or --propose"),
        (["bag"], "expected --out DIR"),
        (["bag", "--propose", "motion.csv"], "expected no BAG"),
        (["--propose", "motion.txt"], "--propose writes a table, FILE.csv"),
        (
            ["bag", "--out", "x", "--no-inertials", "--no-friction", "--no-springs"],
            "nothing is left",
        ),
        (["bag", "--out", "x", "--margin", "0.1"], "--margin: expected --propose"),
        (["--propose", "m.csv", "--find-payload", "right"], "--find-payload: expected a recording"),
        (["bag", "--out", "x", "--harmonics", "5"], "--harmonics: expected --propose"),  # default
        (["bag", "--out", "x", "--still", "a", "b"], "--still: expected --propose"),
        (["--propose", "m.csv", "--cutoff", "5"], "--cutoff: expected a recording, got --propose"),
        (["--propose", "m.csv", "--theme", "light"], "--theme: expected a recording"),
        (["--propose", "m.csv", "--no-pictures"], "--no-pictures: expected a recording"),
        (["--propose", "m.csv", "--hold", "a=1"], "--hold: expected a recording"),
        (
            ["t.csv", "--out", "x", "--columns", "c.yaml", "--namespace", "n"],
            "--namespace: expected a bag, got a table with --columns",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert said in capsys.readouterr().err


def test_all_options_without_a_mode_fit_both() -> None:
    common = ["--urdf", "scara", "--mechanisms", "m.yaml", "--offsets", "--no-friction", "--quiet"]
    both = [*common, "--no-springs", "--no-inertials", "--rotors"]
    assert parse_options(["--propose", "m.csv", *both]).cutoff is None
    assert parse_options(["bag", "--out", "found", *both]).margin == 0.05


def test_notices_of_several_recordings_name_their_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.urdf").write_text(PENDULUM)
    columns = tmp_path / "columns.yaml"
    columns.write_text("joints: [hinge]\ntime: t\nposition: [q]\neffort: [m]\n")
    time = np.arange(0.0, 4.0, 0.02)
    rows = np.column_stack((time, np.sin(time), np.sin(time)))
    tables = [tmp_path / name for name in ("sorted.csv", "mixed.csv")]
    for table, order in zip(tables, (slice(None), slice(None, None, -1)), strict=True):
        np.savetxt(table, rows[order], delimiter=",", header="t,q,m", comments="")
    out = ["--out", str(tmp_path / "out"), "--quiet", "--no-pictures", "--no-inertials"]
    robot = ["--urdf", str(tmp_path / "arm.urdf"), "--columns", str(columns)]
    assert main([*map(str, tables), *robot, *out]) == 0
    said = f"{tables[1]}: the rows are not in the order of their times: sorted"
    error = capsys.readouterr().err.splitlines()
    assert [line for line in error if "in the order" in line] == [f"charmie_identify: {said}"]
    assert f"- {said}\n" in (tmp_path / "out" / "report.md").read_text()


def test_a_proposed_motion_can_be_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "exciting.csv"
    options = ["--urdf", "scara", "--duration", "8", "--rounds", "2", "--still", "joint_1"]
    assert main(["--propose", str(path), *options]) == 0
    assert "condition number" in capsys.readouterr().out
    model = load_model("scara")
    motion = make_motion(str(path), model)
    assert motion.duration == pytest.approx(8.0)
    for time in (0.0, motion.duration):
        _, velocity, _ = motion.at(time)
        assert abs(velocity).max() < 1e-9
    assert motion.at(3.0)[1][0] == 0.0 and abs(motion.at(3.0)[1][1:]).min() > 0.0
    with pytest.raises(CharmieError, match=r"has no column base_x_joint\.position"):
        make_motion(str(path), load_model("charmie_lar"))
    assert main(["--propose", str(path), "--urdf", "scara", "--still", "joint_7"]) == 1
    assert "actuator 'joint_7' to stand still is unknown" in capsys.readouterr().err
