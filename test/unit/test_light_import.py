# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What has to be quick is not slowed down by what it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "numba", "yaml", "jsonschema", "rclpy", "asyncio")


@pytest.mark.parametrize(
    "module",
    [
        "charmie_dynamics",
        "charmie_dynamics.ros.process.entry",
        "charmie_dynamics.ros.process.interrupts",
    ],
)
def test_handlers_of_signals_are_set_before_anything_heavy_is_imported(module: str) -> None:
    code = f"import sys, {module}; print(*(set({HEAVY}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
