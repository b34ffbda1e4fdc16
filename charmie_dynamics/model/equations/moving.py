# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion of points and directions that are fixed in the frames of a state."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from charmie_dynamics.model.flat.block_layout import BlockLayout
from charmie_dynamics.model.flat.checks import finite_numbers, unit_vector
from charmie_dynamics.numerics.vectors import Floats

from .point_motion import DirectionMotion, PointMotion, moved_point


class Moving(ABC):
    """The part of a state, of one cycle or a batch, with the motion of points and directions."""

    __slots__ = ()
    _layout: BlockLayout
    _workers: int | None = 1

    @abstractmethod
    def _inputs(self) -> tuple[Floats, ...]:
        """Return position, velocity and acceleration of the actuators, three (N, q) arrays."""

    def motion(self, frame: str, point: npt.ArrayLike = (0.0, 0.0, 0.0)) -> PointMotion:
        """Return how a point moves that is fixed in a frame (kinematics of points, eq. 21 to 24).

        Parameters
        ----------
        frame : str
            A link of the URDF or an auxiliary body, see `Model.frame_names`.
        point : (3,) array_like
            The point in this frame (m); its origin if omitted.

        Returns
        -------
        PointMotion
            Position, velocity and acceleration of the point, angular velocity and acceleration and
            rotation of the frame, all in world axes.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        InputError
            If the point is not three finite numbers, or the motion is too fast to be finite.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> velocity = 0.0 * model.zero_position()
        >>> velocity[3] = 0.1  # m/s, the lift actuator
        >>> state = model.compute(model.zero_position(), velocity)
        >>> print(state.motion("left_tool").velocity.round(4))  # m/s
        [0.     0.     0.1014]
        """
        return PointMotion.of(self.motion_numbers(frame, point))

    def direction(self, frame: str, direction: npt.ArrayLike) -> DirectionMotion:
        """Return how a direction moves that is fixed in a frame (eq. 25 to 27).

        Parameters
        ----------
        frame : str
            A link of the URDF or an auxiliary body, see `Model.frame_names`.
        direction : (3,) array_like
            In this frame, of any length; the result is the unit vector along it.

        Returns
        -------
        DirectionMotion
            The unit vector in world axes, its rate and acceleration.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        InputError
            If the direction is not three finite numbers, or zero.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> velocity = 0.0 * model.zero_position()
        >>> velocity[2] = 0.5  # rad/s, the base turns
        >>> state = model.compute(model.zero_position(), velocity)
        >>> print(state.direction("base", (2.0, 0.0, 0.0)).rate)  # 1/s
        [0.  0.5 0. ]
        """
        row = self._layout.row_of_frame(frame)
        unit = unit_vector("direction", direction)
        return DirectionMotion.of(PointMotion.of(self._moved(row, np.zeros(3))), unit)

    def motion_numbers(self, frame: str, point: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Return the motion of a point as the kernels write it, see `core.equations.point_motion`.

        Parameters and errors are those of `motion`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> model.compute(model.zero_position()).motion_numbers("left_tool").shape
        (24,)
        """
        row = self._layout.row_of_frame(frame)
        return self._moved(row, finite_numbers("point", point, (3,)))

    def _moved(self, frame: int, p_frame_point: Floats) -> Floats:
        return self._per_sample(
            moved_point(self._layout, self._inputs(), frame, p_frame_point, self._workers)
        )

    def _per_sample(self, numbers: Floats) -> Floats:
        """Return results of samples (N, k) in the shape of the state: one sample."""
        sample: Floats = numbers[0]
        return sample
