# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Models: the description of a robot, its flat arrays, and the facade that computes cycles.

In reading order:

- ``description``: the description of a robot, read from its files and checked (step 1).
- ``flat``: the robot as flat arrays, and properties that need no computed cycle (step 2).
- ``equations``: the equations of motion and their derivatives; motion of points.
- ``loads``: payloads and wrenches from outside.
- ``robots``: robots from their description, and their variants.
- ``state``, ``batch``: results of one cycle and of many.
- ``inverse_dynamics``: the cycle, from accelerations to efforts.
- ``derivatives``: derivatives of the efforts.
- ``forward_dynamics``: from efforts to accelerations.
- ``friction``: efforts of friction.
- ``contributions``: parts of the equations of motion, body by body.
- ``assembly``: motions that close the loops.
- ``loop_checks``: loops that hold an actuator, springs without equilibrium.
- ``closed_poses``: closed positions on an assembly branch; singular positions of a path.
- ``inverse_kinematics``: positions that bring a frame to a pose.
- ``model``: the facade.
- ``variation``: robots that differ from their description.
- ``reading``: a model from its files.
- ``movable``: movable joints and moving frames.
- ``stability``: zero-moment point and tip-over margin.
- ``contact_forces``: forces at the contacts of a robot that moves freely, by its motion.
"""

from charmie_dynamics.errors import (
    CharmieError,
    DerivationWarning,
    InputError,
    ModelFileError,
    ModelFileWarning,
    OutOfReachError,
    UnknownNameError,
)

from .loads import Payload, Wrench
from .model import Model
from .reading import load_model
from .state import State

__all__ = [
    "CharmieError",
    "DerivationWarning",
    "InputError",
    "Model",
    "ModelFileError",
    "ModelFileWarning",
    "OutOfReachError",
    "Payload",
    "State",
    "UnknownNameError",
    "Wrench",
    "load_model",
]
