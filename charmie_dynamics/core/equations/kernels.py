# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How Python calls the kernels of this folder, all of them in the same way.

A kernel is called as ``run(robot, inputs, room, out)`` and returns what `run_cycle` returns:

- ``robot``: the addresses of the two blocks of a `Robot`; of `run_cycle`, which runs steps 3 to 5;
  of the floats of the robot as duals, and of `run_loop_derivatives`; of `run_tree`;
- ``inputs``: position, velocity and acceleration of the actuators, (q,) arrays;
- ``room``, ``out``: (k,) arrays, the floats of the records that it works in and that it writes.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats

ROBOT = "(int, int, int, int, int, int)"
TYPES = (ROBOT, "(floats, floats, floats)", "floats", "floats")
RobotAddresses = tuple[Address, Address, Address, Address, Address, Address]
InputArrays = tuple[Floats, Floats, Floats]


@compiled_for(
    "int",
    ROBOT,
    "(floats2, floats2, floats2)",
    "floats",
    "floats2",
    nogil=True,
)
def run_rows(
    kernel: Address, robot: RobotAddresses, inputs: InputArrays, room: Floats, out: Floats
) -> int:
    """Call a kernel for each row of the inputs.

    Parameters
    ----------
    kernel : Address
        Of a kernel of this folder.
    robot, room
        As for a kernel.
    inputs : three (N, q) arrays
    out : (N, k) array
        Output.

    Returns
    -------
    int
        Index of the first row that could not be computed, or -1.
    """
    position, velocity, acceleration = inputs
    for n in range(position.shape[0]):
        row = (position[n], velocity[n], acceleration[n])
        if call_at(kernel, robot, row, room, out[n]) != REACHED:
            return n
    return -1
