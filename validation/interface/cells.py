# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What stands in the cells of the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from validation.harness import tables


def table_of(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; bars in cells are escaped."""
    return tables.table(headings, [[cell.replace("|", "\\|") for cell in row] for row in rows])


def code(value: object) -> str:
    """Return a value as code."""
    return f"`{value}`"


def sentence(text: str) -> str:
    """Return a description with a small letter at its start, as it stands in a table."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
