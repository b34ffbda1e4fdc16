# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Generation of candidates.

In reading order:

- ``sampling``: samples that cover the space.
- ``sensitivity``: the effect of each variable.
- ``scalarisation``: from several objectives to one number; fronts.
- ``local_search``: search by gradients.
"""
