# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Worlds that are played: robots stand, contacts are told, entities come and go."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError, UnknownNameError
from charmie_dynamics.core.contact.records import KEY, MEMORY
from charmie_dynamics.errors import ModelFileError, OverlapError, UnsupportedError
from charmie_dynamics.model.description.world import parse_entity
from charmie_dynamics.simulation import load_world, world_of
from charmie_dynamics.simulation.session.entity_changes import (
    EntityPlace,
    delete,
    entity_motion,
    put_entity,
    spawn,
)
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

LAWS = """
contacts: {default: {normal: lankarani_nikravesh, stiffness: 1.0e6, restitution: 0.3,
                     least_speed: 0.05, friction: elasto_plastic, kinetic: 0.5,
                     tangential_stiffness: 1.0e4, tangential_damping: 20.0}}
"""
ROOM = """
entities:
  ground: {shape: plane}
  table: {shape: box, size: [0.4, 0.4, 0.2], moves: fixed, pose: [2, 0, 0.1, 0, 0, 0]}
  ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.05, 0, 0, 0]}
"""
ARMS = """
  arm: {urdf: scara, pose: [-2, 0, 0.5, 0, 0, 0]}
  other: {urdf: scara, pose: [-2, 3, 0.5, 0, 0, 0]}
"""
CUBE = "{shape: box, size: [0.1, 0.1, 0.1], mass: 0.5}"


def session_of(text: str, robot: str = "", **settings: object) -> Session:
    return Session(SimulatedSystem.of_world(world_of(text), robot), SessionSettings(**settings))  # type: ignore[arg-type]


def go_on(session: Session, seconds: float) -> None:
    end = session.now + round(1e9 * seconds)
    while session.now < end:
        session.advance(10_000)


def place(x: float, y: float, z: float, *twist: float) -> EntityPlace:
    return EntityPlace(np.array([x, y, z]), np.eye(3), np.array(twist or [0.0] * 6))


def where(session: Session, entity: str) -> np.ndarray:
    return entity_motion(session, entity).position


@pytest.mark.parametrize(
    ("name", "parts", "height"),
    [("athena", 2, 0.142), ("quadruped", 2, 0.492), ("charmie_wheeled", 1, 0.033)],
)
def test_robots_of_the_package_stand_when_they_are_started(
    name: str, parts: int, height: float
) -> None:
    session = Session(SimulatedSystem.of_world(load_world(name)), SessionSettings())
    robot = session.system.robot
    assert robot is not None and session.parts[0] == parts
    go_on(session, 1.5)
    x, y, z = where(session, robot.name)
    assert (abs(x), abs(y)) < (0.01, 0.01) and z == pytest.approx(height, abs=2e-3)
    assert np.abs(session.velocity).max() < 0.02


def test_a_robot_of_a_world_is_commanded_by_its_own_order_and_the_others_hold() -> None:
    session = session_of(LAWS + ROOM + ARMS, "other", rate=1000.0, limit_efforts=False)
    session.take_efforts([1.0, 0.0, 0.0, 0.0, 0.0])
    told = session.advance(1)
    assert told.measured is not None and told.true is not None
    np.testing.assert_array_equal(told.measured.effort, [1.0, 0.0, 0.0, 0.0, 0.0])
    start = session.position[session.system.others[0].columns.position]
    go_on(session, 0.3)
    held = session.position[session.system.others[0].columns.position]
    np.testing.assert_allclose(held, start, atol=1e-6)
    with pytest.raises(InputError, match=r"expected shape \(5,\)"):
        session.take_efforts(np.zeros(10))


def test_a_robot_that_is_none_is_refused_with_those_that_there_are() -> None:
    world = world_of(LAWS + ROOM + ARMS)
    with pytest.raises(UnknownNameError, match="Valid: arm, other"):
        SimulatedSystem.of_world(world, "ball")
    with pytest.raises(UnknownNameError, match="this world has none"):
        SimulatedSystem.of_world(load_world("bouncing_ball"), "ball")


def test_a_world_without_robots_is_played_and_takes_no_commands() -> None:
    session = Session(SimulatedSystem.of_world(load_world("bouncing_ball")), SessionSettings())
    go_on(session, 0.5)
    assert session.commands is None
    with pytest.raises(InputError, match="no robot"):
        session.take_efforts([])


def test_a_world_moves_as_in_a_run() -> None:
    world = load_world("bouncing_ball")
    session = Session(SimulatedSystem.of_world(world), SessionSettings())
    run = world.simulate(0.5, integrator="rk4", step=1e-3 / session.parts[0])
    go_on(session, 0.5)
    np.testing.assert_array_equal(session.position, run.position[-1])


