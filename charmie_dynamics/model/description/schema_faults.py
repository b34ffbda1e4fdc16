# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages about what a document says and its schema does not allow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from charmie_dynamics.errors import LONGEST, ModelFileError, choices, shown

from .names import length_fault
from .xml_document import LARGEST_NUMBER
from .yaml_document import Key, Lines, line_of


def describe(error: Any, lines: Lines, source: str) -> str:
    """Return the message for a fault that a JSON schema has found, with file, line and entry.

    Parameters
    ----------
    error : jsonschema.ValidationError
    lines : dict of tuple to int
        From `load_yaml`.
    source : str
        Name of the file.
    """
    path = list(error.absolute_path)
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = next(key for key in error.instance if key not in known)
        where = line_of([*path, unknown], lines)
        place = dotted(path) or "top level"
        return (
            f"{source}, line {where}: {place}: unknown key '{shown(unknown)}'"
            f"{choices(unknown, known)}"
        )
    if error.validator == "maxLength":
        where = line_of([*path, error.instance], lines)  # it may be a key
        name = f"{dotted(path)}: the name '{shown(error.instance)}'"
        return f"{source}, line {where}: {name} {length_fault(error.instance)}"
    message = error.message  # begins with the value, ends with the fault
    if len(message) > 3 * LONGEST:
        message = f"{message[:LONGEST]}...{message[-LONGEST:]}"
    subject = dotted(path) or "document"
    return f"{source}, line {line_of(path, lines)}: {subject}: {message}"


def dotted(path: Iterable[Key]) -> str:
    """Return the place of an entry as messages name it."""
    return ".".join(shown(str(key)) for key in path)


def require_finite(value: Any, path: tuple[Key, ...], lines: Lines, source: str) -> None:
    """Raise a `ModelFileError` for a number that is not finite, or beyond all reason."""
    if isinstance(value, dict):
        for key, item in value.items():
            require_finite(item, (*path, key), lines, source)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            require_finite(item, (*path, index), lines, source)
    elif isinstance(value, float) and not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        raise ModelFileError(
            f"{source}, line {line_of(path, lines)}: {dotted(path)}: expected a finite number of "
            f"magnitude up to {LARGEST_NUMBER:g}, got {value}"
        )
