# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A motion at the times at which it was computed, and between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints


class IntegratedMotion(NamedTuple):
    """The result of integration at k times.

    Attributes
    ----------
    time : (k,) array
    position, velocity, acceleration : (k, p), (k, v), (k, v) array
    effort : (k, a) array
        Of the actuators, within their limits.
    energies : (k, 2) array
        Work, and losses including the energy stored in contacts.
    powers : (k, 2) array
    stored : (k, 1) array
        Energy in contacts.
    loops : (k, 4 r + 1) array
        With r constraints of loop joints: their multipliers, errors, rates of these, sizes, and
        their rank; (k, 0) without. See `core.forward.loop_records`.
    memory : (k, m) array
        Memory of contacts, see `core.contact.records`.
    """

    time: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats
    effort: Floats
    energies: Floats
    powers: Floats
    stored: Floats
    loops: Floats
    memory: Floats

    def part(self, here: slice | Ints) -> IntegratedMotion:
        """Return some of the times."""
        return IntegratedMotion(*(column[here] for column in self))


def joined(parts: Sequence[IntegratedMotion]) -> IntegratedMotion:
    """Return parts of a motion as one."""
    if len(parts) == 1:
        return parts[0]
    return IntegratedMotion(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def between(model: Model, knots: IntegratedMotion, times: Floats) -> IntegratedMotion:
    """Return a motion at times (k,) between the first and the last of some others.

    By cubic Hermite polynomials of position, velocity and energies: the error falls with the
    fourth power of the step. All other quantities are those of the start of the step.
    """
    if not len(times):
        return knots.part(slice(0))
    k = np.clip(np.searchsorted(knots.time, times, side="right") - 1, 0, len(knots.time) - 2)
    first, last = (
        np.array([model.position_rate(knots.position[i], knots.velocity[i]) for i in i_of])
        for i_of in (k, k + 1)
    )
    h = (knots.time[k + 1] - knots.time[k])[:, None]
    s = (times - knots.time[k])[:, None] / h

    def cubic(values: Floats, begin: Floats, end: Floats) -> Floats:
        a, b = values[k], values[k + 1]
        result: Floats = (
            (1.0 + 2.0 * s) * (1.0 - s) ** 2 * a
            + s**2 * (3.0 - 2.0 * s) * b
            + h * s * (1.0 - s) * ((1.0 - s) * begin - s * end)
        )
        return result

    position = cubic(knots.position, first, last)
    acceleration = knots.acceleration[k] + s * (knots.acceleration[k + 1] - knots.acceleration[k])
    return IntegratedMotion(
        times,
        np.array([model.normalised_position(each) for each in position]),
        cubic(knots.velocity, knots.acceleration[k], knots.acceleration[k + 1]),
        acceleration,
        knots.effort[k],
        cubic(knots.energies, knots.powers[k], knots.powers[k + 1]),
        knots.powers[k],
        knots.stored[k],
        knots.loops[k],
        knots.memory[k],
    )
