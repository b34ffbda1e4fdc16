# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What holds for every robot in every state, without a second program.

Each function takes a `Situation` and asserts one invariant, or returns where it does not apply.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import pickle
from typing import Any

import numpy as np
import pytest
from descriptions import NUMBERS, RADIUS
from differences import first_derivative
from generator import VARYING, contact_rule
from hypothesis import note
from situations import ACCURACY, STEP, DescribedSituation, Situation, assert_close

from charmie_dynamics import Model, OutOfReachError, Wrench, simulation
from charmie_dynamics.core.contact.force_distribution import Cones, base_balance, project
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import LoopError, SimulationError, UnsupportedError
from charmie_dynamics.model.contact_forces import ContactForces, ContactPoint
from charmie_dynamics.model.equations.file_parameters import file_parameters
from charmie_dynamics.model.variation import varied
from charmie_dynamics.simulation.session.joint_targets import robot_gains
from charmie_dynamics.simulation.session.session import ENERGY_TOLERANCE, Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedRobot, SimulatedSystem

ILL_CONDITIONED = 1e7
MOST_EVALUATIONS = 20000
TERMS = (
    "mass_matrix",
    "coriolis_matrix",
    *(f"{name}_effort" for name in ("gravity", "spring", "external", "friction")),
)


def _condition(s: Situation) -> float:
    return float(np.linalg.cond(s.model.equations(s.x).mass_matrix)) if len(s.v) else 1.0


def _can_accelerate(s: Situation) -> bool:
    """Tell whether no coordinate has too little inertia of its own, whatever its unit."""
    M = s.model.equations(s.x).mass_matrix
    if not len(M) or np.diag(M).min() <= 0.0:
        return not len(M)
    scale = np.sqrt(np.diag(M))
    return bool(np.linalg.cond(M / np.outer(scale, scale)) < ILL_CONDITIONED)


def forward_returns_the_accelerations_of_compute(s: Situation) -> None:
    if not set(np.flatnonzero(s.kept)) <= set(s.model.actuator_index.tolist()):
        return
    condition = _condition(s)
    if condition < ILL_CONDITIONED:
        found = s.model.forward(s.x, s.v, s.state.actuator_effort).acceleration
        assert_close(found, s.a, 1e-10 + 1e-13 * condition)


def compute_returns_the_efforts_of_forward(s: Situation) -> None:
    if _can_accelerate(s):
        a = s.model.forward(s.x, s.v, s.effort).acceleration
        state = s.model.compute(s.x, s.v, a)
        expected = np.zeros(len(s.v))
        expected[s.model.actuator_index] = s.effort
        assert_close(s.efforts(state), expected, 1e-9 * max(1.0, float(np.abs(a).max(initial=0.0))))


def passive_joints_bear_no_effort(s: Situation) -> None:
    efforts = s.efforts(s.state)
    assert_close(
        efforts[~s.kept], np.zeros((~s.kept).sum()), 1e-8 * (1.0 + np.abs(efforts).max(initial=0.0))
    )


def power_of_efforts_is_the_rate_of_energy(s: Situation) -> None:
    """Dampers and loads from outside take and give the rest."""
    if not s.is_smooth:
        return
    power = s.efforts(s.state) @ s.v
    for link, wrench in s.model.loads[1].items():
        motion = s.state.motion(link)
        power += motion.velocity @ motion.rotation @ wrench.force
        power += motion.angular_velocity @ motion.rotation @ wrench.torque
    for spring in s.model.mechanisms.springs:
        if spring.damping and s.state.spring_tension[spring.name] != 0.0:
            name = spring.name
            lengths = s.rate(lambda x, v, name=name: s.model.compute(x).spring_length[name])
            power -= spring.damping * lengths**2
    power -= s.model.equations(s.x, s.v).friction_effort @ s.v[s.kept]
    for spring in s.model.mechanisms.joint_springs:
        power -= spring.damping * s.speeds[spring.joint] ** 2
    gain = s.rate(lambda x, v: s.model.energy(x, v).total)
    assert_close(power, gain, 1e-8)


