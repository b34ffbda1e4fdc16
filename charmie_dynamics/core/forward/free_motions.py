# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motions that the loops allow, as forward dynamics has found them at a state."""

from __future__ import annotations

from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .loop_records import ConstrainedRoom, ForwardTerms


@compiled_for("int", "int", "floats", "floats", "floats")
def run_free_motions(
    ints: Address, floats: Address, workspace: Floats, forward: Floats, out: Floats
) -> int:
    """Write an orthonormal basis of the velocities that keep the loops closed.

    Parameters
    ----------
    ints, floats : Address
        The blocks of a `Robot`.
    workspace, forward : array
        Workspace and output of `run_constrained_forward`, after it.
    out : (q * q,) array
        Output: q velocities of actuators for each motion; the others are not written.

    Returns
    -------
    int
        The number of motions.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    work = lay_out(ConstrainedRoom, ints, workspace, sizes)
    rank = int(lay_out(ForwardTerms, ints, forward, sizes).constraint_rank[0])
    loop_count, chosen = robot.mechanisms.by_type.loop_joints.loop_count, work.vectors.chosen
    count, q = 0, int(sizes.q)
    for c in range(q):
        count += 1 if loop_count[c] != 0 else 0
    motions = count - rank
    for m in range(q - rank):
        for c in range(q):
            out[m * q + c] = 0.0
        if m < motions:
            for k in range(count):
                out[m * q + int(chosen[k])] = work.basis[m, k]
        else:
            out[m * q + int(chosen[count + m - motions])] = 1.0
    return q - rank
