# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Models: the description of a robot, its flat arrays, and the facade that computes cycles.

In reading order:

- ``description``: the description of a robot, read from its files and checked (step 1).
- ``flat``: the robot as flat arrays, and properties that need no computed cycle (step 2).
- ``equations``: the equations of motion and their derivatives; motion of points.
- ``differentiation``: derivatives of the efforts.
- ``forward_dynamics``: from efforts to accelerations.
- ``constraints``: those of loop joints at one state, and the remaining freedoms.
- ``loop_closure``: motions that close the loops.
- ``closed_loops``: equations of motion and forward dynamics with loop joints.
- ``model``: the facade.
- ``reading``: a model from its files.
- ``state``, ``batch``, ``accelerated``: results of one cycle, of many, and of forward dynamics.
- ``loop_reactions``: the forces in loops of a state.
- ``loads``: payloads and wrenches from outside.
- ``movable``: movable joints and moving frames.
- ``friction``: friction of joints, as the mechanisms file gives it.
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
