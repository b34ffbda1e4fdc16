# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import charmie_dynamics

PROGRAMS = ("numpy", "numba", "llvmlite", "pin", "mujoco-core", "drake")


def describe_machine(load: float, programs: Sequence[str] = PROGRAMS) -> list[str]:
    """Return lines on processor, system, versions, and how busy the machine was before."""
    return [
        f"processor: {_processor()}, {len(os.sched_getaffinity(0))} cores for this process",
        f"system: {_system()}, {platform.system()} {platform.release()} {platform.machine()}",
        f"Python {platform.python_version()}, "
        + ", ".join(f"{name} {_version(name)}" for name in programs),
        f"load average of the minute before the run (0: idle): {load:.1f}",
    ]


def package_version() -> str:
    """Return name and version of this package and of the compiler that it runs on."""
    return f"this package {charmie_dynamics.__version__}, numba {_version('numba')}"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return "unknown system"
