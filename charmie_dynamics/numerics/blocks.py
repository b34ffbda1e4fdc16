# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One block of memory for all arrays of a record, and its arrays as views of the block.

Passing an array to a compiled function costs the same for a small array as for a large one. A
record in two blocks costs this twice, eighty arrays eighty times. Inside compiled code a record is
the addresses of its blocks and the sizes (`RecordType`). The address of one of its arrays is
computed where the code names the array (`compiled_types.views`).
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np

from .jit import HAS_NUMBA
from .vectors import Floats, Ints

Record = TypeVar("Record", bound=tuple[Any, ...])
# a NamedTuple of int: the sizes by the names that occur in the shapes
Sizes = tuple[Any, ...]
# a sum of products: from the names of the sizes to the factor of their product
Terms = dict[tuple[str, ...], int]


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


@cache
def fields_of(record: type[tuple[Any, ...]]) -> dict[str, Field]:
    """Return the fields of a record of `arrays`, with the shapes from their type hints."""
    fields = {}
    for name, hint in get_type_hints(record, include_extras=True).items():
        if hasattr(hint, "_fields"):
            fields[name] = Field(name, hint, False, ())
        else:
            fields[name] = Field(name, None, hint.__origin__ == Ints, hint.__metadata__)
    return fields


@cache
def firsts_of(record: type[tuple[Any, ...]]) -> dict[str, dict[bool, Terms]]:
    """Return where each field of a record begins in the two blocks, for any sizes.

    Returns
    -------
    dict
        From the names of the fields, and "" for the end of the record, to the terms in the block of
        ints (True) and in that of floats: products of sizes, by their names, and a factor each.
    """
    firsts: dict[str, dict[bool, Terms]] = {}
    next_of: dict[bool, Terms] = {True: {}, False: {}}

    def advance(is_int: bool, terms: Terms) -> None:
        block = next_of[is_int] = dict(next_of[is_int])
        for names, factor in terms.items():
            block[names] = block.get(names, 0) + factor

    for name, field in fields_of(record).items():
        firsts[name] = dict(next_of)
        if field.record is not None:
            for is_int, terms in firsts_of(field.record)[""].items():
                advance(is_int, terms)
            continue
        names = tuple(sorted(d for d in field.dimensions if isinstance(d, str)))
        factor = math.prod(d for d in field.dimensions if isinstance(d, int))
        advance(field.is_int, {names: factor})
    firsts[""] = next_of
    return firsts


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

    def total(terms: Terms) -> int:
        return sum(f * math.prod(getattr(sizes, n) for n in names) for names, f in terms.items())

    def walk(part: Any, prefix: str, begin: dict[bool, int]) -> None:
        for field in fields_of(part).values():
            firsts = firsts_of(part)[field.name]
            first = {is_int: begin[is_int] + total(terms) for is_int, terms in firsts.items()}
            if field.record is not None:
                walk(field.record, f"{prefix}{field.name}.", first)
                continue
            shape = tuple(d if isinstance(d, int) else getattr(sizes, d) for d in field.dimensions)
            block = ints if field.is_int else floats
            block[prefix + field.name] = Place(first[field.is_int], shape)

    walk(record, "", {True: 0, False: 0})
    ends = firsts_of(record)[""]
    return ints, floats, total(ends[True]), total(ends[False])


def lay_out(record: type[Record], ints: Ints, floats: Floats, sizes: Sizes) -> Record:
    """Return a record of `arrays` whose arrays are views of two blocks.

    Parameters
    ----------
    record : type
        A NamedTuple of `arrays`; in compiled code as well.
    ints : (i,) array of int
    floats : (k,) or (..., k) array
        With leading axes (outside compiled code) every array gets them. Either may be an address
        of `addresses.address_of_block`.
    sizes : Sizes
    """

    def build(part: Any, views: tuple[Any, ...]) -> Any:
        values = []
        for inner, is_int, here, shape in views:
            if inner is not None:
                values.append(build(inner, here))
                continue
            block = ints if is_int else floats
            if block.ndim == 1 == len(shape):
                values.append(block[here])
            else:
                values.append(block[..., here].reshape(*block.shape[:-1], *shape))
        return part(*values)

    result: Record = build(record, _views_of(record, sizes))
    return result


@lru_cache
def _views_of(record: type[tuple[Any, ...]], sizes: Sizes) -> tuple[Any, ...]:
    """Return for each field: its record, whether it has ints, its slice or fields, its shape."""
    places = dict(zip((True, False), places_of(record, sizes)[:2], strict=True))

    def walk(part: Any, prefix: str) -> tuple[Any, ...]:
        found: list[tuple[Any, ...]] = []
        for field in fields_of(part).values():
            name = prefix + field.name
            if field.record is not None:
                found.append((field.record, False, walk(field.record, f"{name}."), ()))
                continue
            first, shape = places[field.is_int][name]
            found.append((None, field.is_int, slice(first, first + math.prod(shape)), shape))
        return tuple(found)

    return walk(record, "")


