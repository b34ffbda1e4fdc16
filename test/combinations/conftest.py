# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Settings of the tests with random robots.

CHARMIE_COMBINATIONS sets the number of examples of each test (default: a quick version).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

UNIT = Path(__file__).resolve().parents[1] / "unit"
sys.path.extend(
    map(str, (UNIT, *(UNIT / name for name in ("execution", "live", "recordings", "studies"))))
)  # helpers of unit tests

settings.register_profile(
    "combinations",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=int(os.environ.get("CHARMIE_COMBINATIONS", "12")),
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("combinations")
