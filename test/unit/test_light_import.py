# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What has to be quick is not slowed down by what it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

import charmie_dynamics

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


def test_every_public_name_can_be_imported() -> None:
    code = "from charmie_dynamics import *; from charmie_dynamics import __all__; print(*__all__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == charmie_dynamics.__all__


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'load_modell'"):
        charmie_dynamics.load_modell  # noqa: B018
