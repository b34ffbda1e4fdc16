# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Entities of random worlds that are put to named poses: exactly, or refused without a change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from bases import add_floating_base, add_planar_base
from descriptions import Description, arrays
from generator import LOOPS, OF_TREES, Plan, contact_rule, described, plans
from hypothesis import assume, given, note
from hypothesis import strategies as st
from situations import DescribedSituation, assert_close

from charmie_dynamics import CharmieError, Model, simulation
from charmie_dynamics.errors import SimulationError
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

BASES: dict[str, Any] = {
    "planar": add_planar_base,
    "floating": add_floating_base,
    "free": None,
    "fixed": None,
}


def six(rng: np.random.Generator, spread: float = 1.0) -> list[float]:
    return [*rng.uniform(-spread, spread, 3).tolist(), *rng.uniform(-1.4, 1.4, 3).tolist()]


def reached(robot: Description, model: Model, rng: np.random.Generator) -> list[float]:
    """Return a pose of the first link that the joints of its base reach."""
    x = arrays(robot, model)[0].copy()
    names = robot.mechanisms["base_joints"]
    x[[model.position_names.index(name) for name in names]] = rng.uniform(-2.0, 2.0, 3)
    p, R = model.kinematics(x).frame(robot.links[0].name)
    roll, pitch = np.arctan2(R[2, 1], R[2, 2]), np.arcsin(-R[2, 0])
    return [*p.tolist(), float(roll), float(pitch), float(np.arctan2(R[1, 0], R[0, 0]))]


@contextmanager
def drawn_world(plan: Plan, base: str, rng: np.random.Generator) -> Iterator[Any]:
    """Yield a world of a robot, a body that moves and one that does not, and its named poses."""
    robot = described(plan).copy()
    if BASES[base] is not None:
        BASES[base](robot, rng)
    s = DescribedSituation(robot)
    note(robot.report())
    start = dict(zip(s.model.position_names, s.x.tolist(), strict=True))
    poses = {"reached": {"pose": reached(robot, s.model, rng)}} if base == "planar" else {}
    poses.update({f"pose_{k}": {"pose": six(rng)} for k in range(2)})
    box = {"shape": "box", "size": [0.3, 0.2, 0.1]}
    apart = [[9.0 * k + float(x) for x in rng.uniform(-1.0, 1.0, 3)] for k in (1, 2)]
    with robot.files() as files:
        moves = {"moves": "free" if base == "free" else "fixed"}
        entities = {
            "robot": {**files, **moves, "position": start},
            "ball": {"shape": "sphere", "size": [0.1], "mass": 1.0, "pose": [*apart[0], 0, 0, 0]},
            "box": {**box, "moves": "fixed", "pose": [*apart[1], 0, 0, 1]},
        }
        rule = {"default": contact_rule("hunt_crossley", "threlfall")}
        text = json.dumps({"contacts": rule, "entities": entities, "named_poses": poses})
        note(text)
        yield simulation.world_of(text)


def numbers(session: Session) -> list[np.ndarray]:
    return [session.position.copy(), session.velocity.copy()]


@given(
    plan=plans((*LOOPS, *OF_TREES)),
    base=st.sampled_from(tuple(BASES)),
    moves=st.lists(
        st.tuples(
            st.sampled_from(["robot", "robot", "ball", "box", "new"]),
            st.integers(0, 2),
            st.sampled_from(["still", "moving"]),
        ),
        min_size=1,
        max_size=4,
    ),
    seed=st.integers(0, 999),
)
def test_entities_are_exactly_at_named_poses_or_nothing_changes(
    plan: Plan, base: str, moves: list[tuple[str, int, str]], seed: int
) -> None:
    rng = np.random.default_rng([seed, 7])
    plan = Plan(plan.joints[:3], plan.features[:2], plan.seed)
    with drawn_world(plan, base, rng) as world:
        put_about(world, base, moves, rng)


def put_about(
    world: Any, base: str, moves: list[tuple[str, int, str]], rng: np.random.Generator
) -> None:
    """Put entities to named poses one after the other, then return to the start."""
    session = Session(SimulatedSystem.of_world(world), SessionSettings(rate=1000.0, idle="free"))
    first = numbers(session)
    try:
        session.advance(5)
    except SimulationError:
        assume(False)
    poses = world.description.named_poses
    for entity, number, how in moves:
        named = poses[number % len(poses)].pose
        twist = rng.uniform(-1.0, 1.0, 6) if how == "moving" else np.zeros(6)
        place = EntityPlace(named.p_world_body, named.R_world_body, twist)
        before, system, frames = numbers(session), session.system, frames_of(session)
        try:
            if entity == "new":
                ball = replace(world.entities["ball"], name="new", twist=twist)
                spawn(session, ball, place)
            else:
                put_entity(session, entity, place)
        except CharmieError as error:
            note(str(error))
            assert session.system is system
            for now, old in zip(numbers(session), before, strict=True):
                np.testing.assert_array_equal(now, old)
            # single bodies and robots whose root is free can be anywhere
            anywhere = entity != "robot" or base in ("floating", "free")
            named_reached = poses[number % len(poses)].name == "reached" and how == "still"
            can = anywhere and not (entity == "box" and how == "moving")
            assert not (can or named_reached) or "overlap" in str(error)
            continue
        motion = entity_motion(session, entity)
        assert_close(motion.position, named.p_world_body, 1e-8)
        assert_close(motion.rotation, named.R_world_body, 1e-8)
        assert_close(np.array([motion.velocity, motion.angular_velocity]).ravel(), twist, 1e-7)
        for name, (p, R) in frames_of(session).items():
            if name not in ("new", entity):
                assert_close(p, frames[name][0], 1e-8)
                assert_close(R, frames[name][1], 1e-8)
        if entity == "new":
            delete(session, "new")
            for now, old in zip(numbers(session), before, strict=True):
                assert_close(now, old, 1e-12)
    session.reset()
    for now, old in zip(numbers(session), first, strict=True):
        np.testing.assert_array_equal(now, old)


def frames_of(session: Session) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the poses of all entities."""
    motions = {name: entity_motion(session, name) for name in session.system.entity_names}
    return {name: (motion.position, motion.rotation) for name, motion in motions.items()}
