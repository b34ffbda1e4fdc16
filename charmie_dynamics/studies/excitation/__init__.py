# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Excitation motions for the identification.

In reading order:

- ``fourier``: periodic motions within limits.
- ``reachable``: ranges of actuators in which loops close.
- ``proposal``: the motion with the best conditioned regression.
"""