def momentum_of_a_free_robot_is_conserved(s: DescribedSituation) -> None:
    """Of all links as they move: force and moment about the origin are those of gravity."""
    root = s.robot.links[0].name
    base = [joint for joint in s.robot.joints if joint.parent == root]
    springs = [*s.robot.mechanisms.get("springs", {}).values()]
    held = any(root in (each["base_body"], each["tip_body"]) for each in springs)
    if len(base) != 1 or base[0].kind != "floating" or held or s.has_loops or s.robot.wrenches:
        return
    if root in str(s.robot.mechanisms.get("balance_mechanisms", "")):
        return
    if _condition(s) > ILL_CONDITIONED:
        return
    a = s.model.forward(s.x, s.v, s.effort).acceleration
    state = s.model.compute(s.x, s.v, a)
    gravity = np.array(s.model.mechanisms.gravity)
    force, moment, size = np.zeros(3), np.zeros(3), 1.0
    tree = s.model.flat.tree
    for k, name in enumerate(s.model.flat.body_names[1:], 1):
        m = state.motion(name, tree.p_body_com[k])
        inertia = m.rotation @ tree.inertia[k] @ m.rotation.T
        w = m.angular_velocity
        own = tree.mass[k] * (m.acceleration - gravity)
        force += own
        moment += np.cross(m.position, own)
        moment += inertia @ m.angular_acceleration + np.cross(w, inertia @ w)
        size += float(np.abs(own).sum())
    assert_close(np.array([force, moment]) / size, np.zeros((2, 3)), 1e-9)


