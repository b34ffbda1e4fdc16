# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification of masses, friction, springs and rotors from motions with measured efforts.

In reading order:

- ``samples``: a motion with measured efforts.
- ``linear_parameters``: parameters that enter the efforts linearly.
- ``spring_columns``, ``rotor_columns``, ``joint_friction_columns``: regression columns of springs,
  rotors, and the friction of joints that a loop or a linear actuator moves.
- ``payload_columns``: regression columns of an unknown payload.
- ``unknowns``: the unknowns, and the columns of the regression.
- ``rows``: the rows of the regression, in pieces, and their means.
- ``effort_filter``: detect the low pass of recorded efforts.
- ``factors``: the rows as triangular factors.
- ``weighted_fit``: weighted least squares, with intervals.
- ``pseudo_inertia``: physically consistent inertial parameters.
- ``consistent_fit``: the best physically consistent robot.
- ``judging``: prediction errors on held-out data.
- ``result``: the result of an identification.
- ``identified_payload``: mass and centre of a payload in a result.
- ``identify``: the complete identification.
- ``plausibility``: identified bodies that contradict the description.
- ``recorded``: samples from recordings.
- ``report``, ``written_files``: the results in files.
"""
