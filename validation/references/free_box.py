# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The free box by Euler's equations and a rotation matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from validation.problems import free_box as fb

from .lagrange import ATOL, RTOL


def motion(times: Any) -> tuple[Any, Any]:
    """Return positions (k, 7), x y z qx qy qz qw, and velocities (k, 6) in the axes of the box."""

    def slope(_: float, y: Any) -> Any:
        rotation, spin = y[:9].reshape(3, 3), y[9:]
        x, y, z = spin
        turning = rotation @ np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return np.concatenate((turning.ravel(), np.cross(fb.INERTIA * spin, spin) / fb.INERTIA))

    run = solve_ivp(
        slope,
        (times[0], times[-1]),
        np.concatenate((np.eye(3).ravel(), fb.SPIN)),
        method="DOP853",
        t_eval=times,
        rtol=RTOL,
        atol=ATOL,
    )
    time = np.asarray(times)[:, None]
    gravity = np.array([0.0, 0.0, -fb.GRAVITY])
    places = np.array(fb.VELOCITY) * time + 0.5 * gravity * time**2
    rotations = run.y[:9].T.reshape(-1, 3, 3)
    linear = np.einsum("kji,kj->ki", rotations, np.array(fb.VELOCITY) + gravity * time)
    quaternions = Rotation.from_matrix(rotations).as_quat()
    return np.hstack((places, quaternions)), np.hstack((linear, run.y[9:].T))
