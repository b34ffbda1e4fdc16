# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Names of the motions, for options and parameters."""

from __future__ import annotations

MOTION_NAMES = ("paper_5s", "paper_20s", "wave", "workday", "tripod", "trot")
