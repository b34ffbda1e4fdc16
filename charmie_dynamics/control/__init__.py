# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Model-based control of all actuators, and motions tracked by it.

In reading order:

- ``per_actuator``: one number for each actuator, as gains and limits are given.
- ``controller``: what the controllers share: inputs, friction, effort limits.
- ``computed_torque``: feedback linearisation by inverse dynamics.
- ``feed_forward``: proportional-derivative control with feed-forward of the desired motion.
- ``gravity_compensation``: the same with no more than what gravity and springs need.
- ``tracking``: a controller tracks a motion on a robot that need not be as the controller's model.
- ``swedish_wheels``: rates of Swedish wheels by the velocity of the base, and odometry.
- ``wheel_drive``: a robot drives on Swedish wheels while the rest of it keeps its pose.
- ``leg_drive``: a robot with legs walks.
"""

from .computed_torque import ComputedTorque
from .controller import ControlEffort, Controller, DesiredMotion
from .feed_forward import PDFeedForward
from .gravity_compensation import GravityCompensation
from .leg_drive import LegDrive, WalkLoads
from .swedish_wheels import SwedishWheels
from .tracking import TrackingRun, track
from .wheel_drive import WheelDrive

__all__ = [
    "ComputedTorque",
    "ControlEffort",
    "Controller",
    "DesiredMotion",
    "GravityCompensation",
    "LegDrive",
    "PDFeedForward",
    "SwedishWheels",
    "TrackingRun",
    "WalkLoads",
    "WheelDrive",
    "track",
]
