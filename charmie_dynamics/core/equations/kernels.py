# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How Python calls the kernels of this folder, all of them in the same way.

A kernel is called as ``run(addresses, position, velocity, acceleration, workspace, out)``. It
returns the result of `run_cycle`:

- ``addresses``: address of a block of `RobotAddresses`;
- ``position``, ``velocity``, ``acceleration``: of the actuators, (q + w,) and (q,) arrays;
- ``workspace``, ``out``: (k,) arrays, the floats of the records of the workspace and of the result.
"""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats

TYPES = ("int", "inputs", "inputs", "inputs", "floats", "floats")


class RobotAddresses(NamedTuple):
    """Addresses of a robot and of the kernels that others call; 0 for unused ones."""

    ints: Address  # the two blocks of a `Robot`
    floats: Address
    run_cycle: Address
    run_tree: Address = 0
    duals: Address = 0  # the floats of the robot as duals, for `run_loop_derivatives`
    run_loop_derivatives: Address = 0
    run_equations: Address = 0
    run_loop_constraints: Address = 0
    run_derivatives: Address = 0
    of_derivatives: Address = 0  # a block of these addresses for `run_derivatives`


@compiled_for("int", "int", "floats2", "floats2", "floats2", "floats", "floats2", nogil=True)
def run_rows(
    kernel: Address,
    addresses: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    workspace: Floats,
    out: Floats,
) -> int:
    """Call a kernel for each row of the inputs.

    Parameters
    ----------
    kernel : Address
        Of a kernel of this folder.
    addresses, workspace
        As for a kernel.
    position, velocity, acceleration : (N, q + w) and two (N, q) arrays
    out : (N, k) array
        Output.

    Returns
    -------
    int
        Index of the first row that could not be computed, or -1.
    """
    for n in range(position.shape[0]):
        status = call_at(
            kernel, addresses, position[n], velocity[n], acceleration[n], workspace, out[n]
        )
        if status != REACHED:
            return n
    return -1
