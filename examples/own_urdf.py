# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Load a URDF and print the joint efforts of the robot at rest.

Any tree is supported: revolute, continuous, prismatic, fixed and mimic joints. Invalid files are
rejected with file and line.

Run: python examples/own_urdf.py [ROBOT.urdf]
"""

import sys
from pathlib import Path

from charmie_dynamics import CharmieError, load_model

BOOM = Path(__file__).parent / "robots" / "boom.urdf"

try:
    model = load_model(urdf=sys.argv[1] if len(sys.argv) > 1 else BOOM)
except CharmieError as error:
    sys.exit(str(error))

state = model.compute(model.zero_position())
print(f"'{model.name}': {len(model.frame_names)} frames, {model.total_mass:.2f} kg")
print(f"{'joint':<20}{'position':>10}{'effort':>10}{'rated':>10}")
rows = zip(
    model.joint_names, state.joint_position, state.actuator_effort, model.actuator_limits(),
    strict=True,
)  # fmt: skip
for joint, position, effort, limit in rows:
    print(f"{joint:<20}{position:10.3f}{effort:10.3f}{limit.effort:10.3f}")
