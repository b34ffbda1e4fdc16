# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a study varies and measures.

In reading order:

- ``variables``: numbers of a robot's files that vary, alone, tied, or from a list.
- ``study_motion``: what the robot does meanwhile.
- ``world_motion``: what it does in a world, simulated for each candidate.
- ``quantities``: what is measured of it.
- ``candidate_checks``: whether a candidate would pass the checks of its files.
- ``evaluation``: the quantities of a candidate, and their derivatives.
- ``study``: all of it, with objectives and constraints.
- ``motion_entries``: motions of a study file.
- ``study_file``: read from YAML.
"""
