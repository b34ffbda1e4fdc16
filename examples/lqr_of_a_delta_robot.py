# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Hold a Delta robot by a linear-quadratic regulator (LQR), and compare with its linear theory.

`forward_derivatives` gives the linear system of the three arms; the loops move everything else.

Run: python examples/lqr_of_a_delta_robot.py (with SciPy, extra `simulation`)
"""

import numpy as np
from scipy.linalg import expm, solve_continuous_are

from charmie_dynamics import load_model
from charmie_dynamics.simulation import simulate

OFF, DURATION = 0.02, 0.1  # rad, s

model = load_model("delta")
arms = [model.velocity_names.index(name) for name in model.actuator_names]
rest = model.assemble(model.zero_position()).position
hold = model.compute(rest).actuator_effort

# x' = A x + B u of the deviations of arms, their velocities, and efforts
by = model.forward_derivatives(rest, effort=hold)
n = len(arms)
A = np.block(
    [[np.zeros((n, n)), np.eye(n)], [by.acceleration_by_position, by.acceleration_by_velocity]]
)
B = np.vstack((np.zeros((n, n)), by.acceleration_by_effort))
Q, R = np.diag([1e4] * n + [1.0] * n), np.eye(n)
K = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))


def regulator(time, position, velocity):
    """Return the efforts of the arms (N m)."""
    return hold - K @ np.concatenate((position[arms] - rest[arms], velocity[arms]))


start = rest.copy()
start[arms] += OFF * np.array([1.0, -0.5, 0.2])
run = simulate(model, model.assemble(start).position, None, DURATION, regulator, times=[DURATION])
expected = expm((A - B @ K) * DURATION)[:n, :n] @ (start - rest)[arms]
found = (run.position[-1] - rest)[arms]
print("poles (1/s):", ", ".join(f"{p:.0f}" for p in sorted(np.linalg.eigvals(A - B @ K).real)))
print("arm            start / mrad   after 0.1 s   linear theory")
columns = model.actuator_names, (start - rest)[arms], found, expected
for name, before, after, theory in zip(*columns, strict=True):
    print(f"{name:<14}{1e3 * before:12.3f}{1e3 * after:14.4f}{1e3 * theory:16.4f}")
