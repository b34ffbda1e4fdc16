# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How candidates are found.

In reading order:

- ``sampling``: that cover the space.
- ``sensitivity``: what each variable changes.
- ``scalarisation``: from several objectives to one number; fronts.
- ``local_search``: by gradients.
"""
