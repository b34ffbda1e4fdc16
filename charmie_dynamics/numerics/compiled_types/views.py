# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrays of a record in compiled code: an address, and the extents that are not known beforehand.

An array of numba is seven numbers and more, counts negative indices from its end, and may have any
strides. A view has what a field of a record needs: rows of three or nine numbers, one after the
other. That leaves the compiler a fraction of the work, and the processor an addition less.
"""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_global,
    signature,
)
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr,
    models,
    register_model,
)

Extents = tuple[Any, ...]  # int, or None where it is not known beforehand


class ViewType(types.Type):
    """An array in a block, its last index running fastest; only whole numbers are indices."""

    def __init__(self, element: Any, extents: Extents) -> None:
        self.element = element
        self.extents = extents
        shape = ", ".join("n" if extent is None else str(extent) for extent in extents)
        super().__init__(name=f"view({element}, {shape})")

    def rest(self, count: int) -> Any:
        """Return the type of what so many indices pick."""
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


def make_view(context: Any, builder: Any, kind: ViewType, data: Any, extents: Any) -> Any:
    """Return a view from its address and all its extents."""
    view = cgutils.create_struct_proxy(kind)(context, builder)
    view.data = data
    for k, known in enumerate(kind.extents):
        if known is None:
            setattr(view, f"extent{k}", extents[k])
    return view._getvalue()


def _extents(context: Any, kind: ViewType, view: Any) -> list[Any]:
    return [
        getattr(view, f"extent{k}") if known is None else context.get_constant(types.intp, known)
        for k, known in enumerate(kind.extents)
    ]


def _count(index: Any) -> int:
    """Return the number of indices, 0 where they are not all whole numbers."""
    kinds = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
    return len(kinds) if all(isinstance(kind, types.Integer) for kind in kinds) else 0


@infer_global(operator.getitem)
class _TypeOfItem(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        view, index = arguments
        if not isinstance(view, ViewType) or not 0 < _count(index) <= view.ndim:
            return None
        return signature(view.rest(_count(index)), view, index)


@infer_global(operator.setitem)
class _TypeOfStore(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        view, index, _ = arguments
        if not isinstance(view, ViewType) or _count(index) != view.ndim:
            return None
        return signature(types.none, view, index, view.element)


@infer_getattr
class _Shape(AttributeTemplate):
    key = ViewType

    def resolve_shape(self, view: Any) -> Any:
        return types.UniTuple(types.intp, view.ndim)


@lower_getattr(ViewType, "shape")
def _get_shape(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    view = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    shape = types.UniTuple(types.intp, kind.ndim)
    return context.make_tuple(builder, shape, _extents(context, kind, view))


def _find(context: Any, builder: Any, sig: Any, arguments: Any) -> tuple[Any, list[Any]]:
    """Return the address of what indices pick, and the extents of the view."""
    kind, index = sig.args[:2]
    view = cgutils.create_struct_proxy(kind)(context, builder, value=arguments[0])
    extents = _extents(context, kind, view)
    if isinstance(index, types.BaseTuple):
        kinds, indices = tuple(index), cgutils.unpack_tuple(builder, arguments[1])
    else:
        kinds, indices = (index,), [arguments[1]]
    place = None
    for k, extent in enumerate(extents):
        if place is not None:
            place = builder.mul(place, extent)
        if k < len(kinds):
            i = context.cast(builder, indices[k], kinds[k], types.intp)
            if context.enable_boundscheck:
                cgutils.do_boundscheck(context, builder, i, extent, k)
            place = i if place is None else builder.add(place, i)
    return builder.gep(view.data, [place]), extents


@lower_builtin(operator.getitem, ViewType, types.Any)
def _get(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    there, extents = _find(context, builder, sig, arguments)
    if isinstance(sig.return_type, ViewType):
        rest = extents[len(extents) - sig.return_type.ndim :]
        return make_view(context, builder, sig.return_type, there, rest)
    return builder.load(there, align=8)


@lower_builtin(operator.setitem, ViewType, types.Any, types.Any)
def _set(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    there, _ = _find(context, builder, sig, arguments)
    builder.store(arguments[2], there, align=8)
    return context.get_dummy_value()
