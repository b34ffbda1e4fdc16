# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Excitation motions for the identification.

In reading order:

- ``fourier``: periodic motions within limits.
- ``proposal``: the motion with the best conditioned regression.
"""
