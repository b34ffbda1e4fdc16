# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Words for whoever waits while kernels are compiled."""

from __future__ import annotations

import sys
from typing import TextIO

from .jit import on_compilation

_announced: list[str] = []


def announce_compilation(stream: TextIO | None = None) -> None:
    """Write a line for each kernel that this process has to compile, before it is compiled.

    Nothing is written where all of them are on disk. For commands; a second call does nothing.

    Parameters
    ----------
    stream : text stream, optional
        Standard error if omitted.
    """
    if _announced:
        return

    def tell(name: str) -> None:
        if len(_announced) == 1:
            print(
                "compiling kernels, once for this version; `charmie_prepare` does it beforehand",
                file=stream or sys.stderr,
            )
        _announced.append(name)
        count = len(_announced) - 1
        print(f"compiling kernel {count}: {name}", file=stream or sys.stderr, flush=True)

    _announced.append("")
    on_compilation(tell)
