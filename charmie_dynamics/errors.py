"""The errors of this package: one root, one subclass for each kind of subject; and a warning."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# of a text that a message quotes, and of names among which it looks for the nearest
LONGEST = 100
MOST_COMPARED = 5000


class CharmieError(Exception):
    """Root of every error that this package raises on purpose."""


class ModelFileError(CharmieError):
    """A URDF or mechanisms file cannot be read, or describes no usable robot."""


class ModelFileWarning(UserWarning):
    """A URDF that cannot be right is computed as it is written; `Model.warnings` tells more."""


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


def shown(text: str) -> str:
    """Return a text of a file as a message quotes it: whole, unless it is very long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def choices(given: str, valid: Iterable[str]) -> str:
    """Return the end of a message about a wrong name: the nearest name and all valid ones."""
    names = list(valid)
    # the time to compare grows with the square of the length of a name
    compared = names[:MOST_COMPARED] if len(given) <= LONGEST else []
    near = difflib.get_close_matches(given, compared, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    listed = ", ".join(shown(name) for name in names[:40]) + (", ..." if len(names) > 40 else "")
    return f"{hint} Valid: {listed or 'none'}"
