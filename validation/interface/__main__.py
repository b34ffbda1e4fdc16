# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Write the tables of the reference."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from .sections import SECTIONS

has_ros = find_spec("rclpy") is not None
for section in SECTIONS:
    if has_ros or not section.needs_ros:
        section.write()
left = [f"{section.page}: {section.name}" for section in SECTIONS if section.needs_ros]
if not has_ros:
    print(f"left as they are, since they need ROS 2: {', '.join(left)}", file=sys.stderr)
