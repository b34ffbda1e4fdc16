# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A page of the reference, and the places of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def filled(text: str, name: str, table: str) -> str:
    """Return the text of a page with the table of that name made anew.

    Raises
    ------
    ValueError
        If the text has no place for it, or more than one.
    """
    begin, end = f"<!-- {name}: python -m validation.interface -->", f"<!-- end of {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"expected {begin} and {end} once each")
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    return f"{head}{begin}\n\n{table}\n\n{end}{tail}"


def table_of(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; bars in cells are escaped."""
    return "\n".join(map(_line, (headings, ["---"] * len(headings), *rows)))


def _line(cells: Sequence[str]) -> str:
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def code(value: object) -> str:
    """Return a value as code."""
    return f"`{value}`"


def sentence(text: str) -> str:
    """Return a description with a small letter at its start, as it stands in a table."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
