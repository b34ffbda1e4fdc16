"""One block of memory for all arrays of a record, and the arrays as views of it.

Handing an array to a compiled function costs as much for a small one as for a large one: with two
blocks that is twice, with sixty arrays sixty times. Inside a compiled function the views are
borrowed, without counted references, and cost next to nothing.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np

from .jit import HAS_NUMBA
from .vectors import Floats, Ints

Record = TypeVar("Record", bound=tuple[Any, ...])
# a NamedTuple of int: how many there are of each thing that the shapes name
Sizes = tuple[Any, ...]


class Place(NamedTuple):
    """Where an array begins in its block, and its shape."""

    first: int
    shape: tuple[int, ...]


class Field(NamedTuple):
    """An array of a record, or a record within it (which has no dimensions)."""

    name: str
    record: Any
    is_int: bool
    dimensions: tuple[str | int, ...]


def fields_of(record: type[tuple[Any, ...]]) -> list[Field]:
    """Return the fields of a record of `arrays`, with the shapes that stand in their types."""
    fields = []
    for name, hint in get_type_hints(record, include_extras=True).items():
        if hasattr(hint, "_fields"):
            fields.append(Field(name, hint, False, ()))
        else:
            fields.append(Field(name, None, hint.__origin__ == Ints, hint.__metadata__))
    return fields


@lru_cache
def places_of(
    record: type[tuple[Any, ...]], sizes: Sizes
) -> tuple[dict[str, Place], dict[str, Place], int, int]:
    """Return where each array of a record is, records within it included.

    Returns
    -------
    ints, floats : dict
        From dotted names to places, in the order of the blocks.
    int_count, float_count : int
        Lengths of the two blocks.
    """
    ints: dict[str, Place] = {}
    floats: dict[str, Place] = {}
    counts = [0, 0]

    def walk(part: Any, prefix: str) -> None:
        for field in fields_of(part):
            if field.record is not None:
                walk(field.record, f"{prefix}{field.name}.")
                continue
            shape = tuple(d if isinstance(d, int) else getattr(sizes, d) for d in field.dimensions)
            block = ints if field.is_int else floats
            block[prefix + field.name] = Place(counts[field.is_int], shape)
            counts[field.is_int] += math.prod(shape)

    walk(record, "")
    return ints, floats, counts[True], counts[False]


def lay_out(record: type[Record], ints: Ints, floats: Floats, sizes: Sizes) -> Record:
    """Return a record of `arrays` whose arrays are views of two blocks.

    Parameters
    ----------
    record : type
        A NamedTuple of `arrays`; in compiled code as well.
    ints : (i,) array of int
    floats : (k,) or (..., k) array
        With leading axes (outside compiled code) every array gets them.
    sizes : Sizes
    """
    int_places, float_places, _, _ = places_of(record, sizes)

    def build(part: Any, prefix: str) -> Any:
        values = []
        for field in fields_of(part):
            name = prefix + field.name
            if field.record is not None:
                values.append(build(field.record, f"{name}."))
                continue
            block = ints if field.is_int else floats
            first, shape = (int_places if field.is_int else float_places)[name]
            part_of_block = block[..., first : first + math.prod(shape)]
            values.append(part_of_block.reshape(*block.shape[:-1], *shape))
        return part(*values)

    result: Record = build(record, "")
    return result


def first_numbers(record: type[Record], ints: Ints) -> Record:
    """Return the numbers with which a block begins.

    Parameters
    ----------
    record : type
        A NamedTuple of int; in compiled code as well.
    ints : (i,) array of int
        At least as many as the record has fields.
    """
    fields = record._fields  # type: ignore[attr-defined]
    return record(*ints[: len(fields)].tolist())


def pack(record: Any, sizes: Sizes) -> tuple[Ints, Floats]:
    """Return the two blocks with the content of a record."""
    ints = np.empty(places_of(type(record), sizes)[2], dtype=np.int64)  # type: ignore[arg-type]
    floats = np.empty(places_of(type(record), sizes)[3])  # type: ignore[arg-type]

    def copy(source: Any, target: Any) -> None:
        for values, view in zip(source, target, strict=True):
            if isinstance(values, tuple):
                copy(values, view)
            else:
                view[...] = values

    copy(record, lay_out(type(record), ints, floats, sizes))
    return ints, floats


if HAS_NUMBA:
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload
    from numba.np import arrayobj

    def _array_type(field: Field, ints: Any, floats: Any) -> Any:
        block = ints if field.is_int else floats
        return types.Array(block.dtype, len(field.dimensions), "C", aligned=block.aligned)

    def _record_type(record: Any, ints: Any, floats: Any) -> Any:
        members = [
            _record_type(field.record, ints, floats)
            if field.record is not None
            else _array_type(field, ints, floats)
            for field in fields_of(record)
        ]
        return types.BaseTuple.from_types(members, pyclass=record)

    @intrinsic
    def _lay_out(typing_context: Any, record: Any, ints: Any, floats: Any, sizes: Any) -> Any:
        result = _record_type(record.instance_class, ints, floats)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            _, int_type, float_type, _ = signature.args
            blocks = {
                True: context.make_array(int_type)(context, builder, arguments[1]),
                False: context.make_array(float_type)(context, builder, arguments[2]),
            }
            one = context.get_constant(types.intp, 1)
            zero = context.get_constant(types.intp, 0)
            next_of = {True: zero, False: zero}
            counts = dict(
                zip(sizes.fields, cgutils.unpack_tuple(builder, arguments[3]), strict=True)
            )

            def dimension(d: str | int) -> Any:
                return context.get_constant(types.intp, d) if isinstance(d, int) else counts[d]

            def view(field: Field, kind: Any) -> Any:
                block = blocks[field.is_int]
                array = context.make_array(kind)(context, builder)
                shape = [dimension(d) for d in field.dimensions]
                strides: list[Any] = []
                count = one
                for extent in reversed(shape):
                    strides.insert(0, builder.mul(count, block.itemsize))
                    count = builder.mul(count, extent)
                arrayobj.populate_array(
                    array,
                    data=builder.gep(block.data, [next_of[field.is_int]]),
                    shape=shape,
                    strides=strides,
                    itemsize=block.itemsize,
                    meminfo=None,
                )
                next_of[field.is_int] = builder.add(next_of[field.is_int], count)
                return array._getvalue()

            def build(part: Any, kind: Any) -> Any:
                values = [
                    view(field, member) if field.record is None else build(field.record, member)
                    for field, member in zip(fields_of(part), kind.types, strict=True)
                ]
                return context.make_tuple(builder, kind, values)

            return build(record.instance_class, result)

        return result(record, ints, floats, sizes), generate

    @intrinsic
    def _first_numbers(typing_context: Any, record: Any, ints: Any) -> Any:
        kind = record.instance_class
        result = types.BaseTuple.from_types([ints.dtype] * len(kind._fields), pyclass=kind)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[1])(context, builder, arguments[1]).data
            places = (context.get_constant(types.intp, k) for k in range(len(kind._fields)))
            values = [builder.load(builder.gep(data, [place])) for place in places]
            return context.make_tuple(builder, result, values)

        return result(record, ints), generate

    @overload(first_numbers)
    def _compiled_first_numbers(record: Any, ints: Any) -> Any:
        def implementation(record: Any, ints: Any) -> Any:
            return _first_numbers(record, ints)

        return implementation

    @overload(lay_out)
    def _compiled_lay_out(record: Any, ints: Any, floats: Any, sizes: Any) -> Any:
        def implementation(record: Any, ints: Any, floats: Any, sizes: Any) -> Any:
            return _lay_out(record, ints, floats, sizes)

        return implementation
