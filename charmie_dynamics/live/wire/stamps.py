# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Times in messages: nanoseconds as one integer."""

from __future__ import annotations

NANOSECONDS = 1_000_000_000  # in a second
SECONDS = 1e-9  # in a nanosecond
