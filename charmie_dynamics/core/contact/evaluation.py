# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces of contact laws, called by their addresses, and the energy that they store."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.numerics.addresses import Address, number_at, vectors_at
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Vector

from .friction import FrictionLoad

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
# on the interval from 0 to 1
NODES = tuple(0.5 * (1.0 + x) for x in _NODES.tolist())
WEIGHTS = tuple(0.5 * w for w in _WEIGHTS.tolist())
PARTS = 8


@compiled
def normal_force(
    law: Address, parameters: Floats, indentation: float, rate: float, touch_rate: float
) -> tuple[float, float]:
    """Return the normal force, and the power that it dissipates (N, W).

    Parameters
    ----------
    law : Address
        Of a normal law.
    parameters : (n,) array
        What it reads.
    indentation, rate, touch_rate : float
        m; m/s, positive while the bodies approach; m/s.
    """
    # a call by address does not convert integers to the floats that a law expects
    x, v = float(indentation), float(touch_rate)
    force = number_at(law, parameters, x, float(rate), v)
    spring = number_at(law, parameters, x, 0.0, v)
    return force, (force - spring) * rate


@compiled
def normal_energy(law: Address, parameters: Floats, indentation: float) -> float:
    """Return the energy stored in the normal direction (J).

    It is the work of the law at the rate zero from touch to the indentation x, by quadrature, so
    that a law needs only one function. With the substitution x t^4 the powers of the laws of the
    package are smooth, and the result is exact to round-off.
    """
    total = 0.0
    if not indentation > 0.0:
        return total
    for part in range(PARTS):
        for k in range(len(NODES)):
            t = (part + NODES[k]) / PARTS
            depth = indentation * t * t * t * t
            total += WEIGHTS[k] * number_at(law, parameters, depth, 0.0, 1.0) * t * t * t
    return 4.0 * indentation * total / PARTS


@compiled
def friction_force(
    law: Address,
    parameters: Floats,
    normal: float,
    velocity: Vector,
    displacement: Vector,
) -> FrictionLoad:
    """Return the friction force (N), the rate of the internal displacement, its energy (m/s, J).

    Parameters
    ----------
    law : Address
        Of a friction law.
    parameters : (n,) array
        What it reads.
    normal : float
        Normal force (N).
    velocity, displacement : (float, float, float)
        Tangential velocity of the first body relative to the second (m/s); internal displacement
        (m), zero at touch. The force acts on the first body.
    """
    v = float(velocity[0]), float(velocity[1]), float(velocity[2])
    z = float(displacement[0]), float(displacement[1]), float(displacement[2])
    return vectors_at(law, parameters, float(normal), v, z)
