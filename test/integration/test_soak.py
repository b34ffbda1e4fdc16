# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A soak of some seconds.

The full hour is run by ``scripts/soak``; its figures are in docs/reliability.md.
"""

from __future__ import annotations

from collections import Counter

import pytest
from graph import OUTPUTS

from soak.faults import KINDS
from soak.report import MEBIBYTE, growth, problems
from soak.run import Plan, Result, run

SECONDS, WARM_UP = 30.0, 15.0
PLAN = Plan(SECONDS, WARM_UP, pause=(0.02, 0.1), seed=6)
# 0.3 to 0.8 MiB were measured on both distributions and middlewares, since some buffers of the
# middleware and of Python are still made; to keep 1 KiB of each sample would be more than 3 MiB
MOST_GROWTH = 2 * MEBIBYTE


@pytest.fixture(scope="module")
def result() -> Result:
    return run(PLAN)


def test_every_kind_of_fault_is_recovered_from(result: Result) -> None:
    recovered = Counter(r.kind.name for r in result.recoveries if r.seconds is not None)
    injected = Counter(r.kind.name for r in result.recoveries)
    assert recovered == injected
    assert set(injected) == {kind.name for kind in KINDS}


def test_no_output_holds_a_number_that_is_not_finite(result: Result) -> None:
    assert result.not_finite == {}
    assert all(result.received[topic] > 100 for topic in OUTPUTS)


def test_efforts_show_the_positions_sent_and_come_for_no_refused_sample(result: Result) -> None:
    assert result.wrong == {}


def test_neither_threads_nor_descriptors_leak(result: Result) -> None:
    grown = growth(result.sizes, PLAN)
    assert (grown.threads, grown.descriptors) == (0, 0)


def test_memory_stays_after_the_warm_up(result: Result) -> None:
    assert growth(result.sizes, PLAN).memory <= MOST_GROWTH


def test_nothing_else_is_wrong(result: Result) -> None:
    assert problems(result, MOST_GROWTH) == []
