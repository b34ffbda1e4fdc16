# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A ring buffer with the efforts of the last seconds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

DURATION = 10.0  # s
RATE = 50.0  # Hz: more than the resolution of a plot of a few hundred pixels


class EffortHistory:
    """A ring buffer of the efforts of the last `DURATION`, at most at `RATE`.

    It restarts when the names change or the time jumps back.
    """

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self._reset(())

    def _reset(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._row = {name: i for i, name in enumerate(self.names)}
        capacity = int(DURATION * RATE) + 1
        self._time = np.full(capacity, -np.inf)
        self._effort = np.zeros((capacity, len(self.names)))
        self._next = 0
        self._last = -np.inf

    def wants(self, time: float) -> bool:
        """Return whether a sample of a time (s) would be stored."""
        return not self._last <= time < self._last + 0.999 / RATE

    def add(self, time: float, names: Sequence[str], effort: Floats) -> None:
        """Store time (s), n names and their efforts (N or N m), unless it is too early."""
        if not self.wants(time):
            return
        if tuple(names) != self.names or time < self._last:
            self._reset(names)
        k = self._next
        self._time[k], self._effort[k] = time, effort
        self._next = (k + 1) % len(self._time)
        self._last = time

    def strongest(self) -> str:
        """Return the name with the largest effort in the newest sample; empty without samples.

        An effort that is NaN is the smallest.
        """
        if not self.names:
            return ""
        sizes = np.nan_to_num(np.abs(self._effort[self._next - 1]), nan=-1.0)
        return self.names[int(sizes.argmax())]

    def of(self, name: str) -> tuple[Floats, Floats]:
        """Return times from the newest sample back (s, not positive, rising) and efforts."""
        if name not in self._row:
            return np.zeros(0), np.zeros(0)
        order = np.roll(np.arange(len(self._time)), -self._next)
        age = self._time[order] - self._last if np.isfinite(self._last) else self._time
        recent = age >= -DURATION
        return age[recent], self._effort[order[recent], self._row[name]]
