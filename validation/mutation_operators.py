# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mistakes in equations of vectors, for mutation testing with cosmic-ray.

cosmic-ray itself changes numbers (and so indices), signs and comparisons. The kernels write their
vector equations as calls, ``add(a, cross(w, r))``, which it leaves alone; the operators here do to
those what a slip of the pen does.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from cosmic_ray.operators.operator import Example, Operator
from parso.tree import BaseNode, NodeOrLeaf

Position = tuple[tuple[int, int], tuple[int, int]]

# the other function that a slip would put in its place
CONFUSED = {
    "add": "subtract",
    "subtract": "add",
    "rotate": "rotate_back",
    "rotate_back": "rotate",
    "sin": "cos",
    "cos": "sin",
}
ORDERED = ("cross", "subtract", "compose")
SUMS = ("add", "subtract", "scale")


def _called(node: NodeOrLeaf) -> str:
    """Return the name of the function that `node` calls, empty if it is no call."""
    if node.type not in ("power", "atom_expr"):
        return ""
    call = node.children[-1]
    if call.type != "trailer" or call.children[0].value != "(":
        return ""
    return str(node.children[-2].get_code()).strip(" .\n")


def _arguments(node: NodeOrLeaf) -> list[NodeOrLeaf]:
    inside = node.children[-1].children[1]
    return inside.children if inside.type == "arglist" else [inside]


def _with_prefix_of(new: NodeOrLeaf, old: NodeOrLeaf) -> NodeOrLeaf:
    result = copy.copy(new) if not isinstance(new, BaseNode) else new
    result.get_first_leaf().prefix = old.get_first_leaf().prefix
    return result


class _VectorOperator(Operator):
    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Return none: they are documentation of cosmic-ray's own."""
        return ()


class ConfuseFunction(_VectorOperator):
    """Subtract for add, rotate back for rotate, sine for cosine."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        """Yield where `node` can be mutated, once for each way."""
        if _called(node) in CONFUSED:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> NodeOrLeaf:
        """Return the node with its mutation number `index`."""
        name = node.children[-2].get_last_leaf()
        name.value = CONFUSED[name.value]
        return node


class SwapArguments(_VectorOperator):
    """cross(b, a) for cross(a, b): the first two arguments change places."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        """Yield where `node` can be mutated, once for each way."""
        if _called(node) in ORDERED:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> NodeOrLeaf:
        """Return the node with its mutation number `index`."""
        arguments = _arguments(node)
        first, second = arguments[0], arguments[2]
        prefixes = first.get_first_leaf().prefix, second.get_first_leaf().prefix
        arguments[0], arguments[2] = second, first
        second.get_first_leaf().prefix, first.get_first_leaf().prefix = prefixes
        return node


class DropTerm(_VectorOperator):
    """One of two arguments for add(a, b), subtract(a, b) or scale(s, a)."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        """Yield where `node` can be mutated, once for each way."""
        name = _called(node)
        if name in SUMS:
            yield node.start_pos, node.end_pos
        if name == "add":
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> NodeOrLeaf:
        """Return the node with its mutation number `index`."""
        kept = 2 if _called(node) == "scale" or index == 1 else 0
        return _with_prefix_of(_arguments(node)[kept], node)


class DropSummand(_VectorOperator):
    """A sum of numbers without one of its terms after the first."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        """Yield where `node` can be mutated, once for each way."""
        if node.type == "arith_expr":
            for _ in range(len(node.children) // 2):
                yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> NodeOrLeaf:
        """Return the node with its mutation number `index`."""
        del node.children[2 * index + 1 : 2 * index + 3]
        return node


class DropStatement(_VectorOperator):
    """Nothing in place of a call, or of an assignment into an array."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        """Yield where `node` can be mutated, once for each way."""
        if node.type == "simple_stmt" and self._writes(node.children[0]):
            yield node.start_pos, node.end_pos

    @staticmethod
    def _writes(statement: NodeOrLeaf) -> bool:
        if statement.type == "expr_stmt":
            target = statement.children[0]
            return target.type in ("power", "atom_expr")
        return bool(_called(statement))

    def mutate(self, node: Any, index: int) -> NodeOrLeaf:
        """Return the node with its mutation number `index`."""
        leaf = copy.copy(node.get_first_leaf())
        leaf.value = "pass"
        node.children[0] = leaf
        return node


class VectorOperators:
    """What cosmic-ray asks for operators by name."""

    _operators = {  # noqa: RUF012
        operator.__name__: operator
        for operator in (ConfuseFunction, SwapArguments, DropTerm, DropSummand, DropStatement)
    }

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __getitem__(self, name: str) -> type[Operator]:
        return self._operators[name]
