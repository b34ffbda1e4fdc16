# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How numbers are computed and compiled; knows no mechanics.

In reading order, after ``compiled_types``, what the compiler alone knows:

- ``jit``: compiles kernels with numba where there is numba.
- ``announcing``: messages about kernels that are being compiled.
- ``cache``: where the compiled code is kept, and until when it holds.
- ``parts``: functions compiled as parts of others, and not by themselves.
- ``addresses``: calls of a compiled function by its address.
- ``branches``: choices by value that hold for one number and for lanes, and how these begin.
- ``fused``: a product and a sum in one instruction.
- ``plain_numbers``: numbers that carry derivatives, where there is no compiler.
- ``elementary``: roots, sines and angles of all kinds of numbers.
- ``derivatives``: numbers that carry derivatives, how they begin and end.
- ``vectors``: three-vectors and rotations without allocation.
- ``rotations``: rotation matrices and quaternions.
- ``trigonometry``: sines and cosines of many angles.
- ``blocks``: one block of memory for all arrays of a record, and such records in compiled code.
- ``memory``: numbers of other types in the memory of an array, and in bytes.
- ``polygon``: convex polygons in the plane.
"""
