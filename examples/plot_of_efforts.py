# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Draw the efforts of all actuators along a motion, as charmie_plot does from a recording.

Needs matplotlib: pip install ".[pictures]"

Run: python examples/plot_of_efforts.py [FILE.png|FILE.svg]
"""

import sys

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.motions import make_motion
from charmie_dynamics.visual.pictures import effort_groups, plot_efforts

path = sys.argv[1] if len(sys.argv) > 1 else "efforts.png"
model = load_model()
motion = make_motion("wave", model)
time = np.linspace(0.0, motion.duration, 501)
_, position, velocity, acceleration = motion.sampled(time)
batch = model.compute(position, velocity, acceleration)

limits = zip(model.actuator_names, model.actuator_limits(), strict=True)
rated = {name: limit.effort for name, limit in limits}
groups = effort_groups(model)
plot_efforts(path, time, model.actuator_names, batch.actuator_effort, groups, rated=rated)
print(f"{path}: {len(time)} samples of {len(model.actuator_names)} actuators")
