# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrays of a record in compiled code: an address, and the extents unknown at compile time.

An array of numba is seven numbers or more, counts negative indices from its end, and may have any
strides. A view has only what a field of a record needs: contiguous rows of three or nine numbers.
It takes the compiler a fraction of the work, and the processor one addition less.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr, models, register_model

from .inlined import define_inlined

Extents = tuple[Any, ...]  # int, or None where it is unknown at compile time


class ViewType(types.Type):
    """An array in a block in C order; indices are integers, not slices."""

    def __init__(self, element: Any, extents: Extents) -> None:
        self.element = element
        self.extents = extents
        shape = ", ".join("n" if extent is None else str(extent) for extent in extents)
        super().__init__(name=f"view({element}, {shape})")

    def rest(self, count: int) -> Any:
        """Return the type of the element or view that `count` indices select."""
        return ViewType(self.element, self.extents[count:]) if count < self.ndim else self.element

    @property
    def ndim(self) -> int:
        """Return the number of indices."""
        return len(self.extents)


@register_model(ViewType)
class _ViewModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        unknown = [k for k, extent in enumerate(kind.extents) if extent is None]
        members = [("data", types.CPointer(kind.element))]
        members += [(f"extent{k}", types.intp) for k in unknown]
        super().__init__(manager, kind, members)


def make_struct(context: Any, builder: Any, kind: Any, members: Any) -> Any:
    """Return a value of a type with several members.

    The members stay in registers. `create_struct_proxy` would move each through memory, and these
    instructions would be most of the compiler's input.
    """
    struct = ir.Constant(context.get_value_type(kind), ir.Undefined)
    for k, member in enumerate(members):
        struct = builder.insert_value(struct, member, k)
    return struct


def make_view(context: Any, builder: Any, kind: ViewType, data: Any, extents: Any) -> Any:
    """Return a view from its address and all its extents."""
    unknown = [extents[k] for k, known in enumerate(kind.extents) if known is None]
    return make_struct(context, builder, kind, (data, *unknown))


def data_of(builder: Any, view: Any) -> Any:
    """Return the address of the first number of a view."""
    return builder.extract_value(view, 0)


def make_array(context: Any, builder: Any, view_type: ViewType, view: Any) -> tuple[Any, Any]:
    """Return the type and the value of the same array as one of numba."""
    kind = types.Array(view_type.element, view_type.ndim, "C")
    extents = _extents(context, builder, view_type, view)
    itemsize = context.get_constant(
        types.intp, context.get_abi_sizeof(context.get_value_type(view_type.element))
    )
    count = itemsize
    strides: list[Any] = []
    for extent in reversed(extents):
        strides.insert(0, count)
        count = builder.mul(count, extent)
    absent = [ir.Constant(part, None) for part in context.get_value_type(kind).elements[:2]]
    members = (
        *absent, builder.sdiv(count, itemsize), itemsize, data_of(builder, view),
        cgutils.pack_array(builder, extents, ty=extents[0].type),
        cgutils.pack_array(builder, strides, ty=extents[0].type),
    )  # fmt: skip
    return kind, make_struct(context, builder, kind, members)


def _extents(context: Any, builder: Any, kind: ViewType, view: Any) -> list[Any]:
    """Return all extents; those after the first are usually known at compile time."""
    extents = []
    place = 0
    for known in kind.extents:
        if known is None:
            place += 1
            extents.append(builder.extract_value(view, place))
        else:
            extents.append(context.get_constant(types.intp, known))
    return extents


def _count(index: Any) -> int:
    """Return the number of indices, 0 where they are not all integers."""
    kinds = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
    return len(kinds) if all(isinstance(kind, types.Integer) for kind in kinds) else 0


def _type_of_item(view: Any, index: Any) -> Any:
    if not isinstance(view, ViewType) or not 0 < _count(index) <= view.ndim:
        return None
    return view.rest(_count(index)), (view, index)


def _type_of_store(view: Any, index: Any, value: Any) -> Any:
    if not isinstance(view, ViewType) or _count(index) != view.ndim:
        return None
    return types.none, (view, index, view.element)


@infer_getattr
class _Shape(AttributeTemplate):
    key = ViewType

    def resolve_shape(self, view: Any) -> Any:
        return types.UniTuple(types.intp, view.ndim)


@lower_getattr(ViewType, "shape")
def _get_shape(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    shape = types.UniTuple(types.intp, kind.ndim)
    return context.make_tuple(builder, shape, _extents(context, builder, kind, value))


def _indices(context: Any, builder: Any, index: Any, value: Any) -> list[Any]:
    """Return indices in LLVM; literals of the source become constants."""
    is_tuple = isinstance(index, types.BaseTuple)
    indices = []
    for k, kind in enumerate(tuple(index) if is_tuple else (index,)):
        if isinstance(kind, types.IntegerLiteral):
            indices.append(context.get_constant(types.intp, kind.literal_value))
        else:
            number = builder.extract_value(value, k) if is_tuple else value
            indices.append(context.cast(builder, number, kind, types.intp))
    return indices


def _find(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    """Return the address of the element or view that the indices select."""
    kind, index = sig.args[:2]
    view = arguments[0]
    indices = _indices(context, builder, index, arguments[1])
    if context.enable_boundscheck:
        for k, extent in enumerate(_extents(context, builder, kind, view)[: len(indices)]):
            cgutils.do_boundscheck(context, builder, indices[k], extent, k)
    data = data_of(builder, view)
    if all(known is not None for known in kind.extents[1:]):
        # the strides are known, so the offset is known where the indices are constants
        known_place, place = 0, None
        for k, i in enumerate(indices):
            step = math.prod(kind.extents[k + 1 :])
            if isinstance(i, ir.Constant):
                known_place += step * i.constant
                continue
            term = i if step == 1 else builder.mul(i, context.get_constant(types.intp, step))
            place = term if place is None else builder.add(place, term)
        if place is not None:
            data = builder.gep(data, [place])
        if known_place:
            data = builder.gep(data, [context.get_constant(types.intp, known_place)])
        return data
    place = None
    for k, extent in enumerate(_extents(context, builder, kind, view)):
        if place is not None:
            place = builder.mul(place, extent)
        if k < len(indices):
            place = indices[k] if place is None else builder.add(place, indices[k])
    return builder.gep(data, [place])


def _get(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    there = _find(context, builder, sig, arguments)
    if isinstance(sig.return_type, ViewType):
        extents = _extents(context, builder, sig.args[0], arguments[0])
        rest = extents[len(extents) - sig.return_type.ndim :]
        return make_view(context, builder, sig.return_type, there, rest)
    return builder.load(there, align=8)


def _set(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    builder.store(arguments[2], _find(context, builder, sig, arguments), align=8)
    return context.get_dummy_value()


define_inlined(operator.getitem, (ViewType, types.Any), _type_of_item, _get, takes_literals=True)
define_inlined(
    operator.setitem, (ViewType, types.Any, types.Any), _type_of_store, _set, takes_literals=True
)
