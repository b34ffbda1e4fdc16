# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A rate limiter: some cycles of many, by their stamps."""

from __future__ import annotations

from .wire.stamps import NANOSECONDS


class RateLimiter:
    """Passes cycles at a mean rate, regardless of their own rate.

    Parameters
    ----------
    rate : float
        At most this many a second of the stamps (Hz); 0: every cycle.
    """

    def __init__(self, rate: float) -> None:
        self._period = int(NANOSECONDS / rate) if rate else 0
        self._due = -1

    def passes(self, stamp: int) -> bool:
        """Return whether the cycle with a stamp (ns) passes; call once for each cycle."""
        if not self._period:
            return True
        if self._due - stamp > self._period:
            self._due = stamp  # time has jumped back
        if stamp < self._due:
            return False
        late = stamp - self._due
        self._due += self._period if late < self._period else late + self._period
        return True
