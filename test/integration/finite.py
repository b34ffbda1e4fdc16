# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether all numbers in a message are finite."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any


def is_finite(message: Any) -> bool:
    """Tell whether every number in a message is finite, however deep it is."""
    return all(map(math.isfinite, _numbers(message)))


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, float | int):
        yield value
    elif hasattr(value, "get_fields_and_field_types"):
        for name in value.get_fields_and_field_types():
            yield from _numbers(getattr(value, name))
    elif not isinstance(value, str | bytes):
        for item in value:
            yield from _numbers(item)
