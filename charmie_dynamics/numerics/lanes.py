# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

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
from numba.extending import lower_cast, models, register_model

from .builtins import define
from .views import ViewType, make_view

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


def _define(
    function: Any, taken: Any, count: int, result: Any, generate: Callable[..., Any]
) -> None:
    """Define what a function is of one or two lanes (a number counts as some) or masks."""

    def typing(*arguments: Any) -> Any:
        fits = taken in arguments and (taken is mask or kind_for(*arguments) is lanes)
        return (result, (taken,) * count) if fits else None

    def lower(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return generate(builder, *arguments)

    define(function, (type(taken),) * count, typing, lower)


def _compare(function: Any, sign: str) -> None:
    _define(function, lanes, 2, mask, lambda b, x, y: b.fcmp_ordered(sign, x, y))


def _one_instruction(function: Any, name: str) -> None:
    """Define a function that the processor has for vectors."""

    def generate(builder: Any, vector: Any) -> Any:
        kind = ir.FunctionType(_DOUBLES, [_DOUBLES])
        callee = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f64")
        return builder.call(callee, [vector])

    _define(function, lanes, 1, lanes, generate)


def _lane_by_lane(function: Any, count: int) -> None:
    """Define a function by calling that of numbers for each lane."""

    def typing(*arguments: Any) -> Any:
        return (lanes, (lanes,) * count) if kind_for(*arguments) is lanes else None

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        numbers = types.float64(*[types.float64] * count)
        call = context.get_function(function, numbers)
        columns = zip(*(_in_order(builder, a) for a in arguments), strict=True)
        return _filled(builder, [call(builder, column) for column in columns])

    define(function, (LanesType,) * count, typing, generate)


_define(operator.add, lanes, 2, lanes, lambda b, x, y: b.fadd(x, y))
_define(operator.sub, lanes, 2, lanes, lambda b, x, y: b.fsub(x, y))
_define(operator.iadd, lanes, 2, lanes, lambda b, x, y: b.fadd(x, y))
_define(operator.isub, lanes, 2, lanes, lambda b, x, y: b.fsub(x, y))
_define(operator.mul, lanes, 2, lanes, lambda b, x, y: b.fmul(x, y))
_define(operator.truediv, lanes, 2, lanes, lambda b, x, y: b.fdiv(x, y))
_define(
    operator.neg, lanes, 1, lanes, lambda b, x: b.fsub(ir.Constant(_DOUBLES, [-0.0] * LANES), x)
)
_define(operator.and_, mask, 2, mask, lambda b, x, y: b.and_(x, y))
_compare(operator.lt, "<")
_compare(operator.gt, ">")
_compare(operator.eq, "==")
_define(operator.ne, lanes, 2, mask, lambda b, x, y: b.fcmp_unordered("!=", x, y))
_one_instruction(math.sqrt, "sqrt")
_one_instruction(abs, "fabs")
_lane_by_lane(math.sin, 1)
_lane_by_lane(math.cos, 1)
_lane_by_lane(math.atan2, 2)


def type_as_lanes(numbers: Any) -> Any:
    """Return the type of a view of lanes."""
    return ViewType(lanes, (None,)), (numbers,)


def view_as_lanes(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    """Return the view of lanes of a (k, LANES) array of numbers."""
    source = context.make_array(sig.args[0])(context, builder, arguments[0])
    data = builder.bitcast(source.data, _DOUBLES.as_pointer())
    count = builder.extract_value(source.shape, 0)
    return make_view(context, builder, sig.return_type, data, [count])
