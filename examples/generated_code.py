# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derive symbolic equations of motion of your own robot, and generate C code from them.

A controller can use this code without the package. Needs SymPy; SymEngine makes it faster.

Run: python examples/generated_code.py [ROBOT.urdf [FILE.c]]
"""

import sys
from pathlib import Path

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.symbolic import derive

BOOM = Path(__file__).parent / "robots" / "boom.urdf"
urdf = sys.argv[1] if len(sys.argv) > 1 else BOOM

equations = derive(urdf, "christoffel")
for joint, effort in zip(equations.joint_names, equations.gravity, strict=True):
    print(f"gravity at {joint}: {effort}")
print(f"{equations.operations.total} operations for mass matrix, Coriolis matrix and gravity")

function = equations.function()  # compiled by numba if installed
position, velocity = np.random.default_rng(1).uniform(-0.5, 0.5, (2, len(equations.joint_names)))
mass_matrix, coriolis_matrix, gravity = function(position, velocity)
effort = coriolis_matrix @ velocity + gravity  # without acceleration
by_kernels = load_model(urdf).compute(position, velocity).actuator_effort
print(f"largest difference from the kernels: {abs(effort - by_kernels).max():.0e}")

if len(sys.argv) > 2:
    path = Path(sys.argv[2])
    path.write_text(equations.code("c"))
    print(f"{path}: {len(equations.code('c').splitlines())} lines of C")
