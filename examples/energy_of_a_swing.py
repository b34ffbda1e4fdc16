# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulate CHARMIE with free torso and left arm, and print the energy balance of the motion.

Run: python examples/energy_of_a_swing.py
"""

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.simulation import simulate

model = load_model()
start = model.zero_position()
for name, value in model.mechanisms.rest_pose.items():
    start[model.actuator_names.index(name)] = value
held = model.compute(start).actuator_effort.copy()
for name in ("torso_actuator", "left_arm_joint_2", "left_arm_joint_4"):
    held[model.actuator_names.index(name)] = 0.0
damping = np.where(np.array(model.effort_units) == "N", 1500.0, 0.1)  # N s/m, N m s/rad


def effort(time: float, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Return the efforts (21,) of the actuators."""
    return held - damping * velocity


run = simulate(model, start, None, 1.5, effort, "rk4", joint_stops=True)
print("time (s)   kinetic   weight  springs     work     lost   balance (J)")
for k in range(0, len(run.time), 250):
    kinetic, weight, springs, work, lost, error = (part[k] - part[0] for part in run.energy)
    print(
        f"{run.time[k]:8.2f} {kinetic:9.3f}{weight:9.3f}{springs:9.3f}{work:9.3f}{lost:9.3f}",
        end="",
    )
    print(f"{error:14.0e}")
lowest = model.compute(run.position[-1]).frame("left_tool")[0][2]
print(f"the left tool is at {lowest:.3f} m in the end")
