# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Interrupts work in all tests, also where the shell of a background job has ignored them."""

import signal

# Child processes inherit an ignored signal, and Python does not install its handler then.
signal.signal(signal.SIGINT, signal.default_int_handler)
