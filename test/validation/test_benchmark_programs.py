# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The other programs in the benchmarks compute what this package computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import others
from benchmarks.candidates import textbook
from benchmarks.case import make_case
from benchmarks.chains import chain_urdf
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
