# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which tasks studies are computed in.

In reading order:

- ``study_job``: the parts of a study, which can be computed anywhere.
- ``methods``: which tasks a method consists of.
"""
