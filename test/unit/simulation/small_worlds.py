# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Texts of small worlds whose motion is known."""

from __future__ import annotations

from collections.abc import Mapping

from charmie_dynamics.simulation import World, world_of

GROUND = "ground: {shape: plane}"


def world(laws: str, *entities: str, gravity: str = "[0, 0, -9.81]") -> World:
    """Return a world with one rule for all contacts."""
    lines = "".join(f"  {entity}\n" for entity in entities)
    text = f"gravity: {gravity}\ncontacts: {{default: {{{laws}}}}}\nentities:\n{lines}"
    return world_of(text)


def law_text(law: str, values: Mapping[str, float]) -> str:
    """Return a law with its parameters as an entry of a world file has them."""
    return ", ".join([f"normal: {law}", *(f"{key}: {value!r}" for key, value in values.items())])


def ball(height: float, radius: float = 0.05, mass: float = 1.0, down: float = 0.0) -> str:
    """Return a ball above the origin."""
    return (
        f"ball: {{shape: sphere, size: [{radius}], mass: {mass}, pose: [0, 0, {height}, 0, 0, 0], "
        f"twist: [0, 0, {-down}, 0, 0, 0]}}"
    )
