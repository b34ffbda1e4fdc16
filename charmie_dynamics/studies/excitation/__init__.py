# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions that show what is to be identified.

In reading order:

- ``fourier``: periodic motions within limits.
- ``proposal``: the one whose regression is best conditioned.
"""

from .proposal import Excitation, ExcitationRegression, ExcitationSettings, propose

__all__ = ["Excitation", "ExcitationRegression", "ExcitationSettings", "propose"]
