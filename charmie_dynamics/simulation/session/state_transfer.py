# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Transfer of the state to a world with other entities."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.contact.memory import FEATURES
from charmie_dynamics.core.contact.records import KEY, MEMORY
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.contact.contact_scene import ContactScene

from .simulated_system import SimulatedSystem


class WorldState(NamedTuple):
    """A state of a world.

    Attributes
    ----------
    position, velocity : (p,), (v,) array
    memory : (m,) array
        Memory of the contacts.
    effort : (a,) array
        Last effort.
    """

    position: Floats
    velocity: Floats
    memory: Floats
    effort: Floats


def transferred_state(
    old: SimulatedSystem, new: SimulatedSystem, state: WorldState, restarted: Collection[str]
) -> WorldState:
    """Return the state of a new world in which the entities of the old one keep their motion.

    Parameters
    ----------
    old, new : SimulatedSystem
    state : WorldState
        Of `old`.
    restarted : collection of str
        Entities that start as the new world states.
    """
    a, b = old.model, new.model

    def moved(names: tuple[Sequence[str], Sequence[str]], values: Floats, start: Floats) -> Floats:
        known = {
            name: value
            for name, value in zip(names[0], values, strict=True)
            if name.partition("/")[0] not in restarted
        }
        pairs = zip(names[1], start, strict=True)
        return np.array([known.get(name, rest) for name, rest in pairs])

    return WorldState(
        moved((a.position_names, b.position_names), state.position, new.position),
        moved((a.velocity_names, b.velocity_names), state.velocity, new.velocity),
        transferred_memory(old.contacts, new.contacts, state.memory, restarted),
        moved((a.actuator_names, b.actuator_names), state.effort, np.zeros(len(b.actuator_names))),
    )


def transferred_memory(
    old: ContactScene | None,
    new: ContactScene | None,
    memory: Floats,
    restarted: Collection[str] = (),
) -> Floats:
    """Return the memory (m,) of the contacts of a new world, from that of the old one.

    Parameters
    ----------
    old, new : ContactScene or None
        The order of the entities that both have is the same.
    memory : (m,) array
        Of `old`.
    restarted : collection of str
        Entities whose contacts have no memory.
    """
    if old is None or new is None:
        return np.zeros(0 if new is None else new.memory_size)
    numbers = {name: k for k, name in enumerate(_names_of(new, restarted)) if name is not None}
    place_of = [numbers.get(name, -1) if name else -1 for name in _names_of(old, restarted)]
    result = np.zeros((new.memory_size // MEMORY, MEMORY))
    free = 0
    for slot in memory.reshape(-1, MEMORY):
        if slot[KEY] == 0.0 or free == len(result):
            continue
        pair, feature = divmod(int(slot[KEY]) - 1, int(FEATURES))  # see `memory.key_of`
        first, second = (place_of[k] for k in divmod(pair, len(old.shapes)))
        if min(first, second) < 0:
            continue
        result[free] = slot
        key = feature + FEATURES * (first * len(new.shapes) + second)
        result[free, KEY] = 1.0 + key
        free += 1
    return result.ravel()


def _names_of(scene: ContactScene, restarted: Collection[str]) -> list[tuple[str, int] | None]:
    """Return entity and index within it of each shape; None for restarted entities."""
    counts: dict[str, int] = {}
    names: list[tuple[str, int] | None] = []
    for shape in scene.shapes:
        number = counts[shape.entity] = counts.get(shape.entity, -1) + 1
        names.append(None if shape.entity in restarted else (shape.entity, number))
    return names
