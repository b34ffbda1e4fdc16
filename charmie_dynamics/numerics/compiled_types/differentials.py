# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Common base of duals and jets: numbers with derivatives.

The value is the first element of the register. It equals the result of a plain number, bit for bit.
Sums, differences and selections work elementwise. Products follow the product rule and functions
the chain rule, which each kind defines. A kernel that is called with such numbers returns exact
derivatives of its results. Comparisons use the value only, and return a plain boolean.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

from llvmlite import ir
from numba import types

from .kinds import NumberType, position


class DifferentialType(NumberType):
    """A value and its derivatives; a plain number has zero derivatives."""

    def __init__(self, name: str, count: int) -> None:
        super().__init__(name, count, types.boolean)

    @abstractmethod
    def product_rule(self, builder: Any, x: Any, y: Any, first: Any) -> Any:
        """Return the derivatives of x y + z.

        Parameters
        ----------
        builder : llvmlite.ir.IRBuilder
        x, y : register
        first : register
            x_0 y + z; only its value is final.
        """

    @abstractmethod
    def chain_rule(self, builder: Any, x: Any, df: Any, ddf: Any) -> Any:
        """Return the derivatives of f(x) from f' and f'' at the value of x."""

    def value(self, builder: Any, x: Any) -> Any:
        """Return the value alone."""
        return builder.extract_element(x, position(0))

    def with_value(self, builder: Any, value: Any, x: Any) -> Any:
        """Return x with another value."""
        return builder.insert_element(x, value, position(0))

    def function(self, builder: Any, x: Any, f: Any, df: Any, ddf: Any) -> Any:
        """Return f(x) from f and its derivatives at the value of x."""
        return self.with_value(builder, f, self.chain_rule(builder, x, df, ddf))

    def constant(self, builder: Any, number: Any) -> Any:
        """Return a number that does not change."""
        return self.with_value(builder, number, ir.Constant(self.vector, [0.0] * self.count))

    def compare(self, builder: Any, sign: str, x: Any, y: Any) -> Any:
        """Compare the values."""
        make = builder.fcmp_unordered if sign == "!=" else builder.fcmp_ordered
        return make(sign, self.value(builder, x), self.value(builder, y))

    def multiply_add(self, builder: Any, x: Any, y: Any, z: Any) -> Any:
        """Return x y + z."""
        x_0 = self.repeated(builder, self.value(builder, x))
        return self._product(builder, x, y, self.in_one_instruction(builder, "fmuladd", x_0, y, z))

    def multiply(self, builder: Any, x: Any, y: Any) -> Any:
        """Return x y."""
        x_0 = self.repeated(builder, self.value(builder, x))
        return self._product(builder, x, y, builder.fmul(x_0, y))

    def divide(self, builder: Any, x: Any, y: Any) -> Any:
        """Return x / y."""
        y_0 = self.value(builder, y)
        r = builder.fdiv(ir.Constant(ir.DoubleType(), 1.0), y_0)
        dr = _product(builder, -1.0, r, r)
        inverse = self.function(builder, y, r, dr, _product(builder, -2.0, dr, r))
        quotient = builder.fdiv(self.value(builder, x), y_0)
        return self.with_value(builder, quotient, self.multiply(builder, x, inverse))

    def apply(self, context: Any, builder: Any, function: Any, arguments: Any) -> Any:
        """Return abs, math.sqrt, math.sin, math.cos or math.atan2."""

        def call(which: Any, *numbers: Any) -> Any:
            return context.get_function(which, types.float64(*[types.float64] * len(numbers)))(
                builder, numbers
            )

        if function is math.atan2:
            return self._angle(builder, call, *arguments)
        (x,) = arguments
        x_0 = self.value(builder, x)
        if function is abs:
            zero = ir.Constant(ir.DoubleType(), 0.0)
            turned = self.negative(builder, x)
            below = builder.fcmp_ordered("<", x_0, zero)
            return self.with_value(builder, call(abs, x_0), builder.select(below, turned, x))
        if function is math.sqrt:
            f = call(math.sqrt, x_0)
            df = builder.fdiv(ir.Constant(ir.DoubleType(), 0.5), f)
            return self.function(builder, x, f, df, builder.fdiv(_product(builder, -0.5, df), x_0))
        sine, cosine = call(math.sin, x_0), call(math.cos, x_0)
        back = _product(builder, -1.0, sine)
        if function is math.sin:
            return self.function(builder, x, sine, cosine, back)
        return self.function(builder, x, cosine, back, _product(builder, -1.0, cosine))

    def _product(self, builder: Any, x: Any, y: Any, first: Any) -> Any:
        derivatives = self.product_rule(builder, x, y, first)
        # the value from one register, the derivatives from the other
        order = [0, *range(self.count + 1, 2 * self.count)]
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.count), order)
        return builder.shuffle_vector(first, derivatives, mask)

    def _angle(self, builder: Any, call: Any, y: Any, x: Any) -> Any:
        y_0, x_0 = self.value(builder, y), self.value(builder, x)
        # rotated back by the angle of the values, the point has an angle of value zero, whose
        # arctangent equals the tangent up to the second derivative
        sine, cosine = self.repeated(builder, y_0), self.repeated(builder, x_0)
        along = builder.fadd(builder.fmul(cosine, x), builder.fmul(sine, y))
        across = builder.fsub(builder.fmul(cosine, y), builder.fmul(sine, x))
        across = self.with_value(builder, ir.Constant(ir.DoubleType(), 0.0), across)
        change = self.divide(builder, across, along)
        return self.with_value(builder, call(math.atan2, y_0, x_0), change)


def _product(builder: Any, factor: float, *numbers: Any) -> Any:
    result = ir.Constant(ir.DoubleType(), factor)
    for number in numbers:
        result = builder.fmul(result, number)
    return result
