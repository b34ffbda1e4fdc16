# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The commands of studies.

- ``study_options``, ``study``: charmie_study.
- ``size_options``, ``size``: charmie_size.
- ``identify_options``, ``identify``: charmie_identify.
"""
