# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a study varies and measures.

In reading order:

- ``variables``: numbers of a robot's files that vary, alone, tied, or from a list.
- ``study_motion``: what the robot does meanwhile.
- ``quantities``: what is measured of it.
- ``evaluation``: the quantities of a candidate, and their derivatives.
- ``study``: all of it, with objectives and constraints.
- ``study_file``: read from YAML.
"""
