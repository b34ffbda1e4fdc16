# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compiles all kernels beforehand, so that nobody waits for them later.

In reading order:

- ``tasks``: which kernels there are, and work that needs each of them.
- ``processes``: processes that compile them, and end.
- ``command``: charmie_prepare, several tasks at once with a progress bar.
"""
