# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints, identified by least squares from what the model leaves over.

What a joint's drive is measured to give, less what the model says it needs, is taken for ::

    viscous * v + coulomb * s(v) + offset

where `s` is the sign of the velocity, a ramp through zero below a transition speed: at rest, the
friction of a joint may have any value up to its Coulomb friction, and zero is the best guess.
Signs are free: a negative friction is a finding about the model, the measurement or the sign of
one of the two, and is not hidden.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from charmie_dynamics.model.friction import TRANSITION, direction
from charmie_dynamics.numerics.vectors import Floats

FEWEST = 30  # samples that an identification needs
# Condition of the normalised columns beyond which coefficients cannot be told apart: a joint that
# moves at one speed in one direction says nothing of them one by one.
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
        """Return the effort that overcomes the friction at some velocities."""
        result: Floats = _columns(velocity, self.transition) @ (
            self.viscous,
            self.coulomb,
            self.offset,
        )
        return result


def identify(velocity: Floats, excess: Floats) -> IdentifiedFriction | None:
    """Return the friction that explains most of an excess of effort.

    Parameters
    ----------
    velocity : array, shape (n,)
        Of the joint (rad/s or m/s).
    excess : array, shape (n,)
        Measured effort less that of the model (N m or N). Samples at which either is not finite
        are left out.

    Returns
    -------
    IdentifiedFriction or None
        None where the motion does not tell viscous from Coulomb friction and offset: too few
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
