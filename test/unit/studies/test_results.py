# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a study writes: the table, the files of the winners, the report, pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from study_texts import TORSO, text_of

from charmie_dynamics import CharmieError, load_model
from charmie_dynamics.model.equations.number_paths import numbers_by_path
from charmie_dynamics.studies import read_study
from charmie_dynamics.studies.commands.study_options import main
from charmie_dynamics.studies.results.table import read_table

VARIABLES = (
    f"{TORSO}\nhead: {{path: inertials.head.mass, bounds: [1, 2]}}\n"
    "free: {path: springs.torso_spring.free_length, steps: [0.15, 0.18]}"
)
OBJECTIVES = "torso: {peak: torso_actuator}\ntension: {spring_tension: torso_spring}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("study")
    text = text_of(
        "study: springs and head\nseed: 7",
        variables=VARIABLES,
        objectives=OBJECTIVES,
        constraints="margin: {margin: true, min: 0.01}",
        methods="[{sobol: 8}, {sensitivity: 8}, {pareto: 2}]",
    )
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    assert main([str(folder / "study.yaml"), "--out", str(folder / "out"), "--quiet"]) == 0
    return folder


def test_the_table_has_study_seed_and_versions(folder: Path) -> None:
    table = read_table(folder / "out/results.parquet")
    assert table.attrs["study"] == (folder / "study.yaml").read_text(encoding="utf-8")
    assert table.attrs["seed"] == 7
    assert '"numpy"' in table.attrs["versions"]
    assert (folder / "out/study.yaml").read_text(encoding="utf-8") == table.attrs["study"]


def test_each_candidate_of_the_table_has_its_quantities(folder: Path) -> None:
    table, study = read_table(folder / "out/results.parquet"), read_study(folder / "study.yaml")
    assert set(np.unique(table["method"].values)) == {"sobol", "sensitivity", "pareto"}
    variables = [f"variable.{name}" for name in study.evaluator.space.names]
    for row in (0, 20, len(table["method"]) - 1):
        candidate = [float(table[name][row]) for name in variables]
        expected = study.evaluator.evaluate(candidate).values
        found = [float(table[f"quantity.{name}"][row]) for name in study.names]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert bool(table["feasible"][row]) == study.feasible(expected[None])[0]
        assert table["undefined"][row] == ""


def test_a_winners_files_are_a_robot_with_its_quantities(folder: Path) -> None:
    study = read_study(folder / "study.yaml")
    (winner,) = (folder / "out/winners").glob("sobol")
    model = load_model(winner / "robot.urdf", winner / "mechanisms.yaml")
    numbers = numbers_by_path(model.tree, model.mechanisms)
    space = study.evaluator.space
    candidate = [numbers[next(iter(variable.factors))] for variable in space.variables]
    table = read_table(folder / "out/results.parquet")
    rows = np.stack([table[f"variable.{name}"].values for name in space.names], axis=1)
    row = int(np.argmin(abs(rows / candidate - 1.0).sum(axis=1)))
    np.testing.assert_allclose(rows[row], candidate, rtol=1e-11)
    motion = study.evaluator.motions[0]
    batch = model.compute(motion.position, motion.velocity, motion.acceleration)
    k = model.actuator_names.index("torso_actuator")
    peak = abs(batch.actuator_effort[:, k]).max()
    assert peak == pytest.approx(float(table["quantity.torso"][row]), rel=1e-9)


def test_a_winners_file_keeps_comments_and_says_where_it_is_from(
    folder: Path, repository: Path
) -> None:
    before = (repository / "config/charmie_mechanisms.yaml").read_text(encoding="utf-8")
    after = (folder / "out/winners/sobol/mechanisms.yaml").read_text(encoding="utf-8")
    heading, _, rest = after.partition("\n")
    assert heading.startswith("# found by the study 'springs and head' (sobol): ")
    lines, others = before.splitlines(), rest.splitlines()
    assert len(lines) == len(others)
    changed = [a for a, b in zip(lines, others, strict=True) if a != b]
    assert 1 <= len(changed) <= 2
    assert all("stiffness" in line or "free_length" in line for line in changed)


def test_the_report_tells_what_was_and_what_is(folder: Path) -> None:
    text = (folder / "out/report.md").read_text(encoding="utf-8")
    study = read_study(folder / "study.yaml")
    was = study.evaluator.evaluate(study.start).values
    assert text.startswith("# springs and head")
    assert f"`torso_actuator` (N) | {was[0]:.6g} |" in text
    assert "seed 7" in text
    assert "| stiffness | 4200 |" in text
    assert "Sobol indices of `sensitivity`" in text and "Pareto front of `pareto`" in text
    for picture in (folder / "out").glob("*.png"):
        assert f"]({picture.name})" in text


def test_indices_and_fronts_are_tables(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is missing")
    indices = parquet.read_table(folder / "out/sensitivity_indices.parquet").to_pydict()
    assert indices["variable"] == ["stiffness", "head", "free"] * 3
    front = parquet.read_table(folder / "out/pareto_front.parquet").to_pydict()
    assert np.argmin(front["quantity.torso"]) != np.argmin(front["quantity.tension"])


def test_there_is_a_picture_of_each_kind(folder: Path) -> None:
    found = {path.name for path in (folder / "out").glob("*.png")}
    assert found == {
        "sensitivity.png",
        "pareto_front.png",
        "before_and_after.png",
        "mechanism_described.png",
        "mechanism_changed.png",
    }
    for name in found:
        assert (folder / "out" / name).stat().st_size > 10_000


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CharmieError, match="there is no such table of a study"):
        read_table(tmp_path / "results.parquet")


def test_a_study_of_another_robot_needs_its_file_alone(tmp_path: Path) -> None:
    text = text_of(
        "urdf: scara",
        variables="tool: {path: inertials.link_5.mass, bounds: [0.5, 3]}",
        objectives="slide: {rms: joint_1}\nmass: {mass: true}",
        methods="[{grid: 3}, {local: 1}]",
    )
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    scara = load_model("scara")
    text = text.replace("joint_1", scara.actuator_names[0])
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    assert main([str(tmp_path / "study.yaml"), "--quiet", "--no-pictures"]) == 0
    # lighter is better in both, so that the best is at the bound
    table = read_table(tmp_path / "study/results.parquet")
    best = load_model(tmp_path / "study/winners/local/robot.urdf")
    assert best.tree.links["link_5"].inertial.mass == pytest.approx(0.5)
    assert set(np.unique(table["method"].values)) == {"grid", "local"}
