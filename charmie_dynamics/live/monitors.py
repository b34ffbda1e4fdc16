# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Counters of the dynamics node: inputs and durations of cycles; read once per report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

# s in which drivers that are launched together with a node may begin to publish
START_TIME = 10.0
# keys of the diagnostics from which a recording determines the fate of the inputs; those of a topic
# follow its name
RECEIVED, REJECTED = "received", "rejected"
LATE, PASSED_OVER = "late samples", "samples passed over"


@dataclass
class InputMonitor:
    """Messages on one input topic.

    Attributes
    ----------
    received : int
        Messages since the last report, the refused ones included.
    total : int
        Messages between the start and the last report, the refused ones included.
    rejected : dict
        Refused messages since the start, by one of the few causes that there are.
    rejected_lately : dict
        Those between the last two reports.
    last_arrival : float or None
        Of a message that could be used, on the steady clock (s).
    rate : float
        Messages per second between the last two reports.
    """

    received: int = 0
    total: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    rejected_lately: dict[str, int] = field(default_factory=dict)
    last_arrival: float | None = None
    rate: float = 0.0
    _rejected_now: dict[str, int] = field(default_factory=dict)

    def reject(self, cause: str) -> None:
        """Count a refused message."""
        self.rejected[cause] = self.rejected.get(cause, 0) + 1
        self._rejected_now[cause] = self._rejected_now.get(cause, 0) + 1

    def close_interval(self, seconds: float) -> None:
        """Compute `rate`, `total` and `rejected_lately` from the messages since the last call."""
        self.rate = self.received / seconds if seconds > 0.0 else 0.0
        self.total += self.received
        self.received = 0
        self.rejected_lately, self._rejected_now = self._rejected_now, {}


class CycleReport(NamedTuple):
    """The cycles between two reports.

    `overruns` are cycles which took longer than the time from their sample to that of the next
    cycle, by the stamps. `fault` is why the newest cycle failed, empty if it did not; `last_fault`
    why any of the `failed` ones did.
    """

    cycles: int = 0
    rate: float = 0.0  # Hz
    mean_time: float = 0.0  # s
    longest_time: float = 0.0  # s
    overruns: int = 0
    failed: int = 0
    fault: str = ""
    last_fault: str = ""


class CycleMonitor:
    """Durations of the cycles, and causes of failed ones."""

    def __init__(self) -> None:
        self._stamp = 0
        self._seconds = 0.0
        self._fault = ""
        self._start_interval()

    def _start_interval(self) -> None:
        self._cycles = 0
        self._total = 0.0
        self._longest = 0.0
        self._overruns = 0
        self._failed = 0
        self._last_fault = ""

    def note(self, stamp: int, seconds: float) -> None:
        """Count a published cycle.

        Parameters
        ----------
        stamp : int
            Of its sample (ns).
        seconds : float
            From the start of processing to the publication of the last message.
        """
        self._cycles += 1
        self._total += seconds
        if seconds > self._longest:
            self._longest = seconds
        if 0 < stamp - self._stamp < 1e9 * self._seconds:
            self._overruns += 1
        self._stamp = stamp
        self._seconds = seconds
        self._fault = ""

    def fail(self, text: str) -> None:
        """Count a cycle that gave no output, and why."""
        self._failed += 1
        self._fault = self._last_fault = text

    def forget_fault(self) -> None:
        """Forget why the newest cycle failed, as when the model is another."""
        self._fault = ""

    def close_interval(self, seconds: float) -> CycleReport:
        """Return the report on the time since the last call, `seconds` ago."""
        report = CycleReport(
            cycles=self._cycles,
            rate=self._cycles / seconds if seconds > 0.0 else 0.0,
            mean_time=self._total / self._cycles if self._cycles else 0.0,
            longest_time=self._longest,
            overruns=self._overruns,
            failed=self._failed,
            fault=self._fault,
            last_fault=self._last_fault,
        )
        self._start_interval()
        return report
