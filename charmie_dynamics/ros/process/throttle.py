# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Throttle of log lines: one for each cause and period."""

from __future__ import annotations

LARGEST = 256


class Throttle:
    """Remembers when each cause was last allowed; forgets the oldest beyond a fixed number.

    Parameters
    ----------
    period : float
        Seconds between two lines of one cause.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self._last: dict[str, float] = {}
        self._seen: set[str] = set()

    def allows(self, cause: str, now: float) -> bool:
        """Return whether a line of `cause` may be logged at time `now` (s)."""
        last = self._last.get(cause)
        if last is not None and now - last < self.period:
            return False
        if len(self._last) >= LARGEST:
            self._last.pop(next(iter(self._last)))
        self._last.pop(cause, None)
        self._last[cause] = now
        return True

    def first_time(self, cause: str) -> bool:
        """Return whether `cause` is new; False for any cause once too many are known."""
        if cause in self._seen or len(self._seen) >= LARGEST:
            return False
        self._seen.add(cause)
        return True
