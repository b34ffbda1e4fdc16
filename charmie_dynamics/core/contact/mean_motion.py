# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Steps in which forces, rather than the initial velocities, move shapes.

`passing` traces a step with the velocities at its beginning. By the end of the step the mean
velocities are known. Where they move a point of a shape elsewhere, by more than `SHARE` of the
smallest half thickness, the step is traced again with them.
"""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats

from .body_motion import write_velocities
from .contact_system import ContactSystem
from .detection.records import PLANE
from .passing import SHARE, write_speeds


@compiled
def keep_start(system: ContactSystem, velocity: Floats) -> None:
    """Write the velocities of the actuators at the beginning of a step."""
    for c in range(velocity.shape[0]):
        system.work.start_velocity[c] = velocity[c]


@compiled
def may_deviate(system: ContactSystem, mean_velocity: Floats, h: float) -> bool:
    """Return whether the mean velocities move a shape elsewhere than the initial ones.

    Parameters
    ----------
    system : ContactSystem
        After `keep_start`, at a state in the step. The velocities of shapes and bodies become the
        differences between the mean and the initial ones.
    mean_velocity : (v,) array
        Of the actuators: the change of their positions in the step, by h.
    h : float
        Step (s).
    """
    work, detection, change = system.work, system.detection, system.work.contact_effort
    for c in range(change.shape[0]):
        change[c] = (mean_velocity[c] - work.start_velocity[c]) * work.joint_ratio[c]
    write_velocities(system.robot, change, system.motion)
    write_speeds(detection, system.robot.freedoms.last_freedom, system.motion)
    fastest, thinnest = 0.0, 1e300
    for i in range(detection.shapes.shape_type.shape[0]):
        fastest = max(fastest, detection.moving.point_speed[i])
        if detection.shapes.shape_type[i] != PLANE:
            thinnest = min(thinnest, detection.moving.half_thickness[i])
    return fastest * h > SHARE * thinnest
