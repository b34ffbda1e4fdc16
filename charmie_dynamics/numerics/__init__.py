# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arithmetic and compilation, independent of mechanics.

In reading order, after ``compiled_types``, the types that exist in compiled code only:

- ``jit``: compilation of kernels with numba, where it is installed.
- ``announcing``: messages about kernels that are being compiled.
- ``compiler``: numba with or without its private interfaces.
- ``numba_private``: functions compiled only as parts of others; storage of compiled code.
- ``cache``: folder of the compiled code, and its validity.
- ``addresses``: calls of a compiled function by its address.
- ``branches``: selection by value for single numbers and for lanes; lanes from an array.
- ``fused``: a product and a sum in one instruction.
- ``plain_numbers``: duals and jets in plain Python, without the compiler.
- ``elementary``: roots, sines and angles of all kinds of numbers.
- ``derivatives``: duals and jets from arrays; their values and derivatives.
- ``vectors``: three-vectors and rotations without allocation.
- ``rotations``: rotation matrices and quaternions.
- ``trigonometry``: sines and cosines of many angles.
- ``blocks``: one block of memory for all arrays of a record, and such records in compiled code.
- ``memory``: numbers of other types in the memory of an array, and in bytes.
- ``polygon``: convex polygons in the plane.
- ``regression``: least squares of a network with tanh layers.
"""
