# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Warnings about parts of a URDF that are impossible but computed as written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from charmie_dynamics.errors import shown

# warnings of one kind with a line each; if there are more, one line names all but the first
MOST_LINES = 5
# names in that line; real robots have fewer, malicious files may have more
MOST_NAMED = 200


@dataclass(frozen=True)
class DescriptionWarning:
    """A part of a URDF that is impossible or not supported; ``str()`` names file and line.

    Attributes
    ----------
    element : {"link", "joint", "element"}
    name : str
        Of the link or joint, or of elements that are not supported, such as ``loop_joint``.
    fault : str
        The fault.
    consequence : str
        How the part is computed.
    source : str
        Name of the file.
    line : int
        Line in this file, from 1.
    """

    element: Literal["link", "joint", "element"]
    name: str
    fault: str
    consequence: str
    source: str
    line: int

    @property
    def subject(self) -> str:
        """Kind and name of the part, such as ``link 'base'`` or ``element <loop_joint>``."""
        if self.element == "element":
            return f"element <{shown(self.name)}>"
        return f"{self.element} '{shown(self.name)}'"

    def __str__(self) -> str:
        """Return the warning as one sentence."""
        return f"{self.source}, line {self.line}: {self.subject}: {self.fault}; {self.consequence}"


def warning_lines(warnings: Sequence[DescriptionWarning]) -> list[str]:
    """Return warnings as lines: one each, or two for many of a file with one consequence."""
    groups: dict[tuple[str, str], list[DescriptionWarning]] = {}
    for warning in warnings:
        groups.setdefault((warning.source, warning.consequence), []).append(warning)
    lines: list[str] = []
    for (source, consequence), alike in groups.items():
        if len(alike) <= MOST_LINES:
            lines += map(str, alike)
            continue
        first, *others = alike
        named = [f"{other.subject} (line {other.line})" for other in others[:MOST_NAMED]]
        more = f" and {len(others) - len(named)} more" if len(others) > len(named) else ""
        lines += [str(first), f"{source}: likewise {consequence}: {', '.join(named)}{more}"]
    return lines
