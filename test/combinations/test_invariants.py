# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Invariants of random robots in random states: trees, and robots with closed loops."""

from __future__ import annotations

import pytest
from generator import CYLINDERS, LOOPS, OF_TREES, Plan, plans
from hypothesis import assume, given
from hypothesis.strategies import sampled_from
from invariants import INVARIANTS
from situations import situation


@pytest.mark.parametrize("invariant", INVARIANTS)
@given(plan=plans(OF_TREES))
def test_of_trees(invariant: str, plan: Plan) -> None:
    INVARIANTS[invariant](situation(plan))


@pytest.mark.parametrize("invariant", INVARIANTS)
@given(plan=plans((*LOOPS, *OF_TREES)), loop=sampled_from(LOOPS))
def test_of_closed_loops(invariant: str, plan: Plan, loop: str) -> None:
    joints, features, seed = plan
    s = situation(Plan(joints[:3], (loop, *features[:2], "payload"), seed))
    assume(s.is_regular)
    INVARIANTS[invariant](s)


@pytest.mark.parametrize("invariant", INVARIANTS)
@given(plan=plans((*CYLINDERS, *LOOPS, *OF_TREES)), cylinder=sampled_from([*CYLINDERS]))
def test_of_cylinders(invariant: str, plan: Plan, cylinder: str) -> None:
    joints, features, seed = plan
    s = situation(Plan(joints[:3], (cylinder, *features[:2], "payload"), seed))
    assume(s.is_regular)
    INVARIANTS[invariant](s)
