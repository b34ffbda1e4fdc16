# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Words for whoever waits while kernels are compiled."""

from __future__ import annotations

import sys

from .jit import on_compilation

_announced: list[str] = []


def announce(name: str) -> None:
    """Write on standard error that a kernel is being compiled; before the first, why."""
    if not _announced:
        print(
            "compiling kernels, once for this version; `charmie_prepare` does it beforehand",
            file=sys.stderr,
        )
    _announced.append(name)
    print(f"compiling kernel {len(_announced)}: {name}", file=sys.stderr, flush=True)


def announce_compilation() -> None:
    """Write a line for each kernel that this process has to compile, before it is compiled.

    For commands. Nothing is written where all kernels are on disk.
    """
    on_compilation(announce)
