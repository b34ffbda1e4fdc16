# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identify the payload of the left hand from efforts along a motion, by the regressor.

The difference from the robot without payload is linear in the ten parameters of the payload.

Run: python examples/payload_from_efforts.py [NOISE OF THE EFFORTS]
"""

import sys

import numpy as np

from charmie_dynamics import Payload, load_model
from charmie_dynamics.motions import make_motion

noise = float(sys.argv[1]) if len(sys.argv) > 1 else 0.05  # N m or N
model = load_model()
motion = make_motion("wave", model)
states = zip(*(motion.at(t) for t in np.arange(0.0, 10.0, 0.05)), strict=True)
position, velocity, acceleration = (np.array(rows) for rows in states)

# instead of a recording: efforts of the robot with the payload, and noise
held = model.with_loads({"left_tool": Payload(1.4, (0.02, -0.01, 0.09))})
effort = held.compute(position, velocity, acceleration).actuator_effort
effort = effort + noise * np.random.default_rng(0).normal(size=effort.shape)

unexplained = effort - model.compute(position, velocity, acceleration).actuator_effort
first = model.inertial_parameter_names.index("left_tool m")
columns = model.regressor(position, velocity, acceleration)[:, :, first : first + 10]
found, *_ = np.linalg.lstsq(columns.reshape(-1, 10), unexplained.ravel(), rcond=None)
mass, com = found[0], found[1:4] / found[0]

print(f"mass           {mass:.3f} kg")
print(f"centre of mass {com.round(4).tolist()} m, in left_tool")
