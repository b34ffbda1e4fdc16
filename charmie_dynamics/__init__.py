"""Inverse dynamics of robots with closed loops, springs and balance mechanisms, live on ROS 2."""

from .model import (
    CharmieError,
    InputError,
    Model,
    ModelFileError,
    OutOfReachError,
    State,
    UnknownNameError,
    load_model,
)

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
__version__ = "0.1.0"
