# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Candidates and described robots: what counts as a robot, and whose limits count."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is missing, with which studies search")

from charmie_dynamics import load_model
from charmie_dynamics.studies import Study, read_study
from charmie_dynamics.studies.commands.study_options import main

URDF = """
<robot name="crane">
  <link name="mast"><inertial><origin xyz="0 0 0.5"/><mass value="30"/>
    <inertia ixx="2" iyy="2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="mast"/><child link="boom"/>
    <origin xyz="0 0 1"/><axis xyz="0 -1 0"/>
    <limit lower="-0.6" upper="1.0" effort="150" velocity="1"/></joint>
  <link name="boom"><inertial><origin xyz="0.4 0 0"/><mass value="7"/>
    <inertia ixx="0.02" iyy="0.4" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""
SPRING = """
springs:
  coil: {base_body: mast, base_point: [0, 0, 1.3], tip_body: boom, tip_point: [0.25, 0, 0],
         stiffness: 350.0, free_length: 0.0}
"""
RAM = """
linear_actuators:
  ram: {joint: hinge, base_body: mast, base_point: [0.1, 0, 0.4], tip_body: boom,
        tip_point: [0.3, 0, 0], length_limits: [0.42, 0.85], effort_limit: 900}
"""
STUDY = """
study: crane
urdf: crane.urdf
mechanisms: crane.yaml
variables: {variables}
motions: {motions}
objectives: {objectives}
{constraints}
methods: {methods}
"""
STIFFNESS = "{k: {path: springs.coil.stiffness, bounds: [500, 900]}}"
PARTS = {
    "variables": STIFFNESS,
    "motions": "{poses: {random: 4, duration: 3, rate: 5, static: true}}",
    "objectives": "{effort: {peak: hinge}}",
    "constraints": "",
    "methods": "[{grid: 5}]",
}


def crane(folder: Path, mechanisms: str = SPRING, **parts: str) -> Path:
    """Write a study of a crane."""
    (folder / "crane.urdf").write_text(URDF)
    (folder / "crane.yaml").write_text(mechanisms)
    (folder / "study.yaml").write_text(STUDY.format(**{**PARTS, **parts}))
    return folder / "study.yaml"


def reasons(study: Study, *values: float) -> list[str]:
    return [study.evaluator.evaluate([value]).reason for value in values]


def test_the_described_robot_is_not_moved_into_the_bounds(tmp_path: Path) -> None:
    study = read_study(crane(tmp_path))
    model = load_model(tmp_path / "crane.urdf", tmp_path / "crane.yaml")
    (motion,) = study.evaluator.motions
    expected = np.abs(model.compute(*motion_of(motion)).actuator_effort).max()
    assert study.evaluator.described.tolist() == [350.0] and study.start.tolist() == [500.0]
    assert study.evaluator.evaluate_described().values[0] == pytest.approx(expected, rel=1e-12)
    assert study.scales()[0] == pytest.approx(expected, rel=1e-12)


def motion_of(motion: object) -> tuple[np.ndarray, ...]:
    return tuple(getattr(motion, what) for what in ("position", "velocity", "acceleration"))


def test_a_list_without_the_described_part_has_no_row_for_it(tmp_path: Path) -> None:
    parts = "{part: {list: {springs.coil.stiffness: [300, 500], wire: [0.002, 0.003]}}}"
    objectives = "{stress: {spring_stress: coil, wire: part.wire, coil: 0.02}}"
    study = read_study(crane(tmp_path, variables=parts, objectives=objectives))
    assert np.isnan(study.evaluator.described).all()
    assert np.isnan(study.evaluator.evaluate_described().values).all()
    assert np.isfinite(study.scales()).all()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("springs.coil.stiffness", -5.0, "minimum"),
        ("springs.coil.free_length", -0.1, "minimum"),
        ("inertials.boom.mass", -0.5, "mass must not be negative"),
        ("inertials.boom.inertia.yy", -1.0, "principal moments"),
        ("inertials.boom.inertia.yy", 5.0, "triangle inequality"),
        ("joints.hinge.lower", 1.5, "lower limit must not exceed the upper"),
    ],
)
def test_numbers_that_files_must_not_have_are_refused(
    tmp_path: Path, path: str, value: float, message: str
) -> None:
    study = read_study(crane(tmp_path, variables=f"{{x: {{path: {path}, bounds: [-9, 9]}}}}"))
    assert message in reasons(study, value)[0]


def test_a_search_stops_at_numbers_that_files_must_not_have(tmp_path: Path) -> None:
    variables = "{m: {path: inertials.boom.mass, bounds: [-1, 8]}}"
    path = crane(tmp_path, variables=variables, methods="[local]")
    assert main([str(path), "--out", str(tmp_path / "out"), "--quiet", "--no-pictures"]) == 0
    best = load_model(
        tmp_path / "out" / "winners" / "local" / "robot.urdf", tmp_path / "crane.yaml"
    )
    assert best.tree.links["boom"].inertial.mass >= 0.0
    report = (tmp_path / "out" / "report.md").read_text()
    assert "refused for a reason such as" in report and "mass must not be negative" in report


def test_motions_keep_the_limits_of_the_candidate(tmp_path: Path) -> None:
    variables = "{x: {path: 'linear_actuators.ram.tip_point[0]', bounds: [0.1, 0.9]}}"
    motions = "{hold: {random: 4, duration: 2, rate: 5}}"
    study = read_study(
        crane(tmp_path, RAM, variables=variables, motions=motions, objectives="{f: {peak: ram}}")
    )
    fits, long = reasons(study, 0.31, 0.8)
    assert not fits and "actuator 'ram' is at" in long and "beyond its limits" in long


def test_limits_beyond_the_reach_of_moved_pins_are_narrowed_and_written(tmp_path: Path) -> None:
    ram = RAM.replace("[0.42, 0.85]", "[0.4, 0.88]")
    variables = "{x: {path: 'linear_actuators.ram.tip_point[0]', bounds: [0.22, 0.3]}}"
    motions = "{hold: {random: 4, duration: 2, rate: 5, beyond_limits: true}}"
    study = read_study(
        crane(tmp_path, ram, variables=variables, motions=motions, objectives="{f: {peak: ram}}")
    )
    evaluator = study.evaluator
    limit = evaluator.model([0.25]).actuator_limits()[0]
    shortest, longest = evaluator.model([0.25]).reach("ram")
    assert shortest < limit.lower < limit.upper < longest < 0.88
    numbers = evaluator.numbers([0.25])
    assert numbers["linear_actuators.ram.length_limits[1]"] == limit.upper


def test_random_motions_stay_within_reach(tmp_path: Path) -> None:
    free = RAM.replace("length_limits: [0.42, 0.85], ", "")
    motions = "{any: {random: 1, duration: 20, rate: 10}}"
    variables = "{m: {path: inertials.boom.mass, bounds: [5, 9]}}"
    study = read_study(
        crane(tmp_path, free, variables=variables, motions=motions, objectives="{f: {peak: ram}}")
    )
    (motion,) = study.evaluator.motions
    shortest, longest = study.evaluator.base.reach("ram")
    assert shortest < motion.position.min() and motion.position.max() < longest
    assert not study.evaluator.evaluate_described().reason


def test_a_study_without_a_feasible_candidate_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = crane(tmp_path, constraints="constraints: {t: {spring_tension: coil, max: 1}}")
    out = tmp_path / "out"
    assert main([str(path), "--out", str(out), "--quiet", "--no-pictures"]) == 1
    assert "no candidate meets the constraints" in capsys.readouterr().err
    assert "No candidate meets the constraints" in (out / "report.md").read_text()
    assert not (out / "winners").exists()


def test_a_study_of_the_mass_alone_has_a_report(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is missing, which draws charts")
    path = crane(tmp_path, objectives="{m: {mass: true}}")
    out = tmp_path / "out"
    assert main([str(path), "--out", str(out), "--quiet"]) == 0
    assert (out / "report.md").exists() and not (out / "before_and_after.png").exists()
