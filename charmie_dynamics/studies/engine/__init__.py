# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where studies are computed.

In reading order:

- ``tasks``: the parts of a study that can be computed anywhere.
- ``journal``: what has been computed.
- ``engine``: in this process, or by workers.
- ``methods``: which tasks a method consists of.
"""
