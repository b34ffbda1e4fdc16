# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kinds of numbers: types that can replace a float64 in a kernel.

A kernel is written for one number. It also runs on lanes, which hold several samples (`lanes`), and
on numbers with derivatives (`duals`, `jets`). The compiler generates a version of the kernel for
each kind. A kind is a vector register and the rules of its operators.
"""

from __future__ import annotations

import math
import operator
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_cast, models, register_model

from .inlined import define_inlined
from .views import ViewType, data_of, make_view


class NumberType(types.Type):
    """A kind of number; a plain number is converted to it where both occur.

    Parameters
    ----------
    name : str
    count : int
        Number of float64 that it consists of.
    truth : numba type
        Type of the result of a comparison.
    """

    def __init__(self, name: str, count: int, truth: Any) -> None:
        self.count = count
        self.truth = truth
        self.vector = ir.VectorType(ir.DoubleType(), count)
        super().__init__(name=f"{name}({count})")

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        """Let numba convert a plain number, where no other type fits better."""
        if not isinstance(other, types.Float | types.Integer):
            return None
        return typing_context.can_convert(types.float64, types.float32)  # an unsafe conversion

    def unify(self, typing_context: Any, other: Any) -> Any:
        """Let numba choose this type where two branches have it and a plain number."""
        return self if isinstance(other, types.Float | types.Integer) else None

    @abstractmethod
    def constant(self, builder: Any, number: Any) -> Any:
        """Return a plain number converted to this kind."""

    @abstractmethod
    def compare(self, builder: Any, sign: str, x: Any, y: Any) -> Any:
        """Return the result of a comparison."""

    @abstractmethod
    def multiply_add(self, builder: Any, x: Any, y: Any, z: Any) -> Any:
        """Return x y + z, the product and the sum rounded once where the processor can."""

    @abstractmethod
    def multiply(self, builder: Any, x: Any, y: Any) -> Any:
        """Return x y."""

    @abstractmethod
    def divide(self, builder: Any, x: Any, y: Any) -> Any:
        """Return x / y."""

    @abstractmethod
    def apply(self, context: Any, builder: Any, function: Any, arguments: Any) -> Any:
        """Return abs or a function of `math` of one number or several."""

    def add(self, builder: Any, x: Any, y: Any) -> Any:
        """Return x + y."""
        return builder.fadd(x, y)

    def subtract(self, builder: Any, x: Any, y: Any) -> Any:
        """Return x - y."""
        return builder.fsub(x, y)

    def negative(self, builder: Any, x: Any) -> Any:
        """Return -x."""
        return builder.fsub(ir.Constant(self.vector, [-0.0] * self.count), x)

    def filled(self, builder: Any, numbers: Sequence[Any]) -> Any:
        """Return a register with these numbers."""
        vector = ir.Constant(self.vector, ir.Undefined)
        for k, number in enumerate(numbers):
            vector = builder.insert_element(vector, number, position(k))
        return vector

    def repeated(self, builder: Any, number: Any) -> Any:
        """Return a register with one number in all places."""
        first = builder.insert_element(ir.Constant(self.vector, ir.Undefined), number, position(0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), self.count), [0] * self.count)
        return builder.shuffle_vector(first, ir.Constant(self.vector, ir.Undefined), everywhere)

    def in_one_instruction(self, builder: Any, name: str, *vectors: Any) -> Any:
        """Return what the processor has for vectors: "sqrt", "fabs", "fmuladd"."""
        kind = ir.FunctionType(self.vector, [self.vector] * len(vectors))
        symbol = f"llvm.{name}.v{self.count}f64"
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, symbol), vectors)


def position(k: int) -> Any:
    """Return the index of a number in a register."""
    return ir.Constant(ir.IntType(32), k)


def kind_for(*kinds: Any) -> Any:
    """Return the type that holds several: a kind, float64 for plain numbers, None for others."""
    found = {kind for kind in kinds if isinstance(kind, NumberType)}
    plain = all(isinstance(kind, types.Float | types.Integer) for kind in {*kinds} - found)
    if not plain or len(found) > 1:
        return None
    return found.pop() if found else types.float64


def register(kind: type[NumberType]) -> None:
    """Register the layout of a kind in registers and memory with numba."""

    @register_model(kind)
    class _Model(models.PrimitiveModel):
        def __init__(self, manager: Any, number: Any) -> None:
            super().__init__(manager, number, number.vector)


def as_numbers(kind: NumberType) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the typing and generating functions of a conversion from numbers to a view of a kind.

    The numbers are a (k, count) array or view, a (k count,) array, or at an address; then their
    count is unknown.
    """

    def typing(numbers: Any) -> Any:
        return ViewType(kind, (None,)), (numbers,)

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        given = sig.args[0]
        if isinstance(given, types.Integer):
            data = builder.inttoptr(arguments[0], kind.vector.as_pointer())
            return make_view(
                context, builder, sig.return_type, data, [context.get_constant(types.intp, 0)]
            )
        if isinstance(given, ViewType):
            view = arguments[0]
            data = builder.bitcast(data_of(builder, view), kind.vector.as_pointer())
            rows = builder.extract_value(view, 1)
            return make_view(context, builder, sig.return_type, data, [rows])
        source = context.make_array(given)(context, builder, arguments[0])
        data = builder.bitcast(source.data, kind.vector.as_pointer())
        rows = builder.extract_value(source.shape, 0)
        if given.ndim == 1:
            rows = builder.udiv(rows, context.get_constant(types.intp, kind.count))
        return make_view(context, builder, sig.return_type, data, [rows])

    return typing, generate


@lower_cast(types.Float, NumberType)
@lower_cast(types.Integer, NumberType)
def _to_kind(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return target.constant(builder, context.cast(builder, value, source, types.float64))


def _define(function: Any, count: int, generate: Callable[..., Any], compares: bool) -> None:
    def typing(*arguments: Any) -> Any:
        kind = kind_for(*arguments)
        if not isinstance(kind, NumberType):
            return None
        return kind.truth if compares else kind, (kind,) * count

    def lower(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return generate(sig.args[0], context, builder, arguments)

    define_inlined(function, (NumberType,) * count, typing, lower)


_function: Any
for _function, _count, _method in (
    (operator.add, 2, "add"),
    (operator.iadd, 2, "add"),
    (operator.sub, 2, "subtract"),
    (operator.isub, 2, "subtract"),
    (operator.mul, 2, "multiply"),
    (operator.truediv, 2, "divide"),
    (operator.neg, 1, "negative"),
):
    _define(_function, _count, lambda k, c, b, a, m=_method: getattr(k, m)(b, *a), False)
for _function, _sign in (
    (operator.lt, "<"),
    (operator.gt, ">"),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _define(_function, 2, lambda k, c, b, a, s=_sign: k.compare(b, s, *a), True)
for _function, _count in ((abs, 1), (math.sqrt, 1), (math.sin, 1), (math.cos, 1), (math.atan2, 2)):
    _define(_function, _count, lambda k, c, b, a, f=_function: k.apply(c, b, f, a), False)
