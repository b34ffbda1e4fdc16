# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies: what many states of a robot tell, and which robot would be better.

In reading order:

- ``base_parameters``: the combinations of inertial parameters that a motion can show.
- ``robot_files``: the files of a robot with other numbers.
- ``design``: what a study varies and measures.
- ``search``: how candidates are found.
- ``engine``: which tasks they are computed in.
- ``results``: tables, pictures, files of the winners.
- ``identification``: masses, friction and springs from motions with measured efforts.
- ``excitation``: motions that show these.
- ``sizing``: motors and gears that are large enough.
- ``rollouts``: policies on robots, for training.
- ``commands``: charmie_study, charmie_size, charmie_identify.
"""
