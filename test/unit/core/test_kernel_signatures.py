# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arguments of kernels have names: numbers, arrays, vectors of numbers, and named records."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from charmie_dynamics import core
from charmie_dynamics.numerics.jit import plain


def kernels() -> Iterator[tuple[str, Any]]:
    """Yield the names and the functions of all kernels of the core."""
    for module in pkgutil.walk_packages(core.__path__, f"{core.__name__}."):
        loaded = importlib.import_module(module.name)
        for node in ast.parse(inspect.getsource(loaded)).body:
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(decorator).startswith("compiled") for decorator in node.decorator_list
            ):
                yield f"{module.name}.{node.name}", getattr(loaded, node.name)


KERNELS = dict(kernels())


def faults(function: Callable[..., Any]) -> list[str]:
    """Return the arguments of a function without names, and the fields used by a number."""
    hints = get_type_hints(function)
    found, records = [], set()
    for name in inspect.signature(function).parameters:
        hint = hints[name]
        if get_origin(hint) is tuple and set(get_args(hint)) != {float}:
            found.append(f"{name}: {hint}")
        elif hasattr(hint, "_fields"):
            records.add(name)
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in records
        ):
            found.append(ast.unparse(node))
    return found


def test_arguments_of_kernels_have_names() -> None:
    assert "charmie_dynamics.core.integration.stepping.run_stages" in KERNELS
    found = {name: faults(plain(function)) for name, function in KERNELS.items()}
    assert {name: given for name, given in found.items() if given} == {}


def test_compiled_signatures_contain_no_tuples_except_vectors() -> None:
    entries = {
        (name, entry)
        for name, function in KERNELS.items()
        for entry in getattr(function, "argument_types", ())
        if entry.startswith("(") and set(entry.strip("()").split(", ")) != {"float"}
    }
    assert entries == set()


class Pair(NamedTuple):
    first: float
    second: float


def unnamed(sizes: tuple[int, int], vector: tuple[float, float]) -> float:
    return sizes[0] + vector[0]


def by_number(pair: Pair) -> float:
    return pair[0] + pair.second


def test_tuples_and_indices_are_found() -> None:
    assert faults(unnamed) == ["sizes: tuple[int, int]"]
    assert faults(by_number) == ["pair[0]"]
