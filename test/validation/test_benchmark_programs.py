# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The other programs in the benchmarks compute what this package computes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import others
from benchmarks.candidates import textbook
from benchmarks.case import make_case
from benchmarks.chains import chain_urdf
from benchmarks.equations import SUBJECTS, Pinocchio, Subject, measure
from benchmarks.timing import largest_difference


@pytest.mark.parametrize("program", [others.pinocchio, others.mujoco])
def test_program_equals_the_textbook_on_charmie(program) -> None:
    case = make_case("CHARMIE", states=16)
    assert largest_difference(program(case), textbook(case)) <= 1e-11


@pytest.mark.parametrize("program", [others.pinocchio, others.mujoco])
def test_program_equals_the_textbook_on_a_chain(program, tmp_path: Path) -> None:
    urdf = tmp_path / "chain.urdf"
    urdf.write_text(chain_urdf(50), encoding="utf-8")
    case = make_case("chain", urdf, states=16)
    assert largest_difference(program(case), textbook(case)) <= 1e-11


@pytest.mark.parametrize("subject", SUBJECTS, ids=[subject.name for subject in SUBJECTS])
def test_what_is_timed_of_the_equations_of_motion_is_the_same(subject: Subject) -> None:
    counterpart = Pinocchio(make_case("CHARMIE", states=8))
    assert counterpart.refusal(subject) == ""
    assert counterpart.row(subject).run(3) > 0.0

    def wrong(*given):
        return subject.result(*given) * (1.0 + 1e-6)

    refusal = counterpart.refusal(replace(subject, result=wrong))
    assert refusal.startswith("results differ by 1")


def test_method_of_the_equations_that_differs_is_not_timed() -> None:
    wrong = replace(SUBJECTS[0], result=lambda model, q, *_: model.jacobian(q, "right_tool"))
    found = measure(1, [wrong, SUBJECTS[1]], states=8)
    refused, timed = found.costs
    assert refused.tree is None and refused.pinocchio is None and refused.reason
    assert timed.tree is not None and timed.pinocchio is not None
    assert not found.complete
