# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compile all kernels in advance, so that later starts need not compile.

In reading order:

- ``tasks``: the kernels, and calls that need each kernel.
- ``processes``: child processes that compile them.
- ``command``: charmie_prepare, which runs several tasks at once and shows their progress.
"""