def test_resets_give_the_same_bits_whatever_came_and_went() -> None:
    session = session_of(LAWS + ROOM + ARMS)
    ends = set()
    for k in range(3):
        go_on(session, 0.3)
        ends.add((session.position.tobytes(), session.velocity.tobytes()))
        if k == 0:
            spawn(session, parse_entity("cube", CUBE, "text"), place(0, 0, 0.4))
            delete(session, "ball")
            go_on(session, 0.1)
        session.reset()
    assert len(ends) == 1


def test_what_stays_moves_on_when_others_come_and_its_contacts_remember() -> None:
    session, alone = session_of(LAWS + ROOM), session_of(LAWS + ROOM)
    for each in (session, alone):
        put_entity(each, "ball", place(0, 0, 0.0501, 0.5, 0, 0, 0, 0, 0))
        go_on(each, 0.2)
    # what is left of it, by another key
    kept = session._plant.stepper.memory.copy().reshape(-1, MEMORY)
    spawn(session, parse_entity("cube", CUBE, "text"), place(1, 1, 0.3))
    new = session._plant.stepper.memory.copy().reshape(-1, MEMORY)
    assert kept[:, KEY].any()
    np.testing.assert_allclose(new[new[:, KEY] > 0, 1:], kept[kept[:, KEY] > 0, 1:])
    for each in (session, alone):
        go_on(each, 0.2)
    np.testing.assert_allclose(where(session, "ball"), where(alone, "ball"), atol=1e-9)
    delete(session, "cube")
    for each in (session, alone):
        go_on(each, 0.2)
    np.testing.assert_allclose(where(session, "ball"), where(alone, "ball"), atol=1e-9)


def test_what_is_refused_leaves_the_world_as_it_was() -> None:
    session = session_of(LAWS + ROOM + ARMS)
    go_on(session, 0.1)
    before = session.position.tobytes(), session.system
    cube = parse_entity("cube", CUBE, "text")
    with pytest.raises(OverlapError, match="'table' and 'cube' overlap"):
        spawn(session, cube, place(2, 0, 0.2))
    with pytest.raises(OverlapError):
        put_entity(session, "ball", place(2, 0, 0.2))
    with pytest.raises(UnsupportedError, match="does not move"):
        put_entity(session, "table", place(3, 0, 0.2, 1, 0, 0, 0, 0, 0))
    with pytest.raises(InputError, match="its topics are published"):
        delete(session, "arm")
    with pytest.raises(ModelFileError, match="'cube'"):
        parse_entity("x", "{shape: cube}", "text")
    assert (session.position.tobytes(), session.system) == before


def test_a_floating_robot_is_spawned_and_put_where_its_base_is_to_be() -> None:
    session = session_of(LAWS + ROOM)
    hexapod = parse_entity("hexapod", "{urdf: athena, mechanisms: athena}", "text")
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    at = EntityPlace(np.array([0.0, 2.0, 0.2]), turned, np.zeros(6))
    spawn(session, hexapod, at)
    moves = entity_motion(session, "hexapod")
    np.testing.assert_allclose(moves.position, at.position, atol=1e-12)
    np.testing.assert_allclose(moves.rotation, turned, atol=1e-12)
    twist = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    put_entity(session, "hexapod", EntityPlace(np.array([1.0, 2.0, 0.5]), turned, twist))
    moves = entity_motion(session, "hexapod")
    np.testing.assert_allclose(moves.velocity, twist[:3], atol=1e-12)
    np.testing.assert_allclose(moves.angular_velocity, twist[3:], atol=1e-12)
    assert session.system.robot is None  # there were no topics of a robot
    session.reset(time=False, state=True, spawned=False)
    np.testing.assert_allclose(where(session, "hexapod"), at.position, atol=1e-12)


def test_an_entity_that_replaces_one_of_the_start_counts_as_added() -> None:
    session = session_of(LAWS + ROOM + ARMS)
    delete(session, "ball")
    spawn(session, parse_entity("ball", CUBE, "text"), place(0, 0, 0.4))
    session.reset(state=False, spawned=True)
    assert "ball" not in session.system.entities


def test_entities_that_overlap_at_the_start_are_refused() -> None:
    text = LAWS + ROOM.replace("pose: [0, 0, 0.05", "pose: [0, 0, 0.04")
    with pytest.raises(InputError, match=r"'ground' and 'ball' overlap at the start by 0\.01 m"):
        session_of(text)


def test_contacts_that_need_far_shorter_steps_are_refused_with_the_step() -> None:
    text = LAWS.replace("1.0e6", "1.0e20") + ROOM
    with pytest.raises(InputError, match=r"needs at most .* s, got 0\.001 s"):
        session_of(text)
