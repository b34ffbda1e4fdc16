# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies: properties of a robot from many of its states, and designs that improve it.

In reading order:

- ``base_parameters``: the combinations of inertial parameters that a motion determines.
- ``robot_files``: write the files of a robot with other numbers.
- ``design``: variables and quantities of a study.
- ``search``: how candidates are generated.
- ``engine``: the tasks that compute them.
- ``results``: tables, pictures, and files of the best candidates.
- ``identification``: masses, friction and springs from motions with measured efforts.
- ``excitation``: motions for the identification.
- ``sizing``: motors and gears for a motion.
- ``rollouts``: policies on robots, for training.
- ``commands``: charmie_study, charmie_size, charmie_identify.
"""
