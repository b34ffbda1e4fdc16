"""Several numbers in place of one: a kernel that is given these computes several samples at once.

A value of `LanesType` is a vector register; arithmetic, roots and comparisons work on all of its
numbers in one instruction. The kernels are written for one number; that they also run on lanes is
what makes a batch three times as fast a sample. Only compiled code knows this type.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import (
    intrinsic,
    lower_builtin,
    lower_cast,
    models,
    overload,
    register_model,
)
from numba.np import arrayobj

LANES = 8
_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_BITS = ir.VectorType(ir.IntType(1), LANES)


class LanesType(types.Type):
    """Some float64; a plain number turns into that many equal ones."""

    def __init__(self) -> None:
        super().__init__(name=f"lanes({LANES})")

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        """Tell numba that a plain number will do, where nothing fits better."""
        return Conversion.unsafe if isinstance(other, types.Float | types.Integer) else None

    def unify(self, typing_context: Any, other: Any) -> Any:
        """Tell numba that of lanes and a number in two branches, lanes hold both."""
        return self if isinstance(other, types.Float | types.Integer) else None


class MaskType(types.Type):
    """The truth of a comparison, for each number."""

    def __init__(self) -> None:
        super().__init__(name=f"mask({LANES})")


lanes = LanesType()
mask = MaskType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _DOUBLES)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _BITS)


@lower_cast(types.Float, LanesType)
@lower_cast(types.Integer, LanesType)
def _spread(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    number = context.cast(builder, value, source, types.float64)
    return _filled(builder, [number] * LANES)


def kind_for(*kinds: Any) -> Any:
    """Return the type that holds several: lanes, or float64 for plain numbers; None for others."""
    if not all(k is lanes or isinstance(k, types.Float | types.Integer) for k in kinds):
        return None
    return lanes if lanes in kinds else types.float64


def _filled(builder: Any, numbers: list[Any]) -> Any:
    vector = ir.Constant(_DOUBLES, ir.Undefined)
    for k, number in enumerate(numbers):
        vector = builder.insert_element(vector, number, ir.Constant(ir.IntType(32), k))
    return vector


def _in_order(builder: Any, vector: Any) -> list[Any]:
    return [builder.extract_element(vector, ir.Constant(ir.IntType(32), k)) for k in range(LANES)]


def _define(function: Any, result: Any, generate: Callable[[Any, Any, Any], Any]) -> None:
    """Define a binary operator: on lanes and lanes, or on lanes and a number."""

    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, arguments: Any, keywords: Any) -> Any:
            if any(a is lanes for a in arguments) and all(
                a is lanes or isinstance(a, types.Float | types.Integer) for a in arguments
            ):
                return signature(result, *[lanes] * len(arguments))
            return None

    @lower_builtin(function, *[LanesType] * 2)
    def _lower(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return generate(builder, *arguments)


_define(operator.add, lanes, lambda builder, a, b: builder.fadd(a, b))
_define(operator.sub, lanes, lambda builder, a, b: builder.fsub(a, b))
_define(operator.iadd, lanes, lambda builder, a, b: builder.fadd(a, b))
_define(operator.isub, lanes, lambda builder, a, b: builder.fsub(a, b))
_define(operator.mul, lanes, lambda builder, a, b: builder.fmul(a, b))
_define(operator.truediv, lanes, lambda builder, a, b: builder.fdiv(a, b))
_define(operator.lt, mask, lambda builder, a, b: builder.fcmp_ordered("<", a, b))
_define(operator.gt, mask, lambda builder, a, b: builder.fcmp_ordered(">", a, b))
_define(operator.eq, mask, lambda builder, a, b: builder.fcmp_ordered("==", a, b))
_define(operator.ne, mask, lambda builder, a, b: builder.fcmp_unordered("!=", a, b))


@intrinsic
def _negative(typing_context: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return builder.fsub(ir.Constant(_DOUBLES, [-0.0] * LANES), arguments[0])

    return lanes(lanes), generate


@intrinsic
def _both(typing_context: Any, a: Any, b: Any) -> Any:
    return mask(mask, mask), lambda context, builder, sig, arguments: builder.and_(*arguments)


def _one_instruction(name: str) -> Any:
    """Return an intrinsic for a function that the processor has for vectors."""

    @intrinsic
    def function(typing_context: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(_DOUBLES, [_DOUBLES])
            callee = cgutils.get_or_insert_function(
                builder.module, kind, f"llvm.{name}.v{LANES}f64"
            )
            return builder.call(callee, arguments)

        return lanes(lanes), generate

    return function


def _lane_by_lane(scalar: Any, count: int) -> Any:
    """Return an intrinsic that calls a function of numbers for each lane."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        numbers = types.float64(*[types.float64] * count)
        call = context.get_function(scalar, numbers)
        columns = zip(*(_in_order(builder, a) for a in arguments), strict=True)
        return _filled(builder, [call(builder, column) for column in columns])

    if count == 1:

        @intrinsic
        def function(typing_context: Any, a: Any) -> Any:
            return lanes(lanes), generate

        return function

    @intrinsic
    def function_of_two(typing_context: Any, a: Any, b: Any) -> Any:
        return lanes(lanes, lanes), generate

    return function_of_two


_sqrt = _one_instruction("sqrt")
_abs = _one_instruction("fabs")
_sin = _lane_by_lane(math.sin, 1)
_cos = _lane_by_lane(math.cos, 1)
_atan2 = _lane_by_lane(math.atan2, 2)


def _overload(function: Any, implementation: Any) -> None:
    @overload(function)
    def _choose(a):  # type: ignore[no-untyped-def]
        return (lambda a: implementation(a)) if a is lanes else None


def _overload_two(function: Any, kind: Any, implementation: Any) -> None:
    @overload(function)
    def _choose(a, b):  # type: ignore[no-untyped-def]
        return (lambda a, b: implementation(a, b)) if a is kind and b is kind else None


_overload(operator.neg, _negative)
_overload(math.sqrt, _sqrt)
_overload(math.sin, _sin)
_overload(math.cos, _cos)
_overload(abs, _abs)
_overload_two(math.atan2, lanes, _atan2)
_overload_two(operator.and_, mask, _both)


@intrinsic
def as_lanes(typing_context: Any, numbers: Any) -> Any:
    """Return a (k, LANES) array of numbers as a (k,) array of lanes: a view without a reference."""
    result = types.Array(lanes, 1, "C", aligned=False)

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        source = context.make_array(sig.args[0])(context, builder, arguments[0])
        count = builder.extract_value(source.shape, 0)
        size = context.get_constant(types.intp, 8 * LANES)
        array = context.make_array(result)(context, builder)
        arrayobj.populate_array(
            array,
            data=builder.bitcast(source.data, _DOUBLES.as_pointer()),
            shape=[count],
            strides=[size],
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return result(numbers), generate
