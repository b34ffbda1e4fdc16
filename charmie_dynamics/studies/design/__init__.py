# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Variables, motions and quantities of a study.

In reading order:

- ``variables``: numbers of a robot's files, single, tied, or from a list.
- ``study_motion``: motions of the joints.
- ``world_motion``: motions in a world, simulated for each candidate.
- ``outcome``: a candidate in some motions.
- ``quantities``: measured quantities.
- ``candidate_checks``: the checks of the files, for candidates.
- ``evaluation``: the quantities of a candidate, and their derivatives.
- ``study``: a complete study, with objectives and constraints.
- ``motion_entries``: motions of a study file.
- ``study_file``: studies from YAML.
"""
