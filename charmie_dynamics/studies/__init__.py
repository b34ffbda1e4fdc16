# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies: what many states of a robot tell.

In reading order:

- ``base_parameters``: the combinations of inertial parameters that a motion can show.
- ``identification``: masses, friction and springs from motions with measured efforts.
"""
