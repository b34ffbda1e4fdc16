# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Add a cylinder and a spring to your own robot, and print how the spring relieves the cylinder.

The URDF has a hinge; the mechanisms file, robots/boom.yaml, attaches a cylinder and a spring to it.
The position of the actuator is then the length of the cylinder.

Run: python examples/own_mechanism.py
"""

from pathlib import Path

import numpy as np

from charmie_dynamics import load_model

ROBOTS = Path(__file__).parent / "robots"
model = load_model(urdf=ROBOTS / "boom.urdf", mechanisms=ROBOTS / "boom.yaml")
bare = load_model(urdf=ROBOTS / "boom.urdf")  # its actuator is the hinge

shortest, longest = model.reach("cylinder")
print(f"the loop closes from {shortest:.3f} to {longest:.3f} m")
print("cylinder / m   hinge / deg   cylinder / N   spring / N   without cylinder and spring / N m")
limit = model.actuator_limits()[model.actuator_names.index("cylinder")]
for length in np.linspace(limit.lower, limit.upper, 6):
    state = model.compute([length, 0.0])
    hinge = state.joint_position[0]
    torque = bare.compute([hinge, 0.0]).actuator_effort[0]
    print(
        f"{length:12.3f}{np.rad2deg(hinge):14.1f}{state.actuator_effort[0]:15.1f}"
        f"{state.spring_tension['balancer']:13.1f}{torque:18.1f}"
    )
