# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random linkages with unknown parameters: identified, they predict efforts of another motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from drawn_recordings import with_rest_pose
from generator import LOOPS, OF_TREES, Plan, described, plans
from hypothesis import assume, event, given, note, settings
from hypothesis.strategies import sampled_from
from identified_robots import other_robot

from charmie_dynamics import Model, OutOfReachError, Payload
from charmie_dynamics.errors import LoopError, UnsupportedError
from charmie_dynamics.model.description.robot import JointFriction, Rotor
from charmie_dynamics.studies import (
    IdentificationSettings,
    Unknowns,
    identify,
    samples_of_motion,
)
from charmie_dynamics.studies.identification.identified_payload import payload_of
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

# friction is set here; springs that become slack make efforts jump
LEFT_OUT = ("friction", "joint friction", "damped spring")
FEATURES = tuple(name for name in OF_TREES if name not in LEFT_OUT)
KINDS = ("revolute", "prismatic", "continuous", "fixed")
TIME = np.arange(0.0, 16.0, 0.02)
SIZES = (0.3, 0.1, 0.03)  # rad or m, tried in turn
EXACT = 1e-6  # of the largest effort
ADVICE = ("redundant actuators in passive_joints", "symmetric about the axis")
Motion = tuple[np.ndarray, np.ndarray, np.ndarray]


def motion_of(closing: ClosedMotions, seed: int, size: float) -> Motion:
    """Return a motion (n, a) of the actuators about the start."""
    rng, count = np.random.default_rng(seed), len(closing.entries)
    position = np.tile(closing.start[closing.entries], (len(TIME), 1))
    velocity, acceleration = np.zeros((2, *position.shape))
    for k in range(1, 7):
        w = 2.0 * np.pi * rng.uniform(0.1, 1.2, count)
        a = size * rng.uniform(0.3, 1.0, count) / np.sqrt(k)
        angle = w * TIME[:, None] + rng.uniform(0.0, 6.3, count)
        position += a * np.sin(angle)
        velocity += a * w * np.cos(angle)
        acceleration -= a * w * w * np.sin(angle)
    return position, velocity, acceleration


def with_passive_friction(model: Model, viscous: float, coulomb: float) -> Model:
    passive = model.mechanisms.passive_joints
    joints = tuple(
        replace(each, friction=JointFriction(viscous, coulomb))
        if each.name in passive and each.type not in ("planar", "floating")
        else replace(each, friction=None)
        for each in model.tree.joints
    )
    return Model(replace(model.tree, joints=joints), model.mechanisms).with_loads(*model.loads)


def true_robot(model: Model, seed: int) -> Model:
    """Return a robot with other inertials, springs, rotors and friction."""
    rng = np.random.default_rng(seed)
    other = other_robot(model, rng, springs=0.2, viscous=0.5, coulomb=0.3)
    rotors = {
        name: Rotor(rotor.inertia * rng.uniform(0.7, 1.4), rotor.gear_ratio)
        for name, rotor in model.mechanisms.rotors.items()
    }
    changed = Model(other.tree, replace(other.mechanisms, rotors=rotors)).with_loads(*model.loads)
    return with_passive_friction(changed, 0.3, 0.2)


# each takes five seconds
@settings(max_examples=1 + settings().max_examples // 5)
@given(plan=plans((*LOOPS, *FEATURES), kinds=KINDS), loop=sampled_from(LOOPS))
def test_identified_linkages_predict_the_efforts_of_another_motion(plan: Plan, loop: str) -> None:
    joints, features, seed = plan
    robot = with_rest_pose(described(Plan(joints[:3], (loop, *features[:2]), seed)))
    note(robot.report())
    try:
        model = with_passive_friction(robot.load(), 0.15, 0.1)
        closing = ClosedMotions(model, "test")
    except UnsupportedError as error:
        assert any(advice in str(error) for advice in ADVICE), error
        event("refused")
        return
    except (OutOfReachError, LoopError):
        assume(False)
    assume(len(closing.entries) > 0)
    true = true_robot(model, seed)
    closing_of_true = ClosedMotions(true, "test")
    for size in SIZES:
        motions = [motion_of(closing, seed + k, size) for k in range(2)]
        try:
            closed = [closing_of_true.of(motion) for motion in motions]
            break
        except (OutOfReachError, LoopError):
            continue
    else:
        assume(False)
    efforts = [true.compute(*motion).actuator_effort for motion in closed]
    assume(all(np.ptp(part, axis=0).min() > 1e-3 for part in efforts))
    data = samples_of_motion(model, TIME, motions[0], efforts[0])
    result = identify(model, [data], IdentificationSettings(period=0.02, effort_cutoff=np.inf))
    columns = result.columns
    # motions of 0.03 rad, as near to singular positions, do not determine all unknowns
    assume(np.isfinite(result.fit.deviation).all())
    other = samples_of_motion(model, TIME, motions[1], efforts[1])
    own = columns.of(other.position, other.velocity, other.acceleration)
    deviation = (result.fit.values - columns.subtracted)[columns.places]
    predicted = other.described + np.einsum("nmc,mc->nm", own, deviation)
    error = abs(predicted - efforts[1]).max(axis=0) / abs(efforts[1]).max()
    assert error.max() < EXACT, (error, columns.names)


@settings(max_examples=1 + settings().max_examples // 5)
@given(plan=plans((*LOOPS, *FEATURES), kinds=KINDS), loop=sampled_from(("", *LOOPS)))
def test_a_payload_is_found_where_the_motion_determines_it(plan: Plan, loop: str) -> None:
    joints, features, seed = plan
    parts = (loop, *features[:2]) if loop else features[:3]
    robot = with_rest_pose(described(Plan(joints[:3], parts, seed)))
    note(robot.report())
    rng = np.random.default_rng(seed)
    try:
        model = robot.load()
        closing = ClosedMotions(model, "test")
        assume(len(closing.entries) > 0)
        motion = motion_of(closing, seed, SIZES[1])
        link = str(rng.choice([joint.child for joint in model.tree.joints]))
        assume(link not in model.loads[0])
        assume(f"{link} m" in model.inertial_parameter_names)
        mass, com = rng.uniform(0.2, 3.0), rng.uniform(-0.2, 0.2, 3)
        payload = Payload(mass, com, 0.01 * mass * np.eye(3))
        true = model.with_loads({**model.loads[0], link: payload}, *model.loads[1:])
        closed = closing.of(motion)
    except (UnsupportedError, OutOfReachError, LoopError):
        assume(False)
    data = samples_of_motion(model, TIME, motion, true.compute(*closed).actuator_effort)
    unknowns = Unknowns(inertials=False, springs=False, rotors=False, payload=link)
    given_settings = IdentificationSettings(unknowns, period=0.02, effort_cutoff=np.inf)
    found = payload_of(identify(model, [data], given_settings))
    assert found is not None
    if not found.mass_half_width < 1e-3 * mass:
        event("not determined")
        return
    event("determined")
    assert abs(found.mass - mass) < 1e-3 * mass
