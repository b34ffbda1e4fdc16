# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies of the tests: small, quick, some with a known best."""

from __future__ import annotations

from charmie_dynamics.studies import Study, parse_study

TORSO = "stiffness: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}"
PARTS = {
    "variables": TORSO,
    "motions": "wave: {named: wave, rate: 10}",
    "objectives": "torso: {peak: torso_actuator}",
    "methods": "[{sobol: 8}]",
}


def text_of(head: str = "", **parts: str) -> str:
    """Return a study file: of each section what is given, else that of `PARTS`."""
    given = {**PARTS, **parts}
    lines = [head] if head else []
    for section, content in given.items():
        if section == "methods":
            lines.append(f"methods: {content}")
        else:
            lines.append(f"{section}:")
            lines += [f"  {line}" for line in content.splitlines()]
    return "\n".join(lines) + "\n"


def study_of(head: str = "", **parts: str) -> Study:
    """Return a study of the robot of the package."""
    return parse_study(text_of(head, **parts))
