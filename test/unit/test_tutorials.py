# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The code of the tutorials runs and prints what they say."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import load_model

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROBOTS = DOCS.parent / "examples" / "robots"
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
GAS_SPRING = "A gas spring: from a URDF and a tape measure to efforts in RViz"
# the first line of a file that the reader is to write
FILE = re.compile(r"(?:<!--|#) (\w+\.\w+)")


def blocks(text: str) -> list[tuple[str, str]]:
    """Return language and text of each block of code."""
    return [(found[2], textwrap.dedent(found[3])) for found in BLOCK.finditer(text)]


def section(page: str, heading: str) -> str:
    """Return a section of second level of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return text.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def test_describe_your_robot_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    said, expected = [], []
    printed = ""
    for language, text in blocks((DOCS / "tutorials/change.md").read_text(encoding="utf-8")):
        file = FILE.match(text)
        if file:
            Path(file[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(text, "change.md", "exec"), names)
            printed = output.getvalue()
        elif language == "text":
            said.append(printed)
            expected.append(text)
    assert len(expected) >= 8
    assert said == expected


def test_gas_spring_has_the_measured_length_within_the_stroke_and_balances_the_arm() -> None:
    text = section("tutorials/change.md", GAS_SPRING)
    measured = float(re.search(r"here it is ([\d.]+) mm", text)[1])
    shortest, longest = map(float, re.search(r"here (\d+) and (\d+) mm", text).groups())
    rows = re.findall(r"^ *(-?[\d.]+) rad: ([\d.]+) mm, \d+ N, motor +(-?[\d.]+) N m$", text, re.M)
    lengths = {float(angle): float(length) for angle, length, _ in rows}
    assert lengths[0.0] == measured
    assert all(shortest < length < longest for length in lengths.values())
    (alone,) = re.findall(r"^(-[\d.]+) N m; by hand", text, re.M)
    assert max(abs(float(effort)) for *_, effort in rows) < 0.3 * abs(float(alone))


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("identification.md", "Find the masses of your robot"),
        ("start.md", "First equations"),
    ],
)
def test_the_code_of_a_section_prints_what_the_section_shows(page: str, title: str) -> None:
    for module in ("scipy", "sympy"):
        pytest.importorskip(module, reason=f"{module} is missing, which the code imports")
    parts = blocks(section(page, title))
    (code,) = (text for language, text in parts if language == "python")
    (expected,) = (text for language, text in parts if language == "text")
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(code, page, "exec"), {})
    assert output.getvalue() == expected


def test_the_code_of_the_page_of_equations_runs() -> None:
    page = DOCS / "method.md"
    names: dict[str, object] = {}
    for language, text in blocks(page.read_text("utf-8")):
        if language == "python":
            exec(compile(text, "method.md", "exec"), names)
    assert names["regressor"].shape == (21, len(names["model"].inertial_parameters))
    assert names["d"].effort_by_parameter.shape == (21, 1)
    terms, slopes, driven = (names[name] for name in ("terms", "slopes", "driven"))
    assert slopes.effort_by_position.shape == terms.mass_matrix.shape == (6, 6)
    found = terms.effort(names["v"][driven], names["a"][driven])
    np.testing.assert_allclose(found, names["effort"], atol=1e-9)
    assert names["found"].reached.any()


def run_blocks(page: str) -> tuple[dict[str, Any], str]:
    """Run the blocks of a page in their order; return the names and the output."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as output:
        for language, text in blocks((DOCS / page).read_text("utf-8")):
            if language == "python":
                exec(compile(text, page, "exec"), names)
    return names, output.getvalue()


def test_the_code_of_the_page_of_simulation_prints_its_pin_force() -> None:
    pytest.importorskip("scipy", reason="SciPy is missing, with which steps vary")
    _, output = run_blocks("simulation.md")
    assert output == "54.5\nTrue True\n"


