"""How numbers are computed and compiled; knows no mechanics.

In reading order:

- ``jit``: compiles kernels with numba where there is numba, and keeps the code on disk.
- ``vectors``: three-vectors and rotations without allocation.
- ``rotations``: rotation matrices and quaternions.
- ``trigonometry``: sines and cosines of many angles.
- ``blocks``: one block of memory for all arrays of a record.
- ``lanes``: several numbers in place of one, so that a kernel computes several samples at once.
- ``branches``: choices by value that hold for one number and for lanes.
- ``fused``: a product and a sum in one instruction.
- ``polygon``: convex polygons in the plane.
"""
