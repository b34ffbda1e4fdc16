# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One comparison and its outcome."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """What was compared with what, and how far the two are apart.

    Attributes
    ----------
    title : str
        Heading in the report.
    compared, against : str
        What was compared, with what (name and version of the other program, or the law).
    largest : float
        Largest difference that was found.
    unit : str
        Of `largest` and `limit`: "relative", "N", "m", ...
    limit : float
        Largest difference that is accepted.
    remarks : str
        What limits the agreement, how many cases there were.
    figures : tuple of str
        Files under ``docs/images``.
    """

    title: str
    compared: str
    against: str
    largest: float
    unit: str
    limit: float
    remarks: str = ""
    figures: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the difference is a number within the limit."""
        return self.largest <= self.limit
