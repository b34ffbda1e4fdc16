# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The examples that need neither ROS nor a recording: what they print is true."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import Model

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))
FEWEST_LINES, MOST_LINES = 10, 40
GRAVITY = 9.81
STEP = 1e-5  # of numerical derivatives (rad, m)
Run = Callable[..., tuple[dict[str, Any], str]]
# of examples that draw no film, whose equations do not depend on the version of SymPy
OUTPUTS = (
    *("efforts_of_a_pose", "payload_and_wrench", "own_mechanism", "closed_loop", "batch_study"),
    *("verdict_on_a_trajectory", "computed_torque", "lqr_of_a_delta_robot"),
)


def words_of(text: str) -> list[str | float]:
    """Return the words of a text, numbers as such."""
    words = re.findall(r"[^\s,;:()\[\]]+", text)
    return [
        float(word) if re.fullmatch(r"[-+]?\d[\d.]*(e[-+]?\d+)?", word) else word for word in words
    ]


def is_number(word: str | float) -> bool:
    return isinstance(word, float)


def slope(function: Callable[[float], float], at: float) -> float:
    return (function(at + STEP) - function(at - STEP)) / (2.0 * STEP)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_an_example_is_short_and_says_how_to_run_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert FEWEST_LINES <= len(text.splitlines()) <= MOST_LINES
    assert f"examples/{path.name}" in (ast.get_docstring(ast.parse(text)) or "")


def test_the_readme_of_the_examples_lists_each_of_them_once() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\d+\. \[(.+?)\]\((.+?)\): .+$", text, re.MULTILINE)
    assert sorted(name for name, _ in listed) == [path.name for path in PROGRAMS]
    assert all(name == link for name, link in listed)


def test_each_example_is_run_by_a_test() -> None:
    tests = [p.read_text(encoding="utf-8") for p in ROOT.glob("test/*/**/test_*examples*.py")]
    assert [path.name for path in PROGRAMS if not any(path.name in text for text in tests)] == []


def test_the_readme_shows_the_example_of_a_pose() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```python\n(.*?)```", readme, re.DOTALL).group(1)
    text = (EXAMPLES / "efforts_of_a_pose.py").read_text(encoding="utf-8")
    assert shown == text.split('"""\n\n', 1)[1]


