# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact: where bodies touch, and what forces act there.

In reading order:

- ``detection``: where shapes meet.
"""
