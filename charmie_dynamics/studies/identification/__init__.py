# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification of masses, friction, springs and rotors from motions with measured efforts.

In reading order:

- ``samples``: a motion with measured efforts.
- ``linear_parameters``: parameters of springs and rotors.
- ``spring_columns``, ``rotor_columns``: how efforts depend on them.
- ``unknowns``: what is identified, and the columns of the regression.
- ``rows``: its rows, piece by piece, and their means.
- ``effort_filter``: what measured efforts have been through before.
- ``factors``: the rows as triangular factors.
- ``weighted_fit``: weighted least squares, with intervals.
- ``pseudo_inertia``: inertial parameters of bodies that can be.
- ``consistent_fit``: the best robot that can be.
- ``judging``: prediction of data that were held out.
- ``result``: what was identified.
- ``identify``: all of it.
- ``plausibility``: identified bodies that contradict the description.
- ``recorded``: samples from recordings.
- ``report``, ``written_files``: the results in files.
"""

from .identify import IdentificationSettings, identify
from .result import IdentificationResult, IdentifiedNumber
from .samples import EffortSamples, samples_of_motion, samples_of_positions
from .unknowns import Unknowns

__all__ = [
    "EffortSamples",
    "IdentificationResult",
    "IdentificationSettings",
    "IdentifiedNumber",
    "Unknowns",
    "identify",
    "samples_of_motion",
    "samples_of_positions",
]
