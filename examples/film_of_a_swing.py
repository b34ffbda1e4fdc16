# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Film the swing of CHARMIE's arms and torso, with only the motors of base and lift on.

Needs matplotlib and Pillow: pip install ".[pictures]"

Run: python examples/film_of_a_swing.py [FILE.gif] [SECONDS]
"""

import sys
import tempfile

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.simulation import simulate
from charmie_dynamics.visual.pictures import RobotPainter
from charmie_dynamics.visual.pictures.film import write_gif

path = sys.argv[1] if len(sys.argv) > 1 else f"{tempfile.gettempdir()}/swing.gif"
duration, period = float(sys.argv[2]) if len(sys.argv) > 2 else 3.0, 0.1  # s
model = load_model()
start = model.zero_position()
lifted = {"left_arm_joint_2": 1.4, "right_arm_joint_2": -0.9, "torso_actuator": 0.4}
for name, value in lifted.items():
    start[model.position_names.index(name)] = value
held = model.compute(start).actuator_effort * (np.arange(21) < 4)
damping = np.where(np.array(model.effort_units) == "N", 1500.0, 0.15)  # N s/m, N m s/rad
run = simulate(
    model, start, None, duration, lambda t, p, v: held - damping * v, "rk4",
    times=np.arange(0.0, duration + 1e-9, period), joint_stops=True,
)  # fmt: skip
motion = zip(run.position, run.velocity, run.acceleration, strict=True)
states = [model.compute(*row) for row in motion]
painter = RobotPainter(model, size=(400, 400), title="Motors of arms and torso off")
view = painter.view(states[::5])
images = [painter.image(s, view, f"{t:.1f} s") for s, t in zip(states, run.time, strict=True)]
write_gif(path, images, period, images[::10])
print(f"{path}: {len(images)} pictures, {run.energy.work[-1]:.1f} J of work")
