# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A controller tracks a motion on a robot that may differ from the controller's model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.model.flat.checks import checked, converted, require_finite
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .controller import Controller, DesiredMotion, Flags

FARTHEST = 1e6  # rad, m: farther positions count as divergence, and are inaccurate


@dataclass(frozen=True)
class TrackingRun:
    """A tracked motion, at the k times of control.

    Attributes
    ----------
    plant : Model
        The robot.
    time : (k,) array
        In seconds.
    desired_position, desired_velocity : (k, a) array
    position, velocity : (k, a) array
        Of the actuators: rad, m, or pin-to-pin length; per s.
    effort : (k, a) array
        Constant from its time to the next (N m or N).
    is_limited : (k, a) array of bool
        Whether the controller reduced the effort to the limit.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.control import ComputedTorque, track
    >>> from charmie_dynamics.motions.splines import through_points
    >>> model = load_model()
    >>> points = np.array([model.zero_position(), model.zero_position()])
    >>> points[1, 4] -= 0.001  # m, of the torso actuator
    >>> motion = through_points(np.array([0.0, 0.2]), points, None, None, steps=100)
    >>> run = track(ComputedTorque(model, kp=200.0), model, motion)
    >>> run.position.shape, bool(np.abs(run.error[:, 4]).max() < 1e-5)
    ((101, 21), True)
    """

    plant: Model
    time: Floats
    desired_position: Floats
    desired_velocity: Floats
    position: Floats
    velocity: Floats
    effort: Floats
    is_limited: Flags

    @property
    def error(self) -> Floats:
        """Desired minus actual positions (k, a)."""
        result: Floats = self.desired_position - self.position
        return result

    def path(self, frame: str) -> Floats:
        """Return the positions of a frame (k, 3), in the world (m).

        Raises
        ------
        UnknownNameError
            For an unknown frame.
        """
        return self.plant.compute_batch(self.position, dynamics=False).frame(frame)[0]

    def desired_path(self, frame: str) -> Floats:
        """Return the desired positions of a frame (k, 3), as for `path`."""
        return self.plant.compute_batch(self.desired_position, dynamics=False).frame(frame)[0]


def track(
    controller: Controller,
    plant: Model,
    motion: DesiredMotion,
    *,
    position: npt.ArrayLike | None = None,
    velocity: npt.ArrayLike | None = None,
) -> TrackingRun:
    """Track a motion with a controller.

    The controller acts at the times of the motion, and its efforts are constant until the next. The
    robot moves by its forward dynamics, integrated in one step of the classical Runge-Kutta method
    per interval. Effort limits of the plant are ignored: those of the controller apply.

    Parameters
    ----------
    controller : Controller
    plant : Model
        The robot, with its own masses, loads and friction, and actuators of the same names as
        those of the controller's model.
    motion : DesiredMotion
    position, velocity : (a,) array_like, optional
        Initial state of the robot; default: that of the motion.

    Raises
    ------
    InputError
        If shapes or names disagree, times do not increase, values are not finite, or the motion
        of the robot diverges.
    OutOfReachError
        If the loop of a length cannot be closed.
    MassMatrixError
        If a joint of the plant moves no mass.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.control import ComputedTorque, track
    >>> from charmie_dynamics.motions.splines import through_points
    >>> scara = load_model("scara")
    >>> points = np.array([[0.1, 0.2, -0.4, 0.3, 0.1], [0.2, 0.5, -0.9, 0.0, -0.3]])
    >>> motion = through_points(np.array([0.0, 0.2]), points, None, None, steps=200)
    >>> run = track(ComputedTorque(scara, kp=200.0), scara, motion)
    >>> bool(np.abs(run.error).max() < 0.01)
    True
    """
    names = plant.actuator_names
    if controller.model.actuator_names != names:
        raise InputError(
            f"tracking: expected a plant with the actuators of the controller's model, "
            f"{', '.join(controller.model.actuator_names)}; got {', '.join(names)}"
        )
    time, desired = _checked(motion, names)
    q = desired[0][0] if position is None else checked("position", position, names)
    v = desired[1][0] if velocity is None else checked("velocity", velocity, names)
    robot = _Robot(plant)
    shape = desired[0].shape
    positions, velocities, efforts = np.empty(shape), np.empty(shape), np.empty(shape)
    is_limited = np.empty(shape, dtype=bool)
    steps = np.append(np.diff(time), 0.0)
    for k, rows in enumerate(zip(*desired, strict=True)):
        positions[k], velocities[k] = q, v
        try:
            efforts[k], is_limited[k] = controller.compute(q, v, *rows)
            if k + 1 < len(time):
                q, v = robot.step(q, v, efforts[k], steps[k])
        except CharmieError as error:
            error.args = (f"tracking at {time[k]:.6g} s: {error}",)
            raise
    return TrackingRun(
        plant, time, desired[0], desired[1], positions, velocities, efforts, is_limited
    )


class _Robot:
    """A robot with friction under constant efforts."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def step(self, q: Floats, v: Floats, effort: Floats, h: float) -> tuple[Floats, Floats]:
        """Return position and velocity (a,) after a time h (s) of constant efforts."""
        rate = self._acceleration
        a1 = rate(q, v, effort)
        v2 = v + 0.5 * h * a1
        a2 = rate(q + 0.5 * h * v, v2, effort)
        v3 = v + 0.5 * h * a2
        a3 = rate(q + 0.5 * h * v2, v3, effort)
        v4 = v + h * a3
        a4 = rate(q + h * v3, v4, effort)
        return (
            q + h / 6.0 * (v + 2.0 * (v2 + v3) + v4),
            v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4),
        )

    def _acceleration(self, q: Floats, v: Floats, effort: Floats) -> Floats:
        if not np.abs(q).max() < FARTHEST:
            k = int((~(np.abs(q) < FARTHEST)).argmax())
            raise InputError(
                f"'{self._model.actuator_names[k]}' has moved away to {q[k]:.3g}; expected gains "
                "that the step allows, and efforts within the limits of the robot"
            )
        return self._model.forward(q, v, effort).acceleration


def _checked(motion: DesiredMotion, names: tuple[str, ...]) -> tuple[Floats, tuple[Floats, ...]]:
    time = np.array(motion.time, dtype=np.float64)
    if time.ndim != 1 or len(time) < 2:
        raise InputError(f"motion: expected times of shape (k,), k of at least 2, got {time.shape}")
    if not (np.isfinite(time).all() and (np.diff(time) > 0.0).all()):
        raise InputError("motion: expected times that are finite and increase")
    desired = []
    for subject in ("position", "velocity", "acceleration"):
        values = converted(f"motion: {subject}", getattr(motion, subject), (len(time), len(names)))
        require_finite(f"motion: {subject}", values, names)
        desired.append(values)
    return time, tuple(desired)
