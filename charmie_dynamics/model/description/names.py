# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Names of links, joints, mechanisms and frames: how long they may be."""

from __future__ import annotations

# Characters. ROS 2 takes no longer name for anything: 255 for a node, as DDS for a topic with its
# prefix (rmw). It has no limit for frame ids, which each transform and each marker repeats.
LONGEST_NAME = 255


def length_fault(name: str) -> str | None:
    """Return what is wrong with the length of a name, None if nothing is."""
    if len(name) <= LONGEST_NAME:
        return None
    return f"has {len(name)} characters; expected at most {LONGEST_NAME}"
