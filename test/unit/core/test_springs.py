# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from charmie_dynamics.core.inverse.spring_tension import spring_tension


def test_longer_spring_pulls_harder() -> None:
    # eq. 35 with the elongation positive: 1000 N/m over 20 mm, on top of 50 N
    assert spring_tension(0.22, 1000.0, 0.2, 50.0) == pytest.approx(70.0, rel=1e-12)


def test_barely_stretched_spring_pulls_with_its_pretension() -> None:
    assert spring_tension(0.2 + 1e-12, 1000.0, 0.2, 50.0) == pytest.approx(50.0, abs=1e-8)


@pytest.mark.parametrize("length", [0.2, 0.2 - 1e-12, 0.1, 0.0])
def test_spring_at_or_below_its_free_length_hangs_loose(length: float) -> None:
    assert spring_tension(length, 1000.0, 0.2, 50.0) == 0.0