def float_count(record: type[Record], sizes: Sizes) -> int:
    """Return how many floats the arrays of a record have.

    Parameters
    ----------
    record : type
        A NamedTuple of `arrays`; in compiled code as well.
    sizes : Sizes
    """
    return places_of(record, sizes)[3]


def floats_of(record: Any) -> Floats:
    """Return all floats of a record within a block, or of an array of a record, as one array.

    In compiled code as well, where the result is an array of numba.
    """
    if not isinstance(record, tuple):
        return record.ravel()  # type: ignore[no-any-return]
    arrays: list[Floats] = []

    def collect(part: Any) -> None:
        for values in part:
            if isinstance(values, tuple):
                collect(values)
            elif values.dtype == np.float64:
                arrays.append(values)

    collect(record)
    size = sum(values.size for values in arrays)
    return np.lib.stride_tricks.as_strided(arrays[0], (size,), (arrays[0].itemsize,))


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
    int_parts: list[Ints] = []
    float_parts: list[Floats] = []

    def collect(source: Any) -> None:
        kind: Any = type(source)
        for values, field in zip(source, fields_of(kind).values(), strict=True):
            if field.record is not None:
                collect(values)
            else:  # in the blocks, arrays have the order of the record
                (int_parts if field.is_int else float_parts).append(values.ravel())

    collect(record)
    of_record: Any = type(record)
    _, _, int_count, float_count = places_of(of_record, sizes)
    ints, floats = np.empty(int_count, dtype=np.int64), np.empty(float_count)
    # raises where the total length of the arrays differs from that of the sizes
    np.concatenate(int_parts, out=ints)
    np.concatenate(float_parts, out=floats)
    return ints, floats


