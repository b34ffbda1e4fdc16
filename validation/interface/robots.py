# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robots of the package."""

from __future__ import annotations

from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS

from .document import table_of


def listed() -> str:
    """Return a row for each robot: name, description and URDF."""
    rows = []
    for name, robot in PACKAGE_ROBOTS.items():
        file = "/".join(robot.urdf)
        rows.append((f"`{name}`", robot.description, f"[{file}](../{file})"))
    return table_of(("name", "what", "URDF"), rows)
