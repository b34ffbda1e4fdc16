# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Track a motion with CHARMIE by computed torque, with a known and an unknown payload.

Run: python examples/computed_torque.py [SECONDS]
"""

import sys

import numpy as np

from charmie_dynamics import Payload, load_model
from charmie_dynamics.control import ComputedTorque, track
from charmie_dynamics.motions.named import make_motion
from charmie_dynamics.motions.splines import SampledMotion

model = load_model()
robot = model.with_loads({"left_tool": Payload(1.0)})  # kg
motion = make_motion("wave", model)
time = np.arange(0.0, float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, 0.001)
desired = SampledMotion(time, *map(np.array, zip(*map(motion.at, time), strict=True)))

print(f"{'the payload is':<16}{'joints / rad':>14}{'left tool / mm':>16}")
for word, known in (("known", robot), ("unknown", model)):
    run = track(ComputedTorque(known, kp=400.0), robot, desired)
    away = np.linalg.norm(run.path("left_tool") - run.desired_path("left_tool"), axis=1)
    print(f"{word:<16}{np.abs(run.error).max():14.1e}{1e3 * away.max():16.3f}")
