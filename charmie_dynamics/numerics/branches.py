"""Choices by value that hold for one number and for several numbers at once (`lanes`)."""

from __future__ import annotations

from typing import Any

from .jit import HAS_NUMBA


def where(condition: Any, yes: Any, no: Any) -> Any:
    """Return `yes` where the condition holds, else `no`."""
    return yes if condition else no


def all_lanes(condition: Any) -> Any:
    """Tell whether the condition holds, for all numbers if there are several."""
    return condition


if HAS_NUMBA:
    from numba.extending import overload

    from .lanes import MaskType, all_of_mask, select

    # numba wants the annotations of an implementation to be those of the function it stands for

    @overload(where)
    def _where(condition: Any, yes: Any, no: Any) -> Any:
        def of_numbers(condition: Any, yes: Any, no: Any) -> Any:
            return yes if condition else no

        def of_lanes(condition: Any, yes: Any, no: Any) -> Any:
            return select(condition, yes, no)

        return of_lanes if isinstance(condition, MaskType) else of_numbers

    @overload(all_lanes)
    def _all_lanes(condition: Any) -> Any:
        def of_numbers(condition: Any) -> Any:
            return condition

        def of_lanes(condition: Any) -> Any:
            return all_of_mask(condition)

        return of_lanes if isinstance(condition, MaskType) else of_numbers
