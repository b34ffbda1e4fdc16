# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The table of computing time has each robot of the papers, and pictures take most of it."""

from __future__ import annotations

from benchmarks import papers


def test_pictures_take_most_of_the_time() -> None:
    _, _, *rows, published = papers.measure(1, pictures=1).splitlines()
    assert len(rows) == 4
    for row in rows:
        *_, whole, drawn, _, part, _ = row.split("|")
        assert float(drawn) > float(whole) > 0.0
        assert float(part.split()[0]) > 50.0
    assert "99 %" in published