def test_the_code_of_the_page_of_loops_turns_the_crank_on_its_branch() -> None:
    names, output = run_blocks("loops.md")
    np.testing.assert_allclose(names["pose"][0], 0.5 + 2.0 * np.pi)
    np.testing.assert_allclose(names["pose"][2], names["model"].closed_pose([0.5])[2])
    assert names["poses"].shape == (100, 3)
    assert len(re.findall(r" rad .* N m ", output)) == 13


def test_the_code_of_the_page_of_machines_prints_reactions_and_a_singular_position() -> None:
    names, output = run_blocks("machines.md")
    reactions = "[[-1.747  0.    26.303]\n [ 1.747  0.    -8.645]]\n"
    assert output == reactions + "292.534\ntarsus_joint crosses\n"
    # torques about the hinges of rocker and coupler of the four-bar, by hand
    g = 9.81
    x, z = np.linalg.solve([[0.5, 0.05], [-0.3, 0.45]], [0.025 * 1.8 * g, -0.225 * 2.0 * g])
    np.testing.assert_allclose(names["pin"], [x, 0.0, z, 0.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(names["force"], [-x, 0.0, 1.8 * g - z], atol=1e-9)
    np.testing.assert_allclose(names["torque"], 0.0, atol=1e-9)
    tree, lifted = load_model().tree, ["lower_body"]
    for name in lifted:
        lifted += [joint.child for joint in tree.joints if joint.parent == name]
    inertials = [tree.links[name].inertial for name in lifted]
    mass = sum(inertial.mass for inertial in inertials if inertial)
    assert names["up"] == pytest.approx(mass * g, abs=1e-9)
    rows = re.findall(
        r"^\| `leg_\d` \| [\d.]+ m \| ([\d.]+) N \|$",
        section("machines.md", "Stewart platform"),
        re.M,
    )
    np.testing.assert_allclose(names["legs"], [float(row) for row in rows], atol=0.006)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_the_code_of_the_page_of_symbols_runs_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sympy", reason="SymPy is missing, with which equations are derived")
    monkeypatch.chdir(tmp_path)
    names, output = run_blocks("symbolic.md")
    np.testing.assert_allclose(names["arrays"][3], names["acceleration"], atol=1e-9)
    np.testing.assert_allclose(names["force"], names["state"].cylinder_loads.effort, rtol=1e-9)
    assert "\\frac{m}{100}" in output


def test_better_springs_reports_what_it_says(tmp_path: Path) -> None:
    from charmie_dynamics.studies.commands.study_options import main

    found = blocks(section("studies.md", "Better springs for your robot"))
    (study,) = (text for language, text in found if language == "yaml")
    (report,) = (text for language, text in found if language == "text")
    file = ROBOTS / "boom_springs.yaml"
    assert file.read_text(encoding="utf-8").endswith(study)
    assert main([str(file), "--out", str(tmp_path), "--quiet", "--no-pictures"]) == 0
    assert rounded(report) == rounded((tmp_path / "report.md").read_text(encoding="utf-8"))
    assert (tmp_path / "winners" / "local" / "mechanisms.yaml").exists()


def test_train_charmie_shows_commands_that_exist() -> None:
    from charmie_dynamics.learning.commands import evaluate_options, train_options

    commands = {"charmie_train": train_options, "charmie_evaluate": evaluate_options}
    seen = set()
    for language, text in blocks((DOCS / "learning.md").read_text("utf-8")):
        for line in text.splitlines() if language == "bash" else ():
            name, *options = shlex.split(line, comments=True)
            if name in commands:
                parsed = commands[name].make_parser().parse_args(options)
                seen.add((name, parsed.task))
    tasks = ("Reach-v0", "PickCan-v0")
    assert seen >= {(name, task) for name in commands for task in tasks}


def rounded(report: str) -> list[str]:
    """Return the rows of quantities and variables, numbers to two digits: machines differ."""
    rows = [line for line in report.splitlines() if line.startswith("| ")]
    until = next(k for k, row in enumerate(rows) if row.startswith("| method"))
    return [
        re.sub(r"\d+\.?\d*", lambda number: f"{float(number[0]):.2g}", row) for row in rows[:until]
    ]
