# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints, identified by least squares from the residual of the model.

The measured effort of a joint's drive, minus the effort of the model, is modelled as ::

    viscous * v + coulomb * s(v) + offset

where `s` is the sign of the velocity, with a ramp through zero below a transition speed: at rest,
friction may have any value up to the Coulomb friction, and zero is the best estimate.
Signs are not constrained: negative friction indicates an error of the model, of the measurement
or of the sign of one of the two, and is reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from charmie_dynamics.model.flat.friction_laws import TRANSITION, direction
from charmie_dynamics.numerics.vectors import Floats

FEWEST = 30  # samples that an identification requires
# Condition of the normalised columns above which the coefficients cannot be separated: a joint that
# moves at one speed in one direction does not determine them individually.
WORST_CONDITION = 1e3


@dataclass(frozen=True)
class IdentifiedFriction:
    """Friction of one joint.

    Parameters
    ----------
    viscous : float
        N m s or N s/m.
    coulomb, offset : float
        N m or N.
    transition : float
        Speed from which Coulomb friction is in full effect (rad/s or m/s).
    """

    viscous: float
    coulomb: float
    offset: float
    transition: float

    def effort(self, velocity: Floats) -> Floats:
        """Return the effort that overcomes the friction at given velocities."""
        result: Floats = _columns(velocity, self.transition) @ (
            self.viscous,
            self.coulomb,
            self.offset,
        )
        return result


def identify(velocity: Floats, excess: Floats) -> IdentifiedFriction | None:
    """Return the friction that explains an excess effort best.

    Parameters
    ----------
    velocity : array, shape (n,)
        Of the joint (rad/s or m/s).
    excess : array, shape (n,)
        Measured effort minus that of the model (N m or N). Samples at which either is not finite
        are omitted.

    Returns
    -------
    IdentifiedFriction or None
        None if the motion does not separate viscous and Coulomb friction and offset: too few
        samples, no motion, or all at one speed.
    """
    known = np.isfinite(velocity) & np.isfinite(excess)
    velocity, excess = velocity[known], excess[known]
    transition = TRANSITION * float(np.abs(velocity).max(initial=0.0))
    if len(velocity) < FEWEST or not transition > 0.0:
        return None
    columns = _columns(velocity, transition)
    size = np.sqrt((columns**2).mean(axis=0))
    if not (size > 0.0).all() or np.linalg.cond(columns / size) > WORST_CONDITION:
        return None
    solution = np.linalg.lstsq(columns / size, excess, rcond=None)[0] / size
    viscous, coulomb, offset = solution.tolist()
    return IdentifiedFriction(viscous, coulomb, offset, transition)


def _columns(velocity: Floats, transition: float) -> Floats:
    sign = direction(velocity, transition)
    return np.column_stack((velocity, sign, np.ones_like(velocity)))