def test_a_pose_has_an_effort_for_each_actuator() -> None:
    command = [sys.executable, "examples/efforts_of_a_pose.py"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert len(run.stdout.splitlines()) == 21 + 2


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_page_shows_what_an_example_prints(run_example: Run, name: str) -> None:
    _, text = run_example(f"{name}.py")
    shown = (EXAMPLES / "output" / f"{name}.txt").read_text(encoding="utf-8")
    printed, expected = words_of(text), words_of(shown)
    assert len(printed) == len(expected)
    for found, word in zip(printed, expected, strict=True):
        assert found == (pytest.approx(word, rel=0.02, abs=2e-3) if is_number(word) else word)


def test_each_example_has_an_output() -> None:
    shown = {path.stem for path in (EXAMPLES / "output").glob("*.txt")}
    assert shown == {path.stem for path in PROGRAMS}


def test_a_payload_adds_what_lifts_it(run_example: Run, charmie: Model) -> None:
    found, _ = run_example("payload_and_wrench.py")
    position, payload = found["position"], found["bottle"]

    def height(k: int, value: float) -> float:
        moved = position.copy()
        moved[k] = value
        p_world_tool, R_world_tool = charmie.kinematics(moved).frame("left_tool")
        return float((p_world_tool + R_world_tool @ payload.p_link_com)[2])

    slopes = [slope(lambda q, k=k: height(k, q), q) for k, q in enumerate(position)]
    more = found["efforts"]["bottle"] - found["efforts"]["free"]
    np.testing.assert_allclose(more, payload.mass * GRAVITY * np.array(slopes), atol=1e-4)


def test_a_push_changes_the_arm_that_is_pushed_and_not_the_other(run_example: Run) -> None:
    found, text = run_example("payload_and_wrench.py")
    more = dict(zip(found["robot"].actuator_names, found["efforts"]["push"], strict=True))
    less = dict(zip(found["robot"].actuator_names, found["efforts"]["free"], strict=True))
    changed = {name for name in more if abs(more[name] - less[name]) > 1e-6}
    assert any(name.startswith("right_arm") for name in changed)
    assert not any(name.startswith("left_arm") for name in changed)
    assert text.endswith("1.5 kg of additional mass\n")


def test_cylinder_and_spring_together_hold_the_boom(run_example: Run) -> None:
    _, text = run_example("own_mechanism.py")
    rows = [[float(word) for word in line.split()] for line in text.splitlines()[2:]]
    base, anchor = np.array([0.1, -0.7]), np.array([0.0, 0.4])  # from the hinge, x and z

    def turned(x: float, z: float, angle: float) -> np.ndarray:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([c * x - s * z, s * x + c * z])

    def cylinder(angle: float) -> float:
        return float(np.linalg.norm(turned(0.5, -0.05, angle) - base))

    def spring(angle: float) -> float:
        return float(np.linalg.norm(turned(0.4, 0.0, angle) - anchor))

    assert len(rows) == 6
    for length, degrees, push, pull, torque in rows:
        angle = np.deg2rad(degrees)
        assert length == pytest.approx(cylinder(angle), abs=2e-3)
        assert pull == pytest.approx(20.0 + 300.0 * (spring(angle) - 0.25), abs=0.5)
        held = push * slope(cylinder, angle) - pull * slope(spring, angle)
        assert held == pytest.approx(torque, abs=0.3)


def test_a_closed_loop_is_turned_by_its_crank(run_example: Run) -> None:
    _, text = run_example("closed_loop.py")
    lines = text.splitlines()
    assert lines[0].startswith("5 constraints, 2 independent") and lines[1] == "pin; motions: 1"
    crank_tip, pin, pivot = 0.2, np.hypot(0.45, 0.30), np.array([0.5, 0.0])
    rows = np.array([[float(word) for word in line.split()] for line in lines[3:]])
    assert len(rows) == 6
    for crank, coupler, rocker in np.deg2rad(rows[:, :3]):
        tip = crank_tip * np.array([np.sin(crank), np.cos(crank)])
        angle = np.arctan2(0.45, 0.30) + crank + coupler
        by_coupler = tip + pin * np.array([np.sin(angle), np.cos(angle)])
        angle = np.arctan2(-0.05, 0.5) + rocker
        by_rocker = pivot + np.hypot(0.05, 0.5) * np.array([np.sin(angle), np.cos(angle)])
        assert by_coupler == pytest.approx(by_rocker, abs=3e-3)
    assert (rows[:, 4] > 0.0).all()


def test_equations_of_a_four_bar_are_those_of_its_model(run_example: Run, tmp_path: Path) -> None:
    pytest.importorskip("sympy", reason="SymPy is missing")
    path = tmp_path / "four_bar.c"
    found, text = run_example("equations_of_a_four_bar.py", str(path))
    assert "int four_bar_accelerations(" in path.read_text()
    position, velocity, values = (found[name] for name in ("position", "velocity", "values"))
    ratios = [float(ratio.subs(values)) for ratio in found["ratios"]]
    np.testing.assert_allclose(ratios, velocity[1:] / velocity[0], atol=1e-9)
    equations = found["model"].equations(position, velocity)
    terms = equations.mass_matrix, equations.coriolis_matrix, equations.gravity_effort
    np.testing.assert_allclose(
        found["numbers"], [float(np.ravel(each)[0]) for each in terms], atol=1e-9
    )
    by_ratios = (found["G"].T * found["M"] * found["G"])[0].subs(values)
    r2, r3 = found["G"][1:]
    assert float(by_ratios.subs({r2: ratios[0], r3: ratios[1]})) == pytest.approx(
        equations.mass_matrix[0, 0]
    )
    assert text.splitlines()[-1].endswith(" 0.0680 -0.1547 -1.5196")


def test_the_worst_pose_of_a_study_is_the_one_that_it_names(run_example: Run) -> None:
    found, text = run_example("batch_study.py", "2000")
    worst = found["position"][found["worst"]]
    effort = np.abs(found["model"].compute(worst).actuator_effort)
    largest = 100.0 * (effort / found["rated"]).max()
    assert float(text.splitlines()[1].split()[3]) == pytest.approx(largest, abs=0.06)


@pytest.mark.parametrize(("seconds", "verdict"), [("0.2", "too fast"), ("5", "can do it")])
def test_a_trajectory_is_judged_by_its_speed(run_example: Run, seconds: str, verdict: str) -> None:
    found, text = run_example("verdict_on_a_trajectory.py", seconds)
    assert verdict in text.splitlines()[-1]
    exceeded = {(excess.actuator, excess.quantity) for excess in found["verdict"].excesses}
    assert (("torso_actuator", "velocity") in exceeded) == (verdict == "too fast")


def test_the_page_of_contributions_shows_what_its_example_prints(
    run_example: Run, charmie: Model
) -> None:
    found, text = run_example("contributions_of_the_bodies.py")
    page = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8")
    assert f"```text\n{text}```" in page
    state = charmie.compute(found["position"], found["velocity"])
    total = [float(number) for number in text.splitlines()[-1].split()[1:]]
    assert sum(total[1:]) == pytest.approx(state.actuator_effort[4], abs=0.006)


def test_a_film_of_a_swing_has_a_picture_for_each_time(run_example: Run, tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="Pillow is missing")
    pytest.importorskip("matplotlib", reason="matplotlib is missing")
    path = tmp_path / "swing.gif"
    _, text = run_example("film_of_a_swing.py", str(path), "0.3")
    assert text.startswith(f"{path}: 4 pictures, ")
    with pillow.open(path) as film:
        assert film.n_frames == 4 and film.size == (400, 400)


def test_a_film_of_a_drive_is_that_of_a_robot_on_its_wheels(
    run_example: Run, tmp_path: Path
) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="Pillow is missing")
    pytest.importorskip("matplotlib", reason="matplotlib is missing")
    path = tmp_path / "driving.gif"
    found, text = run_example("drive_on_swedish_wheels.py", str(path), "0.4")
    loads = [float(word) for word in text.splitlines()[0].partition(": ")[2].split()[:4]]
    assert sum(loads) == pytest.approx(GRAVITY * found["robot"].total_mass, rel=0.2)
    assert found["run"].pose("charmie")[0][-1, 0] > 0.02
    with pillow.open(path) as film:
        assert film.n_frames == 5 and film.size == (480, 400)


