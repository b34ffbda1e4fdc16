# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Extension springs between two bodies; their coils are drawn with all others, see `coils`."""

from __future__ import annotations

from .drawing import MechanismDrawing, pins_of_member

DRAWING = MechanismDrawing(lines_to_pins=pins_of_member)
