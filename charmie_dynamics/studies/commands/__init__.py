# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The commands of studies.

- ``study``: charmie_study.
- ``size``: charmie_size.
"""