def test_a_hexapod_walks_and_its_feet_bear_its_weight(run_example: Run, tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="Pillow is missing")
    pytest.importorskip("matplotlib", reason="matplotlib is missing")
    path = tmp_path / "walking.gif"
    found, text = run_example("walk_a_hexapod.py", str(path), "0.3")
    assert text.startswith(f"{path}: 0.00")
    assert found["borne"][1:].mean() == pytest.approx(GRAVITY * found["model"].total_mass, rel=0.02)
    with pillow.open(path) as film:
        assert film.n_frames == 3 and film.size == (480, 320)


def test_a_picture_is_drawn_into_the_file_that_is_named(run_example: Run, tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image", reason="matplotlib is missing")
    path = tmp_path / "picture.png"
    _, text = run_example("contributions_of_the_bodies.py", str(path))
    pixels = image.imread(path)
    assert min(pixels.shape[:2]) >= 600 and pixels.std() > 0.02
    assert text.splitlines()[-1].startswith(f"{path}: ")


def test_a_payload_that_computed_torque_knows_is_tracked(run_example: Run) -> None:
    found, text = run_example("computed_torque.py", "0.1")
    errors = {words[0]: float(words[1]) for words in map(str.split, text.splitlines()[1:])}
    assert len(found["time"]) == 100
    assert errors["known"] < 1e-4
    assert errors["unknown"] > 100.0 * errors["known"]


def test_a_regulated_parallel_robot_decays_as_the_linear_theory_says(run_example: Run) -> None:
    found, printed = run_example("lqr_of_a_delta_robot.py")
    rows = np.array(
        [[float(word) for word in line.split()[1:]] for line in printed.splitlines()[1:]]
    )
    start, end, theory = rows.T
    assert np.abs(end).max() < 0.2 * np.abs(start).max()
    # the rest is of second order in the deviations
    assert np.abs(end - theory).max() < 0.005 * np.abs(start).max()
    assert (np.linalg.eigvals(found["A"] - found["B"] @ found["K"]).real < -10.0).all()


def test_a_better_spring_makes_the_cylinder_small(run_example: Run) -> None:
    found, printed = run_example("better_springs.py")
    sizes = [each.values[0] for each in found["found"]]
    assert max(sizes) < 0.2 * found["before"][0]
    # the shorter the spring is without load, the nearer it is to one that balances exactly
    assert sizes == sorted(sizes)
    for each in found["found"]:
        assert each.values[1] <= 300.0 * (1.0 + 1e-6)
    assert len(printed.splitlines()) == 1 + len(sizes)
