# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Several numbers in place of one: a kernel that is given these computes several samples at once.

A value of `LanesType` is a vector register; arithmetic, roots and comparisons work on all of its
numbers in one instruction. The kernels are written for one number and also run on lanes. Only
compiled code knows this type.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import models, register_model

from .inlined import define_inlined
from .kinds import NumberType, position, register
from .widths import LANES

_BITS = ir.VectorType(ir.IntType(1), LANES)
_INSTRUCTIONS = {math.sqrt: "sqrt", abs: "fabs"}


class MaskType(types.Type):
    """The truth of a comparison, for each number."""

    def __init__(self) -> None:
        super().__init__(name=f"mask({LANES})")


class LanesType(NumberType):
    """Some float64; a plain number turns into that many equal ones."""

    def __init__(self) -> None:
        super().__init__("lanes", LANES, mask)

    def constant(self, builder: Any, number: Any) -> Any:
        """Return equal numbers."""
        return self.filled(builder, [number] * LANES)

    def compare(self, builder: Any, sign: str, x: Any, y: Any) -> Any:
        """Compare number by number."""
        # as in Python, NaN differs from every number
        make = builder.fcmp_unordered if sign == "!=" else builder.fcmp_ordered
        return make(sign, x, y)

    def multiply_add(self, builder: Any, x: Any, y: Any, z: Any) -> Any:
        """Return x y + z for each."""
        return self.in_one_instruction(builder, "fmuladd", x, y, z)

    def multiply(self, builder: Any, x: Any, y: Any) -> Any:
        """Return x y for each."""
        return builder.fmul(x, y)

    def divide(self, builder: Any, x: Any, y: Any) -> Any:
        """Return x / y for each."""
        return builder.fdiv(x, y)

    def apply(self, context: Any, builder: Any, function: Any, arguments: Any) -> Any:
        """Use the processor's instruction for all lanes, or else call a function for each."""
        if function in _INSTRUCTIONS:
            return self.in_one_instruction(builder, _INSTRUCTIONS[function], *arguments)
        call = context.get_function(function, types.float64(*[types.float64] * len(arguments)))
        lanes_of = [
            [builder.extract_element(vector, position(k)) for k in range(LANES)]
            for vector in arguments
        ]
        return self.filled(
            builder, [call(builder, column) for column in zip(*lanes_of, strict=True)]
        )


mask = MaskType()
lanes = LanesType()
register(LanesType)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _BITS)


def _type_of_both(*arguments: Any) -> Any:
    return (mask, (mask, mask)) if arguments == (mask, mask) else None


def _both(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return builder.and_(*arguments)


define_inlined(operator.and_, (MaskType, MaskType), _type_of_both, _both)
