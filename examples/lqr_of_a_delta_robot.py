# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Hold a Delta robot by a linear-quadratic regulator, beside the linear theory of its three arms.

Run: python examples/lqr_of_a_delta_robot.py (with SciPy, extra `simulation`)
"""

import numpy as np
from scipy.linalg import expm, solve_continuous_are

from charmie_dynamics import load_model
from charmie_dynamics.simulation import simulate

model = load_model("delta")
names = model.actuator_names
arms = [model.velocity_names.index(name) for name in names]
rest = model.assemble(model.zero_position()).position
hold = model.compute(rest).actuator_effort

# x' = A x + B u of the deviations of arms, their velocities, and efforts; the loops move the rest
by = model.forward_derivatives(rest, effort=hold)
A = np.block([[np.zeros((3, 3)), np.eye(3)],
              [by.acceleration_by_position, by.acceleration_by_velocity]])  # fmt: skip
B = np.vstack((np.zeros((3, 3)), by.acceleration_by_effort))
K = B.T @ solve_continuous_are(A, B, np.diag([1e4] * 3 + [1.0] * 3), np.eye(3))


def regulator(time: float, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Return the efforts of the arms (N m)."""
    return hold - K @ np.concatenate((position[arms] - rest[arms], velocity[arms]))


start = rest.copy()
start[arms] += (0.02, -0.01, 0.004)  # rad
run = simulate(model, model.assemble(start).position, None, 0.1, regulator, times=[0.1])
theory = expm(0.1 * (A - B @ K))[:3, :3] @ (start - rest)[arms]
print("arm            start / mrad   after 0.1 s   linear theory")
for row in zip(names, (start - rest)[arms], (run.position[-1] - rest)[arms], theory, strict=True):
    print("{:<14}{:12.3f}{:14.4f}{:16.4f}".format(row[0], *(1e3 * value for value in row[1:])))
