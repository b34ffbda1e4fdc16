# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of what /diagnostics tells."""

from __future__ import annotations

from charmie_dynamics.live.findings import FINDINGS, STATUSES
from charmie_dynamics.live.wire.samples import REFUSAL_CAUSES

from .document import code, table_of


def statuses() -> str:
    """Return the table of the statuses of the dynamics node."""
    return table_of(("status", "tells"), [(code(n), text) for n, text in STATUSES.items()])


def findings() -> str:
    """Return the table of all warnings and errors."""
    rows = [
        (
            finding.status if " " in finding.status else code(finding.status),
            finding.level,
            code(finding.text),
            finding.meaning,
            finding.remedy,
        )
        for finding in FINDINGS
    ]
    return table_of(("status", "level", "message has", "what it means", "what to do"), rows)


def causes() -> str:
    """Return the table of the causes for which messages are refused."""
    rows = [(code(cause), remedy) for cause, remedy in REFUSAL_CAUSES.items()]
    return table_of(("cause", "what is expected"), rows)
