# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies: what many states of a robot tell, and which robot would be better.

In reading order:

- ``base_parameters``: the combinations of inertial parameters that a motion can show.
- ``robot_files``: the files of a robot with other numbers.
- ``design``: what a study varies and measures.
- ``search``: how candidates are found.
- ``engine``: where they are computed.
- ``results``: tables, pictures, files of the winners.
- ``sizing``: motors and gears that are large enough.
- ``commands``: charmie_study, charmie_size.
"""
