# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion of points and directions that are fixed in bodies (kinematics of points, eq. 21 to 27)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.equations.point_motion import (
    POINT_NUMBERS,
    move_auxiliary_point,
    move_point,
)
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.errors import InputError
from charmie_dynamics.model.flat.block_layout import BlockLayout
from charmie_dynamics.model.flat.parallel import run_in_parts
from charmie_dynamics.numerics.addresses import address_of
from charmie_dynamics.numerics.compiled_types.widths import JET_WIDTH
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats


class PointMotion(NamedTuple):
    """Motion of a point that is fixed in a body, in world axes; a batch has a leading axis of N.

    Parameters
    ----------
    position : (3,) array
        m
    velocity, acceleration : (3,) array
        Of the point (m/s, m/s^2), without gravity.
    angular_velocity, angular_acceleration : (3,) array
        Of the body (rad/s, rad/s^2).
    rotation : (3, 3) array
        Takes coordinates in the body's frame to the world.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> rest = model.zero_position()
    >>> velocity = 0.0 * rest
    >>> velocity[2] = 0.5  # rad/s, the base turns
    >>> motion = model.compute(rest, velocity).motion("left_tool", (0.0, 0.0, 0.1))
    >>> print(motion.angular_velocity)
    [0.  0.  0.5]
    """

    position: Floats
    velocity: Floats
    acceleration: Floats
    angular_velocity: Floats
    angular_acceleration: Floats
    rotation: Floats

    @classmethod
    def of(cls, numbers: Floats) -> PointMotion:
        """Return the motion that the kernel has written as (..., POINT_NUMBERS) numbers."""
        numbers.flags.writeable = False
        p, v, a, w, dw = (numbers[..., 3 * k : 3 * k + 3] for k in range(5))
        return cls(p, v, a, w, dw, numbers[..., 15:].reshape(*numbers.shape[:-1], 3, 3))


class DirectionMotion(NamedTuple):
    """Motion of a unit vector that is fixed in a body, in world axes; of a batch with a leading N.

    Parameters
    ----------
    value : (3,) array
    rate, acceleration : (3,) array
        First and second derivative by time (1/s, 1/s^2).

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> state = model.compute(model.zero_position())
    >>> print(state.direction("head", (0.0, 1.0, 0.0)).rate)  # at rest
    [0. 0. 0.]
    """

    value: Floats
    rate: Floats
    acceleration: Floats

    @classmethod
    def of(cls, body: PointMotion, unit: Floats) -> DirectionMotion:
        """Return the motion of a unit vector (3,) of a body, in the body's frame."""
        w, dw = body.angular_velocity, body.angular_acceleration
        u = body.rotation @ unit  # eq. 25
        rate = np.cross(w, u)  # eq. 26
        acceleration = np.cross(dw, u) + np.cross(w, rate)  # eq. 27
        for array in (u, rate, acceleration):
            array.flags.writeable = False
        return cls(u, rate, acceleration)


def moved_point(
    layout: BlockLayout,
    inputs: tuple[Floats, ...],
    frame: int,
    p_frame_point: Floats,
    workers: int | None,
) -> Floats:
    """Return the numbers of a point's motion in some samples, (N, POINT_NUMBERS).

    Parameters
    ----------
    layout : BlockLayout
    inputs : three (N, q) arrays
        Position, velocity and acceleration of the actuators; within reach.
    frame : int
        A link or an auxiliary body.
    p_frame_point : (3,) array
        The point in the frame (m).
    workers : int or None
        Number of threads; None: one for each core.

    Raises
    ------
    InputError
        Where the numbers are so large that the motion is not finite.
    """
    robot, run = layout.robot, ready(move_point)
    auxiliary = address_of(move_auxiliary_point) if frame >= len(robot.body_names) else 0
    addresses = *robot.blocks.addresses, address_of(run_cycle), auxiliary
    count = len(inputs[0])
    out = np.empty((count, POINT_NUMBERS))

    def make_work() -> Callable[[slice], int]:
        block, jets = np.empty(layout.size), np.empty(JET_WIDTH * layout.size)

        def work(here: slice) -> int:
            given = (array[here] for array in inputs)
            found: int = run(*addresses, *given, frame, p_frame_point, block, jets, out[here])
            return found if found < 0 else found + here.start

        return work

    failed = [n for n in run_in_parts(count, workers, make_work) if n >= 0]
    if failed:
        n = min(failed)
        sample = f" of sample {n}" if count > 1 else ""
        largest = max(abs(inputs[1][n]).max(), abs(inputs[2][n]).max())
        raise InputError(
            f"velocity or acceleration{sample}: so large that the motion of the point is not "
            f"finite, got magnitudes up to {largest:.3g}"
        )
    return out
