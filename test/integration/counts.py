# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How often a test repeats what costs seconds: some in a normal run, all in a long one.

`scripts/soak` sets ``CHARMIE_FULL_COUNTS=1``, with which the tests repeat as often as the
requirements say.
"""

from __future__ import annotations

import os
from typing import TypeVar

Number = TypeVar("Number", int, float)
FULL = os.environ.get("CHARMIE_FULL_COUNTS", "") == "1"


def full_or(few: Number, full: Number) -> Number:
    """Return `full` in a long run, else `few`."""
    return full if FULL else few
