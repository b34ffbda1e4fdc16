# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Interrupts work in all tests; a test that hangs ends its process and is named.

Both signals end the processes that the tests have started.
"""

import faulthandler
import os
import signal
from collections.abc import Iterator

import pytest

LONGEST = 1200.0  # s that a test may take, also on a busy machine

# The shell of a background job ignores interrupts, child processes inherit that, and Python does
# not install its handler then. Without one, SIGTERM ends pytest before its fixtures.
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.default_int_handler)

terminal = 2


def pytest_configure() -> None:
    """Keep the standard error output, which pytest redirects during a test."""
    global terminal
    terminal = os.dup(2)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """End the process with the tracebacks of its threads if a test hangs; xdist names the test."""
    faulthandler.dump_traceback_later(LONGEST, exit=True, file=terminal)
    yield
    faulthandler.cancel_dump_traceback_later()
