# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Names of links, joints, mechanisms, frames and points: how long they may be."""

from __future__ import annotations

# Characters. ROS 2 takes no longer name for anything: 255 for a node, as DDS for a topic with its
# prefix (rmw). It has no limit for frame ids, which each transform and each marker repeats.
LONGEST_NAME = 255
# of a tracked point, which becomes part of topics, beside namespace and prefix
POINT_NAME = r"^[a-zA-Z][a-zA-Z0-9_]{0,99}$(?!\n)"
# each tracked point has two topics, and takes its time in each cycle
MOST_POINTS = 32


def length_fault(name: str) -> str | None:
    """Return the fault of the length of a name, None for a valid length."""
    if len(name) <= LONGEST_NAME:
        return None
    return f"has {len(name)} characters; expected at most {LONGEST_NAME}"
