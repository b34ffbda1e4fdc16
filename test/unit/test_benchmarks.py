# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The benchmarks compare like with like, refuse what differs, and report what they did not time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import bodies, comparison, kernel_sizes, others, pages, report
from benchmarks.candidates import OPEN_TREE, Candidate, batch, compute, compute_tree, kernel
from benchmarks.candidates import textbook as textbook_row
from benchmarks.case import Case, Joints, draw_states, make_case
from benchmarks.chains import chain_urdf
from benchmarks.processes import Process
from benchmarks.textbook import inverse_dynamics, read_bodies
from benchmarks.timing import TOLERANCE, Timing, largest_difference, time_in_rounds
from charmie_dynamics import Model, load_model

STATES = 16


@pytest.fixture(scope="module")
def case() -> Case:
    return make_case("CHARMIE", states=STATES)


@pytest.mark.parametrize("robot", ["charmie", "crane"])
def test_textbook_recursion_equals_the_model(robot: str, request: pytest.FixtureRequest) -> None:
    model: Model = request.getfixturevalue(robot)
    parts = read_bodies(model)
    gravity = model.flat.tree.gravity
    for state in draw_states(model, STATES).swapaxes(0, 1):
        ours = model.compute(*state)
        joints = (ours.joint_position, ours.joint_velocity, ours.joint_acceleration)
        book = inverse_dynamics(parts, gravity, *joints)
        n = len(parts)
        largest = np.abs(ours.generalized_force).max()
        np.testing.assert_allclose(
            ours.generalized_force, book.generalized_force, rtol=0.0, atol=1e-12 * largest
        )
        np.testing.assert_allclose(
            ours.kinematics.p_world_frame[:n], book.p_world_body, rtol=0.0, atol=1e-12
        )
        np.testing.assert_allclose(
            ours.kinematics.R_world_frame[:n], book.R_world_body, rtol=0.0, atol=1e-12
        )


@pytest.mark.parametrize("make", [compute, compute_tree, kernel, lambda c, v: batch(c, v, 1)])
def test_rows_of_this_package_equal_the_textbook(case: Case, make) -> None:
    assert largest_difference(make(case, ""), textbook_row(case)) <= 1e-12


def test_states_lie_within_the_limits_and_differ(case: Case) -> None:
    limits = case.model.actuator_limits()
    position, velocity, _ = case.actuators
    assert (position >= [limit.lower for limit in limits]).all()
    assert (position <= [limit.upper for limit in limits]).all()
    assert (np.abs(velocity) <= [limit.velocity for limit in limits]).all()
    assert len(np.unique(position, axis=0)) == STATES


def test_mimic_joints_follow_and_their_loads_fold_into_the_leader(case: Case) -> None:
    joints = Joints(case)
    leader, follower = (joints.names.index(f"left_gripper{part}_joint") for part in ("", "_mimic"))
    np.testing.assert_array_equal(joints.values[:, :, follower], -joints.values[:, :, leader])
    load = np.zeros(len(joints.names))
    load[leader], load[follower] = 2.0, 0.5
    folded = joints.fold(load)
    assert folded[case.tree.joint_names.index("left_gripper_joint")] == 1.5
    assert np.count_nonzero(folded) == 1


def test_chain_has_the_bodies_asked_for(tmp_path: Path) -> None:
    urdf = tmp_path / "chain.urdf"
    urdf.write_text(chain_urdf(17), encoding="utf-8")
    model = load_model(urdf)
    assert len(model.joint_names) == 17
    assert len(model.frame_names) == 18


def row(name: str, difference: float, case: Case, calls: list[str]) -> Candidate:
    """A row with results that are off by a factor."""
    exact = textbook_row(case)

    def solve(k: int):
        solution = exact.solve(k)
        force = solution.generalized_force * (1.0 + difference)
        return replace(solution, generalized_force=force)

    def run(count: int) -> float:
        calls.append(name)
        return 1e-3 * count

    return Candidate(name, "1.0", OPEN_TREE, solve, run)


@pytest.mark.parametrize("difference", [1e-8, np.nan])
def test_row_that_differs_is_not_timed(
    case: Case, monkeypatch: pytest.MonkeyPatch, difference: float
) -> None:
    calls: list[str] = []
    made = [row("exact", 0.0, case, calls), row("wrong", difference, case, calls)]
    monkeypatch.setattr(comparison, "make_others", lambda case: (made, {}))
    for name in ("textbook", "compute", "compute_tree", "kernel", "batch"):
        stub = row(name, 0.0, case, calls)
        monkeypatch.setattr(comparison, name, lambda *_, stub=stub: stub)
    compared = comparison.measure("", rounds=1)
    timed = {r.name: r.timing is not None for r in compared.rows}
    assert timed["exact"] and not timed["wrong"]
    assert "wrong" not in calls
    assert not compared.complete
    assert "not timed: results differ" in report.comparison_table(compared)


def test_wrong_efforts_are_seen_where_all_else_is_right(case: Case) -> None:
    exact = compute(case, "")

    def solve(k: int):
        solution = exact.solve(k)
        return replace(solution, actuator_effort=solution.actuator_effort + 1e-3)

    wrong = replace(exact, solve=solve)
    assert largest_difference(wrong, textbook_row(case)) <= 1e-12
    assert largest_difference(wrong, exact) > TOLERANCE


