# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sessions that continue with another world, or without one."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.model.description.world import parse_entity
from charmie_dynamics.simulation import world_of
from charmie_dynamics.simulation.session.entity_changes import EntityPlace, delete, spawn
from charmie_dynamics.simulation.session.session import PlayState, Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

BALLS = """
contacts: {default: {normal: hooke, stiffness: 1.0e5}}
entities:
  ground: {shape: plane}
  ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.1, 0, 0, 0]}
"""
ARM = "entities: {arm: {urdf: scara}}"
NOISE = SessionSettings(angle_noise=1e-3, seed=3)


def system_of(text: str) -> SimulatedSystem:
    return SimulatedSystem.of_world(world_of(text))


def measured(session: Session) -> list[list[float]]:
    samples = [session.advance(10).measured for _ in range(5)]
    return [sample.position.tolist() for sample in samples if sample is not None]


def test_a_loaded_system_gives_the_samples_of_a_new_session() -> None:
    session = Session(system_of(BALLS), NOISE)
    session.play()
    session.advance(10)
    session.load(system_of(ARM))
    assert (session.now, session.state, session.fault) == (0, PlayState.STOPPED, "")
    expected = measured(Session(system_of(ARM), NOISE))
    assert measured(session) == expected and len(expected) == 5


def test_an_unloaded_session_is_empty_and_inactive_until_it_loads() -> None:
    session = Session(system_of(ARM), NOISE)
    session.unload()
    assert session.state is PlayState.NO_WORLD and not session.is_active
    assert session.system.entity_names == () and session.commands is None
    session.load(system_of(BALLS))
    assert session.is_active and session.system.entity_names == ("ground", "ball")


def test_notes_end_with_their_entity_and_a_reset_of_everything() -> None:
    session = Session(system_of(BALLS), NOISE)
    cube = parse_entity("cube", "{shape: box, size: [0.1, 0.1, 0.1], mass: 1}", "text")
    spawn(session, cube, EntityPlace(np.array([1.0, 0.0, 0.1]), np.eye(3), np.zeros(6)))
    session.notes.update(ball="a", cube="b")
    delete(session, "cube")
    assert session.notes == {"ball": "a"}
    session.reset(time=False)
    assert session.notes == {"ball": "a"}
    session.reset()
    assert session.notes == {}
