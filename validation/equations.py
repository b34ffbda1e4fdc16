# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Map the papers' equations to the code; ``--only equations`` renews their places in the page.

The comments and docstrings of ``core`` and ``numerics`` name equations beside the lines which they
have become: of the structural paper in ``core/equations``, of the contact paper in
``core/contact``, of the multibody paper elsewhere. They
are collected here into the tables of ``docs/validation.md``, whose text is
``docs/validation.in.md``.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .harness import pages
from .harness.run import Evidence

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "charmie_dynamics"
KERNELS = ("core", "numerics")
NEAR = 12  # lines
OF_STRUCTURAL_PAPER = "core/equations"
OF_CONTACT_PAPER = "core/contact"
OF_POINTS = ("core/equations/point_motion.py", "model/equations/point_motion.py")

# "eq. 20", "eq. 13 and 14", "eq. 36, 38, 42 and 43", "eq. 7 to 9"
_NUMBERS = r"\d+(?:(?:,\s+|\s+and\s+|\s+to\s+)\d+)*"
_REFERENCE = re.compile(rf"\beq\.\s+({_NUMBERS})", re.IGNORECASE)


class Place(NamedTuple):
    """A line that names an equation."""

    file: str
    line: int


class Passage(NamedTuple):
    """A run of comment lines, or a docstring."""

    line: int
    text: str
    of_module: bool


def passages(source: str) -> Iterator[Passage]:
    """Yield comments, adjacent lines as one, and docstrings of a module."""
    start, lines, last = 0, list[str](), (-1, -1)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        row, column = token.start
        if (row, column) != (last[0] + 1, last[1]):
            if lines:
                yield Passage(start, "\n".join(lines), False)
            start, lines = row, []
        lines.append(token.string.lstrip("#"))
        last = row, column
    if lines:
        yield Passage(start, "\n".join(lines), False)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            text = ast.get_docstring(node, clean=False)
            yield Passage(node.body[0].lineno, str(text), isinstance(node, ast.Module))


def numbers_of(reference: str) -> list[int]:
    """Return the numbers in "36, 38 and 40 to 43", ranges filled in."""
    numbers: list[int] = []
    for part in re.split(r",\s+|\s+and\s+", reference):
        first, *last = (int(n) for n in re.split(r"\s+to\s+", part))
        numbers += range(first, (last or [first])[-1] + 1)
    return numbers


def references(source: str) -> Iterator[tuple[int, int]]:
    """Yield equation and line for each reference; a module's docstring only gives its range."""
    for passage in passages(source):
        if passage.of_module:
            continue
        for match in _REFERENCE.finditer(passage.text):
            line = passage.line + passage.text.count("\n", 0, match.start())
            for number in numbers_of(match.group(1)):
                yield number, line


def scan(*, structural: bool = False) -> dict[int, list[Place]]:
    """Return where each equation of the multibody paper stands in the code, or the structural."""
    paths = {path for folder in KERNELS for path in (PACKAGE / folder).rglob("*.py")}
    paths -= {PACKAGE / module for module in OF_POINTS}
    paths -= set((PACKAGE / OF_CONTACT_PAPER).rglob("*.py"))
    folder = PACKAGE / OF_STRUCTURAL_PAPER
    return places_in(path for path in paths if (folder in path.parents) == structural)


def scan_contact() -> dict[int, list[Place]]:
    """Return where each equation of the contact paper stands in the code."""
    return places_in((PACKAGE / OF_CONTACT_PAPER).rglob("*.py"))


def places_in(paths: Iterable[Path]) -> dict[int, list[Place]]:
    """Return where equations are named in some modules, by their numbers."""
    found: dict[int, set[Place]] = {}
    for path in sorted(paths):
        file = path.relative_to(PACKAGE.parent).as_posix()
        for number, line in references(path.read_text(encoding="utf-8")):
            found.setdefault(number, set()).add(Place(file, line))
    return {number: sorted(places) for number, places in sorted(found.items())}


def links(places: list[Place]) -> str:
    """Return Markdown links to lines, from a document in docs/; a line near the last has none."""
    found, last = list[str](), Place("", 0)
    for file, line in sorted(places):
        if file != last.file or line > last.line + NEAR:
            found.append(f"[{Path(file).name}:{line}](../{file}#L{line})")
        last = Place(file, line)
    return ", ".join(found)


def code_of_equations() -> dict[str, str]:
    """Return links for the places in the template that name a paper and equations.

    Raises
    ------
    ValueError
        If the template and the code do not name the same equations.
    """
    found = {
        "multibody": scan(),
        "structural": scan(structural=True),
        "points": places_in(PACKAGE / module for module in OF_POINTS),
        "contact": scan_contact(),
    }
    named, texts = set(), {}
    for place in pages.places("validation"):
        paper, _, reference = place.partition(" ")
        if paper in found:
            equations = numbers_of(reference)
            named |= {(paper, number) for number in equations}
            lines = {line for number in equations for line in found[paper].get(number, [])}
            texts[place] = links(sorted(lines))
    if wrong := named ^ {(paper, number) for paper, numbers in found.items() for number in numbers}:
        raise ValueError(f"validation.in.md: equations of page and code differ: {sorted(wrong)}")
    return texts


def document() -> str:
    """Return the text of docs/validation.md with other places of the equations."""
    return pages.renew("validation", {}, code_of_equations())


def make() -> Evidence:
    """Return the page, in which what `validation.report` measures is kept."""
    return Evidence({"validation.md": document()})