def test_program_that_is_not_installed_is_named(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(case: Case) -> Candidate:
        import a_module_that_nobody_has  # noqa: F401

        raise AssertionError

    monkeypatch.setattr(others, "OTHERS", {"Program": make})
    made, missing = others.make_others(case)
    assert made == []
    assert "a_module_that_nobody_has" in missing["Program"]


def test_each_row_has_a_turn_in_each_round(case: Case) -> None:
    calls: list[str] = []
    names = ("a", "b", "c")
    candidates = [row(name, 0.0, case, calls) for name in names]
    timings = time_in_rounds(candidates, rounds=5)
    turns = calls[-15:]
    assert all(sorted(turns[i : i + 3]) == list(names) for i in range(0, 15, 3))
    assert [timing.median for timing in timings] == pytest.approx([1e-3] * 3)


def test_time_of_a_batch_is_that_of_one_sample(case: Case) -> None:
    whole = replace(row("batch", 0.0, case, []), cycles=100)
    assert time_in_rounds([whole], rounds=3)[0].median == pytest.approx(1e-5)


def test_line_is_found_again() -> None:
    n = np.array([2.0, 10.0, 100.0, 1000.0])
    line = bodies.fit_line(n, 3e-6 + 2e-7 * n)
    assert (line.start, line.slope) == pytest.approx((3e-6, 2e-7))
    assert line.largest == pytest.approx(0.0, abs=1e-12)


def test_what_is_not_linear_is_far_from_the_line() -> None:
    n = np.array([2.0, 10.0, 100.0, 1000.0])
    assert bodies.fit_line(n, 1e-8 * n**2).largest > 0.5


@pytest.fixture
def python() -> Iterator[Callable[[str], Process]]:
    """Starts a process that runs a line of Python."""
    started: list[Process] = []

    def start(line: str) -> Process:
        started.append(Process([sys.executable, "-u", "-c", line], domain=7))
        return started[-1]

    yield start
    for process in started:
        process.close()


def test_process_answers_in_its_domain(python: Callable[[str], Process]) -> None:
    # an interrupt is what ends it, and it must not come while Python ends already
    process = python(
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        "print(input(), os.environ['ROS_DOMAIN_ID']); sys.stdin.read()"
    )
    process.tell("asked")
    assert process.wait_for("asked", 30.0) == "asked 7\n"
    process.finish()


def test_process_that_ends_early_is_shown_with_what_it_said(
    python: Callable[[str], Process],
) -> None:
    process = python("print('no model'); raise SystemExit(3)")
    with pytest.raises(RuntimeError, match=r"ended before it said 'ready'(.|\n)*no model"):
        process.wait_for("ready", 30.0)
    with pytest.raises(RuntimeError, match="ended with status 3"):
        process.finish()


def test_process_that_does_not_answer_is_not_waited_for(python: Callable[[str], Process]) -> None:
    process = python("print('begun'); input()")
    process.wait_for("begun", 30.0)
    with pytest.raises(RuntimeError, match=r"said no 'ready' in 0\.01 s"):
        process.wait_for("ready", 0.01)


def test_cost_table_has_time_and_time_per_link() -> None:
    timing = Timing(20e-6, 19e-6, 21e-6)
    cost = bodies.Cost(("chain of 10",), (10,), ((timing, None, timing, timing),), ())
    table = report.bodies_table(cost)
    assert "| chain of 10 | 10 | 20.00, 2.000 | - | 20.00, 2.000 | 20.00, 2.000 |" in table


DUMP = """
#budget kernel sum_of_squares
------------------LLVM DUMP <function descriptor 'square$2'>------------------
@"_Env" = common global i8* null
define i32 @"square"(double* noalias %"result", double %"x") alwaysinline
{
entry:
  %"y" = fmul double %"x", %"x"
  ret i32 0
}
declare i32 @"elsewhere"()
================================================================================
------------------LLVM DUMP <function descriptor 'sum_of_squares$1'>------------------
define i32 @"sum"(double* noalias %"result", double %"x")
{
entry:
  %".1" = call i32 @"square"(double* %"result", double %"x")
  %".2" = call i32 @"square"(double* %"result", double %"x")
  %".3" = call i32 @"elsewhere"()
  br label %"B0"
B0:
  ret i32 0
}
#budget done
#budget done
"""


def test_instructions_are_counted_once_as_made_and_for_each_call_as_optimized() -> None:
    first, second = kernel_sizes.read(DUMP)
    assert first.kernels == ("sum_of_squares",)
    assert len(first.functions) == len(second.functions) == 2
    assert first.instructions == 2 + 5
    assert first.optimized == 2 * 2 + 5
    assert first.by_function == {"square": 4, "sum_of_squares": 5}
    lines = kernel_sizes.table(first, rows=1).splitlines()
    assert lines[1].split() == ["sum_of_squares", "1", "5", "5"]
    assert lines[-2].split() == ["all", "2", "7", "9"]
    assert lines[-1] == "1 compiled by themselves: sum_of_squares"


def test_instructions_of_a_function_apart_are_optimized_once_in_each_kernel() -> None:
    sizes, _ = kernel_sizes.read(DUMP.replace(" alwaysinline", ""))
    assert sizes.optimized == 2 + 5


def test_template_has_a_place_for_each_section(repository: Path) -> None:
    template = (repository / "docs" / report.TEMPLATE).read_text(encoding="utf-8")
    names = ("machine", "comparison", "equations", "simulation", "bodies", "node", "ratios")
    names = (
        *names,
        "first_start",
        "simulator",
        "contact_speed",
        "contact_steps",
        "contact_batches",
    )
    sections = {name: f"<{name}>" for name in names}
    text = pages.fill("page", template, sections)
    assert all(section in text for section in sections.values())


@pytest.mark.parametrize("template", ["no place", "{{a}} {{another}}"])
def test_template_that_does_not_fit_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="page"):
        pages.fill("page", template, {"a": "text"})
