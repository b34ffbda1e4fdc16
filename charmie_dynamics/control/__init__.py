# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Model-based control of all actuators.

In reading order:

- ``per_actuator``: numbers per actuator, such as gains and limits.
- ``controller``: the base of all controllers: inputs, friction, effort limits.
- ``computed_torque``: feedback linearisation by inverse dynamics.
- ``feed_forward``: proportional-derivative control with feed-forward of the desired motion.
- ``gravity_compensation``: the same with compensation of gravity and springs only.
- ``swedish_wheels``: rates of Swedish wheels from the velocity of the base, and odometry.
- ``wheel_drive``: drive on Swedish wheels while the other joints hold a pose.
- ``leg_drive``: walk on legs.
"""

from .computed_torque import ComputedTorque
from .controller import ControlEffort, Controller
from .feed_forward import PDFeedForward
from .gravity_compensation import GravityCompensation
from .leg_drive import LegDrive, WalkLoads
from .per_actuator import PerActuator
from .swedish_wheels import SwedishWheels
from .wheel_drive import WheelDrive

__all__ = [
    "ComputedTorque",
    "ControlEffort",
    "Controller",
    "GravityCompensation",
    "LegDrive",
    "PDFeedForward",
    "PerActuator",
    "SwedishWheels",
    "WalkLoads",
    "WheelDrive",
]
