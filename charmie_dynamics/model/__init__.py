"""What a robot is (step 1), its flat arrays (step 2), and the facade that computes cycles."""

from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    ModelFileError,
    OutOfReachError,
    UnknownNameError,
)

from .model import Model, load_model
from .state import State

__all__ = [
    "CharmieError",
    "InputError",
    "Model",
    "ModelFileError",
    "OutOfReachError",
    "State",
    "UnknownNameError",
    "load_model",
]