def derivatives_equal_differences(s: Situation) -> None:
    if not s.is_smooth or (s.has_loops and not s.is_regular):
        return
    found, kept = s.model.derivatives(s.x, s.v, s.a), s.kept

    def efforts(x: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        motion = s.model.assemble(x, v, a) if s.has_loops else (x, v, a)
        return s.efforts(s.model.compute(*motion))[kept]

    units = np.eye(len(s.v))[kept]
    # efforts bend more near singular positions and dead centres
    step = 0.1 * STEP if s.has_loops or s.model.mechanisms.linear_actuators else STEP
    by_position = [
        first_derivative(lambda t, e=e: efforts(s.moved(e, t), s.v, s.a), 0.0, step) for e in units
    ]
    by_velocity = [
        first_derivative(lambda t, e=e: efforts(s.x, s.v + t * e, s.a), 0.0, 1e-2) for e in units
    ]
    rest = efforts(s.x, s.v, s.a)
    by_acceleration = [efforts(s.x, s.v, s.a + e) - rest for e in units]
    loose = 100.0 if s.has_loops else 1.0  # round-off of closed loops
    assert_close(found.effort_by_position, columns_of(by_position), 1e-7 * loose)
    assert_close(found.effort_by_velocity, columns_of(by_velocity), 1e-8 * loose)
    assert_close(found.effort_by_acceleration, columns_of(by_acceleration), ACCURACY * loose)


def columns_of(columns: list[np.ndarray]) -> np.ndarray:
    """Return arrays (k,) as the columns of a matrix (k, k)."""
    return np.array(columns).reshape(len(columns), -1).T if columns else np.zeros((0, 0))


def derivatives_of_forward_equal_differences(s: Situation) -> None:
    condition = _condition(s)
    if not s.is_smooth or condition > 1e4:
        return
    found, kept = s.model.forward_derivatives(s.x, s.v, s.effort), s.kept

    def forward(x: np.ndarray, v: np.ndarray, effort: np.ndarray) -> np.ndarray:
        v = s.model.assemble(x, v)[1] if s.has_loops else v
        return s.model.forward(x, v, effort).acceleration[kept].copy()

    units = np.eye(len(s.v))[kept]
    by_position = [
        first_derivative(lambda t, e=e: forward(s.moved(e, t), s.v, s.effort), 0.0, 0.1 * STEP)
        for e in units
    ]
    loose = 100.0 if s.has_loops else 1.0  # round-off of closed loops
    accuracy = loose * (1e-9 * condition + 1e-6)
    assert_close(found.acceleration_by_position, columns_of(by_position), accuracy)
    by_velocity = [
        first_derivative(lambda t, e=e: forward(s.x, s.v + t * e, s.effort), 0.0, 1e-2)
        for e in units
    ]
    accuracy = loose * (1e-10 * condition + 1e-8)
    assert_close(found.acceleration_by_velocity, columns_of(by_velocity), accuracy)
    rest = forward(s.x, s.v, s.effort)
    by_effort = [forward(s.x, s.v, s.effort + e) - rest for e in np.eye(len(s.effort))]
    index = s.model.actuator_index
    columns = found.acceleration_by_effort[:, np.cumsum(kept)[index] - 1]
    expected = np.array(by_effort).reshape(len(s.effort), len(units)).T
    assert_close(columns, expected, loose * (1e-11 * condition + 1e-10))


def derivatives_of_forward_undo_those_of_compute(s: Situation) -> None:
    if not _can_accelerate(s):
        return
    effort = s.model.compute(s.x, s.v, s.a).actuator_effort
    a = s.model.forward(s.x, s.v, effort).acceleration.copy()
    forward, inverse = (
        s.model.forward_derivatives(s.x, s.v, effort),
        s.model.derivatives(s.x, s.v, a),
    )
    M = inverse.effort_by_acceleration
    scale = 1.0 / np.sqrt(np.diag(M))[:, None]
    for name in ("position", "velocity"):
        found = M @ getattr(forward, f"acceleration_by_{name}")
        assert_close(scale * found, -scale * getattr(inverse, f"effort_by_{name}"))
    assert_close(
        scale * M @ forward.acceleration_by_effort * scale.T, scale * np.eye(len(M)) * scale.T
    )


def derivatives_by_parameters_equal_differences(s: Situation) -> None:
    if not s.is_smooth:
        return
    found = s.model.derivatives(s.x, s.v, s.a, parameters=s.numbers).effort_by_parameter
    for column, name in zip(found.T, s.numbers, strict=True):
        number = file_parameters(s.model.robot)[name]

        def effort_at(value: float, number=number) -> np.ndarray:
            changed = Model(*number.changed(value)).with_loads(*s.model.loads)
            motion = changed.assemble(s.x, s.v, s.a) if s.has_loops else (s.x, s.v, s.a)
            return s.efforts(changed.compute(*motion))[s.kept]

        expected = first_derivative(effort_at, number.value, 1e-4)
        assert_close(column, expected, 1e-5 if s.has_loops else 1e-7)


def terms_of_the_equations_are_the_efforts(s: Situation) -> None:
    e = s.model.equations(s.x, s.v)
    kept = s.kept
    found = e.mass_matrix @ s.a[kept] + e.coriolis_matrix @ s.v[kept]
    found = found + e.gravity_effort + e.spring_effort + e.external_effort + e.friction_effort
    assert_close(found, s.efforts(s.state)[kept], 1e-9)


def rate_of_the_mass_matrix_less_twice_coriolis_is_skew(s: Situation) -> None:
    e = s.model.equations(s.x, s.v)
    rate = s.rate(lambda x, v: s.model.equations(x).mass_matrix.copy())
    S = rate - 2.0 * e.coriolis_matrix
    size = 1.0 + np.abs(rate).max(initial=0.0) + np.abs(e.coriolis_matrix).max(initial=0.0)
    assert_close((S + S.T) / size, np.zeros_like(S), 1e-8)


def mass_and_coriolis_matrices_have_their_symmetries(s: Situation) -> None:
    """In coordinates the Coriolis matrix is bilinear in two velocities, which determines it."""
    other = np.random.default_rng(4).uniform(-1.0, 1.0, len(s.v))
    if s.has_loops:
        other = s.model.assemble(s.x, other).velocity
    e, of_other, at_rest = (s.model.equations(s.x, v) for v in (s.v, other, 0.0 * other))
    assert_close(e.mass_matrix, e.mass_matrix.T, 1e-12 if s.has_loops else 0.0)
    assert np.linalg.eigvalsh(e.mass_matrix).min(initial=0.0) >= -1e-12 * np.trace(e.mass_matrix)
    for name in ("mass_matrix", "gravity_effort"):
        np.testing.assert_array_equal(getattr(at_rest, name), getattr(e, name))
    assert not at_rest.coriolis_matrix.any()
    if len(s.x) == len(s.v):
        assert_close(e.coriolis_matrix @ other[s.kept], of_other.coriolis_matrix @ s.v[s.kept])
    kinetic = s.model.energy(s.x, s.v).kinetic
    assert_close(kinetic, 0.5 * s.v[s.kept] @ e.mass_matrix @ s.v[s.kept])


def contributions_sum_to_the_equations(s: Situation) -> None:
    contributions, e = s.model.contributions(s.x, s.v), s.model.equations(s.x, s.v)
    assert_close(contributions.inertia.sum(axis=0), e.mass_matrix)
    assert_close(contributions.gravity_effort.sum(axis=0), e.gravity_effort)
    assert_close(contributions.spring_effort, e.spring_effort)
    assert_close(contributions.friction_effort, e.friction_effort)
    of_velocity = (contributions.centrifugal_effort + contributions.coriolis_effort).sum(axis=0)
    # efforts of both idle and other velocities count as external
    external = contributions.external_effort.sum(axis=0)
    assert_close(of_velocity + external, e.coriolis_matrix @ s.v[s.kept] + e.external_effort)


def regressor_times_parameters_is_the_effort_without_springs(s: Situation) -> None:
    e = s.model.equations(s.x, s.v)
    found = s.model.regressor(s.x, s.v, s.a) @ s.model.inertial_parameters
    found = found + s.model.rotor_effort(s.x, s.v, s.a)
    expected = s.efforts(s.state)[s.kept] - e.spring_effort - e.external_effort
    expected = expected - e.friction_effort
    assert_close(found, expected, 1e-9)


def jacobian_is_the_motion_of_a_point(s: Situation) -> None:
    point = (0.1, -0.2, 0.3)
    names = s.model.frame_names
    for name in (*names[:4], *names[4 :: 1 + len(names) // 16], names[-1]):
        motion = s.state.motion(name, point)
        twist = s.model.jacobian(s.x, name, point) @ s.v
        assert_close(twist, np.concatenate((motion.velocity, motion.angular_velocity)))


def motion_of_a_point_is_the_rate_of_its_place(s: Situation) -> None:
    name, point = s.model.frame_names[-1], np.array([0.1, -0.2, 0.3])
    motion = s.state.motion(name, point)

    def place(x: np.ndarray, v: np.ndarray) -> np.ndarray:
        p, R = s.model.compute(x).frame(name)
        return p + R @ point

    assert_close(motion.velocity, s.rate(place), 1e-8)
    velocity = s.rate(lambda x, v: s.compute(x, v).motion(name, point).velocity.copy())
    assert_close(motion.acceleration, velocity, 1e-8)


def inverse_kinematics_returns_to_a_pose(s: Situation) -> None:
    """From a position nearby, on the same branch of loops; all frames that move between the two."""
    m = s.model
    entries = m.flat.freedoms.position_entry[m.actuator_index]
    limits = np.array([(limit.lower, limit.upper) for limit in m.actuator_limits()]).reshape(-1, 2)
    rng = np.random.default_rng(4)
    away = rng.uniform(-0.01, 0.01, len(entries))
    if s.has_loops and len(away):  # where others stay, the way back is open
        away[np.arange(len(away)) != rng.integers(len(away))] = 0.0
    start = s.x
    for _ in range(10):
        x = start.copy()
        x[entries] = np.clip(x[entries] + away, *limits.T)
        try:
            x = m.assemble(x).position
            m.kinematics(x)
        except OutOfReachError:
            break
        if abs(x - start).max(initial=0.0) > 0.1:
            break
        start = x
    before, after = m.kinematics(start), m.kinematics(s.x)
    for frame in m.frame_names:
        (p, R), (p_before, R_before) = after.frame(frame), before.frame(frame)
        if max(abs(p - p_before).max(), abs(R - R_before).max()) < 1e-6:
            continue
        found = m.inverse_kinematics(frame, p, R, start=start)
        p_found, R_found = m.kinematics(found.position).frame(frame)
        assert_close(p_found, p, 2e-9)
        assert_close(R_found, R, 2e-9)
        own = found.position[entries]
        assert ((own >= limits[:, 0]) & (own <= limits[:, 1])).all()


def contact_forces_do_what_cones_allow(s: DescribedSituation) -> None:
    """At drawn points of what a floating joint carries, some without friction or contact."""
    base = next((joint for joint in s.robot.joints if joint.kind == "floating"), None)
    if base is None or not s.is_regular:
        return
    robot = s.robot.copy()
    robot.mechanisms["base_body"] = base.child
    model = robot.load()
    carried = [base.child]
    for joint in s.robot.joints:  # the parents first
        carried += [joint.child] if joint.parent in carried else []
    rng = np.random.default_rng(list(s.robot.urdf().encode()))
    count = 1 + int(rng.integers(5))
    friction = rng.choice([0.0, 0.3, 0.8], count)
    normal = rng.normal(size=(count, 3)) * 0.3 + (0.0, 0.0, 1.0)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    points = [
        ContactPoint(str(rng.choice(carried)), mu, rng.uniform(-0.2, 0.2, 3), 0.05, n, str(i))
        for i, (mu, n) in enumerate(zip(friction.tolist(), normal, strict=True))
    ]
    share = rng.choice([0.0, 1.0, 2.0], count)
    try:
        found = ContactForces(model, points).at(s.x, s.v, s.a, share=share)
    except (UnsupportedError, LoopError):  # the base or a free passive joint in a loop
        assert s.has_loops
        return
    wrenches = dict(s.robot.wrenches)
    for point, where, force in zip(points, found.point, found.force, strict=True):
        p, R = s.state.frame(point.link)
        own = wrenches.get(point.link, Wrench())
        torque = np.add(own.torque, R.T @ np.cross(where - p, force))
        wrenches[point.link] = Wrench(np.add(own.force, R.T @ force), torque)
    pushed = model.with_loads(s.robot.payloads, wrenches).compute(s.x, s.v, s.a)
    assert_close(found.effort, pushed.actuator_effort, 1e-8)
    assert not found.force[share == 0.0].any()
    rows = [model.velocity_names.index(f"{base.name}{each}") for each in NUMBERS["floating"][1]]
    needed = s.efforts(model.compute(s.x, s.v, s.a))[rows]
    load = float(np.linalg.norm(needed))
    along = np.einsum("ki,ki->k", found.force, normal)
    across = np.linalg.norm(found.force - along[:, None] * normal, axis=1)
    assert (across <= friction * along + 1e-9 * load).all()
    p, R = s.state.frame(base.child)
    assert_close(R @ needed[:3] - found.force.sum(axis=0), found.missing_force)
    torque = np.cross(found.point - p, found.force).sum(axis=0)
    assert_close(R @ needed[3:] - torque, found.missing_torque)
    # no other force within the cones leaves less of the load, as `base_balance` weighs it
    matrix, whole = base_balance(found.point[None], share[None], (p, R), needed[None])
    missing = whole[0] - np.einsum("mki,ki->m", matrix[0], found.force)
    gain = np.einsum("mki,m->ki", matrix[0], missing) * (share > 0.0)[:, None]
    better = project(gain[None], Cones(normal[None], friction[None]))[0]
    assert np.linalg.norm(better) <= 1e-5 * load
    assert abs(np.sum(gain * found.force)) <= 1e-5 * load**2


def batches_equal_single_calls_bit_for_bit(s: Situation) -> None:
    m, scale = s.model, np.array([[1.0], [0.5], [-0.7]])
    x, v, a = np.tile(s.x, (3, 1)), scale * s.v, scale * s.a
    if s.has_loops:
        v, a = np.tile(s.v, (3, 1)), np.tile(s.a, (3, 1))
    effort, by = scale * s.effort, ("position", "velocity", "acceleration", "parameter")
    calls: list[tuple[str, tuple[np.ndarray, ...], tuple[str, ...], dict[str, list[str]]]] = [
        ("compute", (x, v, a), ("joint_position", "joint_acceleration"), {}),
        ("energy", (x, v), ("kinetic", "gravitational", "elastic"), {}),
        ("equations", (x, v), TERMS, {}),
    ]
    if _can_accelerate(s):
        calls.append(("forward", (x, v, effort), ("acceleration", "actuator_effort"), {}))
    numbers = {"parameters": s.numbers}
    names = tuple(f"effort_by_{name}" for name in by)
    calls.append(("derivatives", (x, v, a), names, numbers))
    if _can_accelerate(s):
        names = tuple(f"acceleration_by_{name}" for name in ("position", "velocity", "parameter"))
        calls.append(("forward_derivatives", (x, v, effort), names, numbers))
    for method, inputs, results, options in calls:
        batch = getattr(m, method)(*inputs, **options)
        for n in range(3):
            single = getattr(m, method)(*(array[n] for array in inputs), **options)
            for name in results:
                found, expected = getattr(batch, name)[n], getattr(single, name)
                np.testing.assert_array_equal(found, expected, err_msg=f"{method}, {name}")
            if method == "compute":
                for of in ("kinematics", "dynamics"):
                    pairs = zip(getattr(batch, of), getattr(single, of), strict=True)
                    assert all(np.array_equal(found[n], expected) for found, expected in pairs)
    frame, regressors = m.frame_names[-1], m.regressor(x, v, a)
    jacobians = m.jacobian(x, frame, (0.1, 0.2, -0.3))
    for n in range(3):
        np.testing.assert_array_equal(regressors[n], m.regressor(x[n], v[n], a[n]))
        np.testing.assert_array_equal(jacobians[n], m.jacobian(x[n], frame, (0.1, 0.2, -0.3)))


def copies_give_equal_results(s: Situation) -> None:
    for model in (copy.deepcopy(s.model), pickle.loads(pickle.dumps(s.model))):
        state = model.compute(s.x, s.v, s.a)
        np.testing.assert_array_equal(state.actuator_effort, s.state.actuator_effort)
        expected = s.model.equations(s.x, s.v).mass_matrix
        np.testing.assert_array_equal(model.equations(s.x, s.v).mass_matrix, expected)


# step and accuracy of the balance of energies
INTEGRATORS = {
    "adaptive": (None, 1e-5),
    "rk4": (1e-3, 1e-6),
    "semi_implicit_euler": (2e-5, 5e-3),
    "rosenbrock": (5e-4, 1e-3),
}


def energy_of_simulations_is_balanced(s: Situation) -> None:
    if not s.is_smooth or _condition(s) > 1e4:
        return
    for integrator, (step, accuracy) in INTEGRATORS.items():
        given = 0.3 * s.effort, integrator, step
        run = simulation.simulate(s.model, s.x, 0.3 * s.v, 0.02, *given, energy_tolerance=1.0)
        size = 1.0 + float(np.abs(np.diff(run.energy.stored)).sum())
        loose = 10.0 if s.has_loops else 1.0  # fast passive joints near singular positions
        assert float(np.abs(run.energy.error).max()) < loose * accuracy * size


def energy_of_robots_on_the_ground_is_balanced(s: DescribedSituation) -> None:
    """All shapes are at least 4 mm above a plane; loads of the robot are left out.

    Links that are apart can touch each other. The numbers of the robot choose laws and integrator.
    An integrator of variable step may reject discontinuous friction. Fixed steps are of first order
    there, and impacts of polyhedra need shorter ones (docs/contact.md).
    """
    if not s.is_smooth or _condition(s) > 1e4:
        return
    world, rng = _on_the_ground(s, 0.0)

    def error(integrator: str, step: float | None) -> float:
        note(f"{integrator} {step}")
        run = simulation.simulate(
            world.model, world.position, s.v, 0.03, None, integrator, step,
            contacts=world.contacts, energy_tolerance=1.0, most_evaluations=MOST_EVALUATIONS,
        )  # fmt: skip
        # tolerances are relative: 3e-6 of the kinetic energy, too
        moved = np.abs(np.diff(run.energy.stored)).sum() + 0.01 * run.energy.kinetic.max()
        return float(np.abs(run.energy.error).max() / (1.0 + moved))

    try:
        assert error(str(rng.choice(["adaptive", *VARYING])), None) < 3e-4
    except SimulationError as rejected:
        assert any(why in str(rejected) for why in ("evaluations", "cannot continue"))
    assert any(error("rk4", 2e-4 / 2**halvings) < 1e-3 for halvings in range(6))


def ground_that_is_moved_is_ground_there(s: DescribedSituation) -> None:
    """A plane at its pose in the world, and one that a batch moves to that pose."""
    if not s.is_smooth or _condition(s) > 1e4:
        return
    there, _ = _on_the_ground(s, 0.0)
    apart, _ = _on_the_ground(s, -0.7)
    pose = there.entities["ground"].pose.numbers[None]
    options = {"integrator": "rk4", "step": 2e-4, "energy_tolerance": 1.0}
    ends = []
    for world, poses in ((there, {}), (apart, {"ground": pose})):
        batch = simulation.PlantBatch(
            world.model, world.position, s.v, count=1, contacts=world.contacts, poses=poses,
            **options,
        )  # fmt: skip
        batch.advance(np.zeros((1, len(world.model.actuator_names))), 50)
        ends.append((batch.position[0], batch.velocity[0]))
    for first, second in zip(*ends, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-9)


def drives_are_laws_of_effort(s: Situation) -> None:
    """Drives in the kernel, and the same law called from Python at each stage."""
    names = s.model.actuator_names
    if not names or not s.is_smooth or _condition(s) > 1e4:
        return
    at = [s.model.position_names.index(name) for name in names]
    moves = s.model.actuator_index
    stiffness, damping = np.full(len(names), 3.0), np.full(len(names), 0.5)
    q, rate, change = s.x[at] + 0.02, 0.1 * s.v[moves], np.full(len(names), 0.3)

    def law(t: float, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        target = q + t * (rate + 0.5 * t * change)
        return effort + stiffness * (target - x[at]) + damping * (rate + t * change - v[moves])

    effort, start = 0.3 * s.effort, (s.x, 0.3 * s.v)
    for integrator, step in (("rk4", 2e-4), ("semi_implicit_euler", 2e-5)):
        drives = simulation.JointDrives(stiffness, damping)
        plant = simulation.Plant(
            s.model, *start, integrator=integrator, step=step, joint_drives=drives
        )
        plant.advance(effort, 20, q, rate, change)
        run = simulation.simulate(
            s.model, *start, 20 * step, law, integrator, step, energy_tolerance=1.0
        )
        assert_close(plant.position, run.position[-1], 1e-11)
        assert_close(plant.velocity, run.velocity[-1], 1e-9)
        assert_close(plant.energy.work, run.energy.work[-1], 1e-9)


def plants_of_a_batch_are_robots_alone(s: DescribedSituation) -> None:
    """A plant with other parameters, loads and contact friction, on the ground or without shapes.

    Bit for bit, and again after a reset.
    """
    if not s.is_smooth or _condition(s) > 1e4:
        return
    world, rng = _on_the_ground(s, 0.0)
    factor = float(rng.uniform(0.5, 1.5))
    rough, _ = _on_the_ground(s, 0.0, factor)
    has_shapes = bool(rng.integers(4))
    note(f"friction times {factor}, shapes: {has_shapes}")
    scenes = (world.contacts, rough.contacts) if has_shapes else (None, None)
    model = world.model
    other = varied(
        model, lambda: float(rng.uniform(0.8, 1.2)), lambda: float(rng.uniform(0.8, 1.2)),
        lambda: float(rng.uniform(0.0, 0.2)),
    )  # fmt: skip
    options: dict[str, Any] = {"step": 2e-4, "energy_tolerance": 1.0}
    options["integrator"] = str(rng.choice(["rk4", "semi_implicit_euler"]))
    effort = rng.uniform(-1.0, 1.0, len(model.actuator_names))
    start = world.position, s.v
    alone = [
        simulation.Plant(each, *start, contacts=scene, **options)
        for each, scene in zip((model, other), scenes, strict=True)
    ]
    batch = simulation.PlantBatch(model, *start, count=2, contacts=scenes[0], **options)
    batch.carry(1, other)
    batch.scale_friction(1, factor)
    for _ in range(2):
        with contextlib.suppress(SimulationError):
            batch.advance([effort] * 2, 50)
        for k, plant in enumerate(alone):
            plant.reset(*start)
            try:
                plant.advance(effort, 50)
            except SimulationError:
                assert k in batch.failures
                continue
            assert k not in batch.failures
            np.testing.assert_array_equal(batch.position[k], plant.position)
            np.testing.assert_array_equal(batch.velocity[k], plant.velocity)
        batch.reset(*start)


def joint_commands_of_a_session_are_drives_of_a_plant(s: Situation) -> None:
    """Targets that move at constant velocity within the ranges, and efforts."""
    names, model = s.model.actuator_names, s.model
    if not names or not s.is_smooth or _condition(s) > 1e4:
        return
    robot = SimulatedRobot.of(model.name, model, model, "")
    system = SimulatedSystem(model, (s.x, 0.3 * s.v), robot)
    step = 1e-2 if model.has_friction else 1e-3  # divided where the friction is stiff
    settings = SessionSettings(step=step, rate=1.0 / step)
    session = Session(system, settings)
    rate, effort = 0.1 * s.v[model.actuator_index], 0.3 * s.effort
    lower, upper = np.array([(each.lower, each.upper) for each in model.actuator_limits()]).T
    target = s.x[robot.columns.position]
    gains = robot_gains(system, robot, settings.step)
    if not np.any(gains):  # suspensions alone have no drives
        return
    drives = simulation.JointDrives(*gains)
    plant = simulation.Plant(
        model, session.position, session.velocity, step=settings.step / session.parts[0],
        effort_limits=True, joint_stops=True, joint_drives=drives,
        energy_tolerance=ENERGY_TOLERANCE,
    )  # fmt: skip
    for part in (slice(0, None, 2), slice(1, None, 2)):  # messages of two senders
        if names[part]:
            session.take_targets(names[part], target[part], rate[part], effort[part])
    for k in range(10):
        moved = target + k * settings.step * rate
        position = np.clip(moved, lower, upper)
        try:
            held = np.where(position == moved, rate, 0.0)
            plant.advance(effort, session.parts[0], position, held)
        except SimulationError:
            with pytest.raises(SimulationError):
                session.advance(1)
            return
        session.advance(1)
        assert_close(session.position, plant.position, 1e-12)
        assert_close(session.velocity, plant.velocity, 1e-10)


def _on_the_ground(
    s: DescribedSituation, height: float, friction: float = 1.0
) -> tuple[Any, np.random.Generator]:
    """Return a world with a plane, by a height above the place under the robot.

    The coefficients of friction are multiplied.
    """
    links = [link for link in s.robot.links if link.mass]
    places = {link.name: s.state.frame(link.name)[0] for link in links}
    lowest = min(float(place[2]) for place in places.values())
    plane = {"shape": "plane", "pose": [0, 0, lowest - RADIUS - 0.004 + height, 0, 0, 0]}
    pairs = [
        [one.name, other.name]
        for one, other in itertools.combinations(links, 2)
        if np.linalg.norm(places[one.name] - places[other.name]) > 2.0 * RADIUS + 1e-3
        and {"cylinder", "mesh"} != {one.shape, other.shape}  # refused
    ]
    start = dict(zip(s.model.position_names, s.x.tolist(), strict=True))
    rng = np.random.default_rng(list(s.robot.urdf().encode()))
    rule = contact_rule(str(rng.choice([*NORMAL_LAWS])), str(rng.choice([*FRICTION_LAWS])))
    for name in {"static", "kinetic"} & set(rule):
        rule[name] = float(rule[name]) * friction
    note(str(rule))
    with s.robot.files() as files:
        robot = {**files, "position": start, "self": pairs or False}
        entities = {"ground": plane, "robot": robot}
        content = {"contacts": {"default": rule}, "entities": entities}
        return simulation.world_of(json.dumps(content)), rng


def paused_simulations_equal_continuous_ones(s: Situation) -> None:
    if _condition(s) > 1e4 or not s.is_smooth:
        return
    for integrator, step in (
        ("rk4", 2**-10),
        ("semi_implicit_euler", 2**-13),
        ("rosenbrock", 2**-10),
    ):
        given = 0.3 * s.effort, integrator, step
        whole, first = (
            simulation.simulate(s.model, s.x, 0.3 * s.v, count * step, *given, energy_tolerance=1.0)
            for count in (16, 8)
        )
        start = first.position[-1], first.velocity[-1]
        second = simulation.simulate(s.model, *start, 8 * step, *given, energy_tolerance=1.0)
        np.testing.assert_allclose(second.position[-1], whole.position[-1], rtol=0, atol=1e-13)
        np.testing.assert_allclose(second.velocity[-1], whole.velocity[-1], rtol=0, atol=1e-12)


OF_MODELS = {
    each.__name__: each
    for each in (
        forward_returns_the_accelerations_of_compute,
        compute_returns_the_efforts_of_forward,
        passive_joints_bear_no_effort,
        power_of_efforts_is_the_rate_of_energy,
        derivatives_equal_differences,
        derivatives_of_forward_undo_those_of_compute,
        terms_of_the_equations_are_the_efforts,
        rate_of_the_mass_matrix_less_twice_coriolis_is_skew,
        mass_and_coriolis_matrices_have_their_symmetries,
        contributions_sum_to_the_equations,
        regressor_times_parameters_is_the_effort_without_springs,
        jacobian_is_the_motion_of_a_point,
        motion_of_a_point_is_the_rate_of_its_place,
        inverse_kinematics_returns_to_a_pose,
        batches_equal_single_calls_bit_for_bit,
        copies_give_equal_results,
        energy_of_simulations_is_balanced,
        drives_are_laws_of_effort,
        joint_commands_of_a_session_are_drives_of_a_plant,
        paused_simulations_equal_continuous_ones,
    )
}
INVARIANTS = {
    **OF_MODELS,
    **{
        each.__name__: each
        for each in (
            momentum_of_a_free_robot_is_conserved,
            derivatives_of_forward_equal_differences,
            derivatives_by_parameters_equal_differences,
            contact_forces_do_what_cones_allow,
            energy_of_robots_on_the_ground_is_balanced,
            ground_that_is_moved_is_ground_there,
            plants_of_a_batch_are_robots_alone,
        )
    },
}
