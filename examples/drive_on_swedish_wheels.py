# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Film CHARMIE on Swedish wheels: sideways, forward and turning, by the efforts of its wheels.

Arrows are the forces on the wheels in their friction cones.

Needs matplotlib and Pillow: pip install ".[pictures]"

Run: python examples/drive_on_swedish_wheels.py [FILE.gif] [SECONDS]
"""

import sys
import tempfile

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.control import WheelDrive
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.simulation import EntityEfforts, load_world
from charmie_dynamics.visual.pictures import WorldPainter, film_world

path = sys.argv[1] if len(sys.argv) > 1 else f"{tempfile.gettempdir()}/driving.gif"
times = np.arange(0.0, float(sys.argv[2] if len(sys.argv) > 2 else 6.0) + 1e-9, 0.1)  # s
robot = load_model("charmie_wheeled")
world = load_world(share_file("worlds", "charmie_wheeled.yaml"))
columns = world.columns("charmie", "position")
# to the right, ahead (m/s), turning (rad/s)
legs = [(0.6, 0.0, 0.0), (0.0, 0.6, 0.0), (-0.3, -0.3, 1.2), (0.0, 0.0, 0.0)]
drive = WheelDrive(robot, lambda t: legs[min(int(t / 1.8), 3)], pose=world.position[columns])
efforts = EntityEfforts(world, {"charmie": drive})
run = world.simulate(times[-1], efforts, integrator="rk4", times=times)
loads = [run.contacts.of(f"charmie/{wheel}").normal_force for wheel in drive.wheels.wheel_names]
print("loads of the wheels:", *(f"{load[-1]:.1f}" for load in loads), "N")
painter = WorldPainter(
    world, run, size=(480, 400), view=(130.0, 25.0), title="CHARMIE on Swedish wheels"
)
count = film_world(path, painter, 0.1)
print(f"{path}: {count} pictures, {run.energy.work[-1]:.1f} J of work")
