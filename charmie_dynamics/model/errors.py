"""The errors of this package: one root, one subclass for each kind of subject."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CharmieError(Exception):
    """Root of every error that this package raises on purpose."""


class ModelFileError(CharmieError):
    """A URDF or mechanisms file cannot be read, or describes no usable robot."""


class UnknownNameError(CharmieError):
    """A body, joint, frame, actuator, spring or motion that does not exist."""


class InputError(CharmieError):
    """An array of the wrong shape or with values that are not finite."""


class OutOfReachError(CharmieError):
    """A linear actuator or balance mechanism that cannot take the demanded place.

    Attributes
    ----------
    name : str
        The actuator or mechanism.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def choices(given: str, valid: Iterable[str]) -> str:
    """Return the end of a message about a wrong name: the nearest name and all valid ones."""
    names = list(valid)
    near = difflib.get_close_matches(given, names, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    shown = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
    return f"{hint} Valid: {shown or 'none'}"
