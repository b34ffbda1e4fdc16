# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Print zero-moment point and tip-over margin of CHARMIE along a motion.

The robot does not tip over while the zero-moment point lies between its wheels. The margin is the
distance to the nearest line between two wheels.

Run: python examples/zero_moment_point.py [paper_5s|wave]
"""

import sys

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.model.stability import Support, stability_of
from charmie_dynamics.motions import make_motion

model = load_model()
motion = make_motion(sys.argv[1] if len(sys.argv) > 1 else "wave", model)
support = Support.of(model)  # the wheel contacts of the mechanisms file

print(f"{'time / s':>8}{'x / m':>10}{'y / m':>10}{'margin / m':>12}")
margins = []
for time in np.linspace(0.0, motion.duration, 21):
    stability = stability_of(model, support, model.compute(*motion.at(time)))
    x, y, _ = stability.zero_moment_point
    margins.append(stability.margin)
    print(f"{time:8.2f}{x:10.3f}{y:10.3f}{stability.margin:12.3f}")
print(f"smallest margin: {min(margins):.3f} m in the frame '{support.frame}'")
