# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Many plants of one robot or world at once.

In reading order:

- ``plant_batch``: plants that move in fixed steps side by side, on several cores.
"""

from .plant_batch import PlantBatch

__all__ = ["PlantBatch"]
