# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What users import: names that the package exports, and those in documents and examples."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import charmie_dynamics

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = charmie_dynamics.__name__
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Documented(NamedTuple):
    """A public object and the name under which it is found."""

    name: str
    module: str
    item: Any


def programs() -> Iterator[str]:
    """Yield the Python that documents and examples show."""
    for path in (ROOT / "examples").glob("*.py"):
        yield path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        yield from re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def imported() -> set[tuple[str, str]]:
    """Return modules and names that users are told to import from this package, without ROS."""
    found = {(PACKAGE, name) for name in charmie_dynamics.__all__}
    for text in programs():
        try:
            nodes = list(ast.walk(ast.parse(text)))
        except SyntaxError:
            continue  # an excerpt
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
                found |= {(str(node.module), alias.name) for alias in node.names}
    return {(module, name) for module, name in found if f"{PACKAGE}.ros" not in module}


def documented(*, of_recordings: bool) -> list[Documented]:
    """Return the public functions and classes, and the members of classes that have examples."""
    found: dict[int, Documented] = {}
    for module, name in sorted(imported()):
        try:
            item = getattr(import_module(module), name)
        except ImportError:
            continue  # an extra is missing
        # what reads recordings
        own = getattr(item, "__module__", module)
        if (f"{PACKAGE}.recordings" in own or own.endswith(".recorded")) != of_recordings:
            continue
        members = _members(item) if inspect.isclass(item) else {}
        for path, each in {name: item, **{f"{name}.{k}": v for k, v in members.items()}}.items():
            found.setdefault(id(each), Documented(path, item.__module__, each))
    return list(found.values())


def _members(item: type) -> dict[str, Any]:
    kinds = (property, classmethod, staticmethod)
    own = [each for each in reversed(item.__mro__) if each.__module__.startswith(PACKAGE)]
    return {
        name: member
        for each in own
        for name, member in vars(each).items()
        if not name.startswith("_")
        and (inspect.isfunction(member) or isinstance(member, kinds))
        and has_examples(member)
    }


def has_examples(item: Any) -> bool:
    return "Examples\n" in (inspect.getdoc(item) or "")


def run_examples(documented: Documented) -> None:
    """Run the examples of a docstring.

    Raises
    ------
    AssertionError
        If there are none, or one prints something else.
    """
    text = inspect.getdoc(documented.item) or ""
    heading = re.search(r"^Examples\n-{8}\n", text, re.MULTILINE)
    assert heading, f"{documented.name} has no section Examples"
    parser = doctest.DocTestParser()
    test = parser.get_doctest(text, {}, documented.name, documented.module, 0)
    assert test.examples, f"{documented.name} has no example"
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=failures.append)
    assert not failures, "".join(failures)
