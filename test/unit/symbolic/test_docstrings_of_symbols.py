# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The examples in the docstrings of the symbolic equations print what they show."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator

import pytest
from public_names import Documented, has_examples, run_examples

PUBLIC = {
    "derive": ("derive",),
    "equations": ("SymbolicEquations", "Symbols"),
    "program": ("Operations",),
    "compilation": ("EquationsFunction", "EquationArrays"),
}


def documented() -> Iterator[Documented]:
    pytest.importorskip("sympy", reason="SymPy is missing")
    for name, names in PUBLIC.items():
        module = importlib.import_module(f"charmie_dynamics.symbolic.{name}")
        for item in (getattr(module, each) for each in names):
            yield Documented(item.__qualname__, item.__module__, item)
            for key, member in vars(item).items() if inspect.isclass(item) else ():
                is_accessible = inspect.isfunction(member) or isinstance(member, property)
                if is_accessible and not key.startswith("_") and has_examples(member):
                    yield Documented(f"{item.__name__}.{key}", item.__module__, member)


def test_the_examples_hold() -> None:
    items = list(documented())
    assert len(items) > sum(map(len, PUBLIC.values()))  # members, too
    for item in items:
        run_examples(item)