if HAS_NUMBA:
    from llvmlite import ir
    from numba import types
    from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, signature
    from numba.extending import (
        infer,
        infer_getattr,
        lower_builtin,
        lower_getattr_generic,
        models,
        register_model,
    )

    from .compiled_types.inlined import define_inlined
    from .compiled_types.views import ViewType, data_of, make_array, make_struct, make_view

    class RecordType(types.Type):
        """A record in compiled code: the addresses of its two blocks, and the sizes.

        An array of it is built where the code names the array, from values in registers. So a
        record costs a call a dozen words and a short name, independent of the number of arrays.
        """

        def __init__(self, record: Any, element: Any, sizes: Any) -> None:
            self.record = record
            self.element = element
            self.sizes = sizes
            super().__init__(name=f"{record.__name__}[{element}]")

        @property
        def key(self) -> Any:
            """Return the key by which numba compares these types."""
            return self.record, self.element, self.sizes

        def member(self, field: Field) -> Any:
            """Return the type of a field."""
            if field.record is not None:
                return RecordType(field.record, self.element, self.sizes)
            kind = types.int64 if field.is_int else self.element
            extents = tuple(d if isinstance(d, int) else None for d in field.dimensions)
            return ViewType(kind, extents)

    @register_model(RecordType)
    class _RecordModel(models.StructModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            members = [
                ("ints", types.CPointer(types.int64)),
                ("floats", types.CPointer(kind.element)),
                ("sizes", kind.sizes),
            ]
            super().__init__(manager, kind, members)

    @infer_getattr
    class _RecordFields(AttributeTemplate):
        key = RecordType

        def generic_resolve(self, record: Any, name: str) -> Any:
            field = fields_of(record.record).get(name)
            return None if field is None else record.member(field)

    @infer
    class _RecordItems(AbstractTemplate):
        key = "static_getitem"

        def generic(self, arguments: Any, keywords: Any) -> Any:
            record, index = arguments
            if not isinstance(record, RecordType) or not isinstance(index, int):
                return None
            field = list(fields_of(record.record).values())[index]
            return signature(record.member(field), *arguments)

    class _Counts:
        """Sizes in compiled code by their names, extracted from their tuple on access."""

        def __init__(self, builder: Any, kind: Any, sizes: Any) -> None:
            self._builder, self._names, self._sizes = builder, kind.fields, sizes

        def __getitem__(self, name: str) -> Any:
            return self._builder.extract_value(self._sizes, self._names.index(name))

    def _total(context: Any, builder: Any, terms: Terms, counts: _Counts) -> Any:
        """Return the value of some terms in compiled code."""
        result = context.get_constant(types.intp, terms.get((), 0))
        for names, factor in terms.items():
            if not names or factor == 0:
                continue
            term = counts[names[0]]
            for each in names[1:]:
                term = builder.mul(term, counts[each])
            if factor != 1:
                term = builder.mul(term, context.get_constant(types.intp, factor))
            result = builder.add(result, term)
        return result

    def _beyond(context: Any, builder: Any, block: Any, terms: Terms, counts: _Counts) -> Any:
        """Return the address at an offset of some terms in a block, and hide the sum from LLVM.

        An empty instruction hides it. In loops over several arrays LLVM would otherwise try all
        ways of indexing that the sums allow, which took half of a first start.
        """
        if not terms:
            return block
        there = builder.gep(block, [_total(context, builder, terms, counts)])
        as_it_is = ir.FunctionType(there.type, [there.type])
        return builder.asm(as_it_is, "", "=r,0", [there], False)

    @lower_getattr_generic(RecordType)
    def _get_field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
        field = fields_of(kind.record)[name]
        blocks = {True: builder.extract_value(value, 0), False: builder.extract_value(value, 1)}
        sizes = builder.extract_value(value, 2)
        counts = _Counts(builder, kind.sizes, sizes)

        def begin(is_int: bool) -> Any:
            first = firsts_of(kind.record)[name][is_int]
            return _beyond(context, builder, blocks[is_int], first, counts)

        if field.record is not None:
            part = begin(True), begin(False), sizes
            return make_struct(context, builder, kind.member(field), part)
        extents = [None if isinstance(d, int) else counts[d] for d in field.dimensions]
        return make_view(context, builder, kind.member(field), begin(field.is_int), extents)

    @lower_builtin("static_getitem", RecordType, types.IntegerLiteral)
    def _get_item(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        name = list(fields_of(sig.args[0].record))[sig.args[1].literal_value]
        return _get_field(context, builder, sig.args[0], arguments[0], name)

    def _type_record(record: Any, ints: Any, floats: Any, sizes: Any) -> Any:
        if isinstance(floats, ViewType):
            element = floats.element
        else:
            element = types.float64 if isinstance(floats, types.Integer) else floats.dtype
        kind = RecordType(record.instance_class, element, sizes)
        return kind, (record, ints, floats, sizes)

    def _make_record(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        _, int_type, float_type, _ = sig.args
        ints = _data_of(context, builder, int_type, arguments[1], types.int64)
        floats = _data_of(context, builder, float_type, arguments[2], sig.return_type.element)
        return make_struct(context, builder, sig.return_type, (ints, floats, arguments[3]))

    def _data_of(context: Any, builder: Any, kind: Any, value: Any, element: Any) -> Any:
        """Return where the numbers of an array, a view or a block at an address begin."""
        if isinstance(kind, types.Integer):
            return builder.inttoptr(value, context.get_value_type(types.CPointer(element)))
        if isinstance(kind, ViewType):
            return data_of(builder, value)
        return context.make_array(kind)(context, builder, value).data

    def _type_numbers(record: Any, ints: Any) -> Any:
        kind = record.instance_class
        numbers = types.BaseTuple.from_types([types.int64] * len(kind._fields), pyclass=kind)
        return numbers, (record, ints)

    def _read_numbers(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        data = _data_of(context, builder, sig.args[1], arguments[1], types.int64)
        places = (context.get_constant(types.intp, k) for k in range(len(sig.return_type)))
        values = [builder.load(builder.gep(data, [place])) for place in places]
        return context.make_tuple(builder, sig.return_type, values)

    def _type_count(record: Any, sizes: Any) -> Any:
        return types.int64, (record, sizes)

    def _count_floats(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        record, sizes = sig.args
        counts = _Counts(builder, sizes, arguments[1])
        terms = firsts_of(record.instance_class)[""][False]
        return _total(context, builder, terms, counts)

    def _type_floats(record: Any) -> Any:
        return types.Array(record.element, 1, "C"), (record,)

    def _get_floats(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        (kind,), (record,) = sig.args, arguments
        if isinstance(kind, RecordType):
            counts = _Counts(builder, kind.sizes, builder.extract_value(record, 2))
            count = _total(context, builder, firsts_of(kind.record)[""][False], counts)
            floats = builder.extract_value(record, 1)
            kind = ViewType(kind.element, (None,))
            record = make_view(context, builder, kind, floats, [count])
        return make_array(context, builder, kind, record)[1]

    define_inlined(floats_of, (types.Any,), _type_floats, _get_floats)
    define_inlined(float_count, (types.Any,) * 2, _type_count, _count_floats)
    define_inlined(lay_out, (types.Any,) * 4, _type_record, _make_record)
    define_inlined(first_numbers, (types.Any,) * 2, _type_numbers, _read_numbers)
