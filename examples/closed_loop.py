# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compute a four-bar, a loop that a URDF cannot describe, and the force in its pin.

The mechanisms file, robots/four_bar.yaml, defines the loop joint and the joints without a drive.
`assemble` computes the motion of these; `constraints` lists the undetermined reactions.

Run: python examples/closed_loop.py
"""

from pathlib import Path

import numpy as np

from charmie_dynamics import load_model

ROBOTS = Path(__file__).parents[1] / "robots"
model = load_model(urdf=ROBOTS / "four_bar.urdf", mechanisms=ROBOTS / "four_bar.yaml")

constraints = model.constraints(model.zero_position())
print(f"{len(constraints.rows)} constraints, {constraints.rank} independent; undetermined forces:")
print(f"{', '.join(constraints.undetermined)}; motions: {constraints.mobility}")
print("crank / deg   coupler / deg   rocker / deg   crank / N m   pin / N")
position = model.zero_position()
for crank in np.deg2rad(np.arange(0, 360, 60)):
    position[0] = crank  # the search for the others starts at their last positions
    motion = model.assemble(position, velocity=[3.0, 0.0, 0.0])
    state = model.compute(*motion)
    position = motion.position
    degrees = np.rad2deg(position)
    pin = np.linalg.norm(state.loop_force("pin")[:3])
    print(
        f"{degrees[0]:11.0f}{degrees[1]:16.1f}{degrees[2]:15.1f}"
        f"{state.actuator_effort[0]:14.2f}{pin:10.1f}"
    )
