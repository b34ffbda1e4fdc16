# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Models: the description of a robot, its flat arrays, and the facade that computes cycles.

In reading order:

- ``description``: what a robot is, read from its files and checked (step 1).
- ``flatten``: from the description to flat arrays (step 2).
- ``reach``, ``census``: lengths that actuators reach; number of bodies and joints.
- ``block_layout``: the layout of a cycle's block of memory.
- ``checks``: checks of inputs, with their messages.
- ``described_robot``: names, limits, masses, and what the loops allow.
- ``model``: the facade.
- ``reading``: a model from its files.
- ``state``, ``batch``: results of one cycle and of many.
- ``loads``: payloads and wrenches from outside.
- ``movable``: movable joints and moving frames.
- ``friction``: friction of joints, as the mechanisms file gives it.
- ``stability``: zero-moment point and tip-over margin.
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
