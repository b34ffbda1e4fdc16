# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Interrupts work in all tests; both signals end the processes that the tests have started."""

import signal

# The shell of a background job ignores interrupts, child processes inherit that, and Python does
# not install its handler then. Without one, SIGTERM ends pytest before its fixtures.
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.default_int_handler)
