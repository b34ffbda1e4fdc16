# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages about kernels that are being compiled."""

from __future__ import annotations

import logging
import sys

logger = logging.getLogger(__name__)
_compiled: list[str] = []


def messages(name: str) -> list[str]:
    """Return the lines about a kernel before its compilation; the first ones give the reason."""
    reason = (
        "compiling kernels, each once for this version; `charmie_prepare` compiles all in advance"
    )
    lines = [] if _compiled else [reason]
    _compiled.append(name)
    return [*lines, f"compiling kernel {len(_compiled)}: {name}"]


def announce(name: str) -> None:
    """Write the messages about a kernel to standard error."""
    print(*messages(name), sep="\n", file=sys.stderr, flush=True)


def log(name: str) -> None:
    """Log the messages about a kernel as warnings: by default on standard error.

    For programs without a listener of `jit.on_compilation`. The logger has the name of this module;
    ``logging.getLogger("charmie_dynamics").setLevel(logging.ERROR)`` suppresses the messages.
    """
    for message in messages(name):
        logger.warning(message)


def announce_compilation() -> None:
    """Write a line for each kernel that this process has to compile, before it is compiled.

    For commands. Nothing is written where all kernels are on disk.
    """
    from .jit import on_compilation  # which imports this module

    on_compilation(announce)
