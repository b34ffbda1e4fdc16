# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Jacobians of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.equations.jacobian import (
    JacobianAddresses,
    run_jacobian,
    run_jacobian_rows,
)
from charmie_dynamics.core.equations.loop_derivatives import (
    DIRECTIONS,
    WIDTH,
    run_loop_derivatives,
)
from charmie_dynamics.core.equations.records import JacobianRoom, LoopRoom
from charmie_dynamics.errors import OutOfReachError, UnknownNameError, choices
from charmie_dynamics.model.flat.checks import (
    computed_again,
    converted,
    error_of_sample,
    refusal_of_sample,
    require_finite,
)
from charmie_dynamics.model.flat.described_robot import DescribedRobot
from charmie_dynamics.model.flat.parallel import run_in_parts
from charmie_dynamics.numerics.addresses import address_of, address_of_block
from charmie_dynamics.numerics.blocks import float_count, places_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .evaluation import duals_of, inputs_of_block, loop_room_size, rows_of

Point = Sequence[float]
ORIGIN = (0.0, 0.0, 0.0)
AXES = ("x", "y", "z")


class Jacobians:
    """Jacobians of points of one robot, ready to be computed.

    Parameters
    ----------
    robot : DescribedRobot

    Attributes
    ----------
    run : callable
        `run_jacobian`, ready.
    addresses : tuple of Address
        What it is given of the robot.
    links : dict
        Numbers of the links, by name.
    shape : (6, q)
    """

    __slots__ = ("_robot", "_room", "addresses", "links", "run", "shape")

    def __init__(self, robot: DescribedRobot) -> None:
        self._robot = robot
        # kernels that keep the interpreter to themselves may share it, see `numerics.jit.ready`
        self._room = np.empty(float_count(JacobianRoom, robot.flat.sizes))
        self.addresses = self._with_room(self._room)
        self.links = {name: i for i, name in enumerate(robot.flat.body_names)}
        self.shape = 6, robot.flat.sizes.q
        self.run = ready(run_jacobian)

    def _with_room(self, room: Floats) -> JacobianAddresses:
        ints, floats = self._robot.flat.blocks.addresses
        return ints, floats, address_of_block(room)

    def of_point(self, position: npt.ArrayLike, frame: str, point: Point) -> Floats:
        """Return the Jacobian (6, q) of a point of a frame.

        `EquationsOfMotion.jacobian` has done so already where the frame is a link and the position
        an array that the kernel takes.
        """
        x, y, z = checked_point(point)
        body = self.links.get(frame)
        if body is None:
            return self._of_auxiliary(position, frame, point)
        out = np.empty(self.shape)
        self._again(position, lambda p: self.run(self.addresses, p, body, x, y, z, out))
        return out

    def of_rows(
        self, position: npt.ArrayLike, frame: str, point: Point, workers: int | None
    ) -> Floats:
        """Return the Jacobians (..., 6, q) of a point of a frame at positions (..., p)."""
        x, y, z = checked_point(point)
        (positions, _, _), leading = rows_of(self._robot, (position, None, None))
        body = self.links.get(frame)
        if body is None:
            rows = np.empty((len(positions), *self.shape))
            for n, own in enumerate(positions):
                try:
                    rows[n] = self._of_auxiliary(own, frame, point)
                except OutOfReachError as error:
                    raise error_of_sample(n, error) from None
            return rows.reshape(*leading, *self.shape)
        out = np.empty((6 * len(positions), self.shape[1]))
        jacobian, run = address_of(run_jacobian), ready(run_jacobian_rows)

        def make_work() -> Any:
            room = np.empty_like(self._room)

            def work(here: slice) -> int:
                addresses = self._with_room(room)  # here, where the room is held on to
                own = out[6 * here.start : 6 * here.stop]
                found: int = run(jacobian, addresses, positions[here], body, (x, y, z), own)
                return found if found < 0 else found + here.start

            return work

        failed = run_in_parts(len(positions), workers, make_work)
        first = min((n for n in failed if n >= 0), default=None)
        if first is not None:
            own = positions[first].copy()
            status = self.run(self.addresses, own, body, x, y, z, out[:6])
            robot = self._robot
            zeros = np.zeros_like(own)
            raise refusal_of_sample(
                (robot.flat, robot.tree, robot.mechanisms), first, status, (own, zeros, zeros)
            )
        return out.reshape(*leading, *self.shape)

    def _of_auxiliary(self, position: npt.ArrayLike, frame: str, point: Point) -> Floats:
        """Return the Jacobian of a point of an auxiliary body, whose pose follows from its pins."""
        robot = self._robot
        names = robot.frame_names
        if frame not in names:
            raise UnknownNameError(f"frame '{frame}' is unknown{choices(frame, names)}")
        r = np.array(checked_point(point))
        q = len(robot.velocity_names)
        duals = duals_of(robot.flat)
        run = ready(run_loop_derivatives)
        places = places_of(LoopRoom, robot.flat.sizes)[1]
        numbers = np.empty((loop_room_size(robot.flat.sizes) // WIDTH, WIDTH))
        count = float_count(LoopRoom, robot.flat.sizes)
        ints, duals_address = robot.flat.blocks.addresses[0], address_of_block(duals)
        jacobian = np.zeros((6, q))
        f = names.index(frame)

        def differentiate(first: int) -> Any:
            def run_at(p: Floats, *_: Floats) -> int:
                zeros = np.zeros(q)
                own = inputs_of_block(robot.flat, p, zeros, zeros)
                numbers[: len(own)] = 0.0
                numbers[: len(own), 0] = own
                for k, c in enumerate(range(first, min(first + DIRECTIONS, q))):
                    rate = robot.position_rate(p, np.eye(q)[c])
                    numbers[: len(own), 1 + k] = inputs_of_block(robot.flat, rate, zeros, zeros)
                status: int = run(
                    ints, duals_address, numbers[:count].ravel(), numbers[count:].ravel()
                )
                return status

            return run_at

        for first in range(0, q, DIRECTIONS):
            self._again(position, differentiate(first))
            R = numbers[places["cycle.kinematics.R_world_frame"].first + 9 * f :][:9]
            p = numbers[places["cycle.kinematics.p_world_frame"].first + 3 * f :][:3]
            for k, c in enumerate(range(first, min(first + DIRECTIONS, q))):
                dR = R[:, 1 + k].reshape(3, 3)
                spin = dR @ R[:, 0].reshape(3, 3).T
                jacobian[:3, c] = p[:, 1 + k] + dR @ r
                jacobian[3:, c] = spin[2, 1], spin[0, 2], spin[1, 0]
        return jacobian

    def _again(self, position: npt.ArrayLike, run: Any) -> None:
        """Run with a copy of the positions; raise the error if one occurs."""
        robot = self._robot
        computed_again(
            (robot.flat, robot.tree, robot.mechanisms),
            (position, None, None),
            lambda p, v, a: run(p),
        )


def checked_point(point: Point) -> tuple[float, float, float]:
    """Return a point as three floats.

    Raises
    ------
    InputError
        If it has another shape, or a value that is no finite number.
    """
    array = converted("point", point, (3,))
    require_finite("point", array, AXES)
    x, y, z = array.tolist()
    return x, y, z
