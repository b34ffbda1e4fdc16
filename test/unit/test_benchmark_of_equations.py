# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The benchmark of the equations of motion, without Pinocchio; what it times agrees in batches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import equations, report
from benchmarks.case import Case, make_case
from benchmarks.equations import SUBJECTS, Cost, EquationCosts, Subject
from benchmarks.timing import Timing

STATES = 4
NAMES = [subject.name for subject in SUBJECTS]


@pytest.fixture(scope="module")
def case() -> Case:
    return make_case("CHARMIE", states=STATES)


def timing(microseconds: float) -> Timing:
    return Timing(*(1e-6 * microseconds * share for share in (1.0, 0.9, 1.1)))


def costs(single: float, batch: float, reference: float | None = 10.0) -> EquationCosts:
    """Costs of the first method, in microseconds."""
    found = Cost(
        SUBJECTS[0],
        None if reference is None else timing(reference),
        timing(single),
        (timing(batch), timing(0.5 * batch)),
        timing(20.0),
        timing(4.0),
    )
    return EquationCosts((found,), (1, 2), "" if reference else "no module")


def cells(table: str) -> dict[str, str]:
    head, _, row = (line.strip("| ").split(" | ") for line in table.splitlines()[:3])
    assert len(head) == len(row)
    named = {}
    for k, (name, value) in enumerate(zip(head, row, strict=True)):
        named[name if name not in named else f"{name} {k}"] = value
    return named


def test_ratios_stand_beside_what_is_wanted() -> None:
    found = cells(report.equations_table(costs(7.0, 4.0)))
    assert found["method"] == "`jacobian`"
    assert found["Pinocchio"] == "`computeJointJacobians`"
    assert found["Pinocchio (us)"] == "10.00"
    assert found["open tree (us)"] == "7.00"
    assert found["times Pinocchio"] == "0.70 (at most 0.8: met)"
    assert found["batch, 1 core (us a sample)"] == "4.00"
    assert found["times Pinocchio 6"] == "0.40 (at most 0.3: **not met**)"
    assert found["batch, 2 cores (us a sample)"] == "2.00"
    assert found["times Pinocchio 8"] == "0.20 (at most 0.3: met)"
    assert found["with loops and springs (us)"] == "20.00"
    assert found["their batch, 1 core (us a sample)"] == "4.00"


def test_ratio_of_which_nothing_is_wanted_stands_alone() -> None:
    found = costs(7.0, 4.0)
    plain = replace(found.costs[0], subject=replace(SUBJECTS[0], wanted=False))
    table = report.equations_table(replace(found, costs=(plain,)))
    assert cells(table)["times Pinocchio"] == "0.70"


def test_without_pinocchio_there_are_times_alone() -> None:
    table = report.equations_table(costs(7.0, 4.0, None))
    assert cells(table)["times Pinocchio"] == "-"
    assert cells(table)["open tree (us)"] == "7.00"
    assert table.endswith("Pinocchio is not measured: no module.")


def test_method_that_differs_is_named_and_not_timed() -> None:
    refused = Cost(SUBJECTS[1], None, None, (None, None), None, None, "results differ by 1e-3")
    found = EquationCosts((refused,), (1, 2))
    assert not found.complete
    row = report.equations_table(found).splitlines()[2]
    assert row.startswith("| `equations` | not timed: results differ by 1e-3 |")
    assert row.count("|") == report.equations_table(found).splitlines()[0].count("|")


def test_all_methods_of_the_issue_are_among_the_rows() -> None:
    wanted = [subject.name for subject in SUBJECTS if subject.wanted]
    assert wanted == ["jacobian", "equations", "derivatives", "regressor", "forward"]
    assert [subject.batch for subject in SUBJECTS] == [0.3, 0.3, 0.3, 0.3, 0.25]


@pytest.mark.parametrize("subject", SUBJECTS, ids=NAMES)
def test_inputs_of_a_method_are_those_of_the_states(case: Case, subject: Subject) -> None:
    for model, states in ((case.tree, case.joints), (case.model, case.actuators)):
        given = equations.inputs_of(subject, model, states)
        assert len(given) == STATES
        for k, arguments in enumerate(given):
            np.testing.assert_array_equal(arguments[0], states[0, k])
            assert getattr(model, subject.name)(*arguments) is not None


@pytest.mark.parametrize("subject", SUBJECTS, ids=NAMES)
def test_rows_make_the_calls_that_they_are_asked_for(
    case: Case, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    for name in (subject.name, f"{subject.name}_batch"):
        plain = getattr(type(case.tree), name)

        def counted(*given, plain=plain, **named):
            calls.append(len(np.shape(given[1])))
            return plain(*given, **named)

        monkeypatch.setattr(type(case.tree), name, counted)
    assert equations.single(subject, case.tree, case.joints).run(3) > 0.0
    assert calls == [1, 1, 1]
    calls.clear()
    row = equations.batch(subject, case.tree, case.joints, 1)
    assert row.run(2) > 0.0
    assert (calls, row.cycles) == ([2, 2], equations.SAMPLES)


def test_pinocchio_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(case: Case) -> None:
        import a_module_that_nobody_has  # noqa: F401

    monkeypatch.setattr(equations, "Pinocchio", missing)
    found = equations.measure(1, SUBJECTS[:1], states=STATES)
    assert found.complete
    assert "a_module_that_nobody_has" in found.missing
    assert found.costs[0].pinocchio is None
    assert found.costs[0].tree is not None
    assert found.costs[0].loop_batch is not None
