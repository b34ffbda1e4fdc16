# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulate a walking hexapod: loads on its feet, and a film with their friction cones.

Needs matplotlib and Pillow: pip install ".[pictures]"

Run: python examples/walk_a_hexapod.py [FILE.gif] [SECONDS]
"""

import sys
import tempfile

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.control import LegDrive
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.simulation import EntityEfforts, load_world
from charmie_dynamics.visual.pictures import WorldPainter, film_world

path = sys.argv[1] if len(sys.argv) > 1 else f"{tempfile.gettempdir()}/walking.gif"
duration, period = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0, 0.12  # s
world, model = load_world("athena"), load_model("athena")
drive = LegDrive(model, LeggedWalk(model, "tripod"), kp=10.0, kd=0.5, frequency=60.0)
law = EntityEfforts(world, {"athena": drive})
times = np.arange(0.0, duration + 1e-9, period)
run = world.simulate(duration, law, integrator="rk4", step=2.5e-4, times=times)
painter = WorldPainter(world, run, size=(480, 320), title="ATHENA walks")
film_world(path, painter, period)
way, borne = run.pose("athena")[0][-1, 0], run.contacts.force_on("athena", run.time)[:, 2]
print(f"{path}: {way:.3f} m; the feet bear {borne[1:].mean():.1f} N")
