# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotors of motors: inertia that is reflected to the coordinates which they drive.

A rotor of inertia I behind a gear of ratio n accelerates n times as fast as its coordinate x and
resists with the effort n I (n x'') = n^2 I x''. This is the armature of MuJoCo and Pinocchio: the
rotation of the bodies on which the rotor is mounted has no effect (no gyroscopic torque). Rotors
change efforts, but neither the loads on the bodies nor the wrench on the base.

A rotor of a joint acts on the coordinate of the joint, a rotor of a linear actuator on its length.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import Rotors
from charmie_dynamics.numerics.fused import multiply_add
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats


@compiled
def add_rotor_efforts(rotors: Rotors, acceleration: Floats, effort: Floats) -> None:
    """Add the efforts that accelerate the rotors of joints.

    Parameters
    ----------
    rotors : Rotors
    acceleration : (q,) array
        Of the joints (rad/s^2 or m/s^2).
    effort : (q,) array
        Of the joints (N m or N); changed.
    """
    for c in range(effort.shape[0]):
        effort[c] = multiply_add(rotors.joint_rotor[c], acceleration[c], effort[c])
