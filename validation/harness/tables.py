# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables and lists in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; the columns of headings that begin with ``>`` are aligned to the right."""
    lines = [[cell.removeprefix(">") for cell in head]]
    lines.append(["---:" if cell.startswith(">") else "---" for cell in head])
    lines += [[str(cell) for cell in row] for row in rows]
    first, *others = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([first.replace("|  |", "| |"), *others])


def bullets(lines: Iterable[str]) -> str:
    """Return a list."""
    return "\n".join(f"- {line}" for line in lines)


def verdict(met: bool) -> str:
    """Return whether a requirement is met, as the tables say it."""
    return "met" if met else "**not met**"


def at_most(value: float, limit: float | None, form: str = ".2f") -> str:
    """Return a value, with the most that it may be and whether it is, if there is a limit."""
    shown = f"{value:{form}}"
    return shown if limit is None else f"{shown} (at most {limit:g}: {verdict(value <= limit)})"


def at_least(value: float, limit: float | None, form: str = ".1f") -> str:
    """Return a value, with the least that it may be and whether it is, if there is a limit."""
    shown = f"{value:{form}}"
    return shown if limit is None else f"{shown} (at least {limit:g}: {verdict(value >= limit)})"
