# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machines with closed chains of the package against statics, energy and their own limits."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import root

from charmie_dynamics import Model, Payload, Wrench, load_model
from charmie_dynamics.errors import LoopError, ModelFileError, OutOfReachError, UnsupportedError
from charmie_dynamics.model.description.files import read_text, share_file
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.simulation import limit_events, simulate
from validation.harness.pages import DOCS, fill
from validation.machines import sections

GRAVITY = 9.81
MACHINES = (
    "excavator",
    "parallel_ankle",
    "scissor_lift",
    "spring_leg",
    "stewart",
    "parallel_gripper",
)
# rows, rank, mobility, loop joints with undetermined reactions
COUNTS = {
    "excavator": (10, 4, 4, ("bucket_pin", "rocker_pin")),
    "parallel_ankle": (6, 6, 2, ()),
    "scissor_lift": (15, 6, 1, ("base_roller", "middle_pin", "top_roller")),
    "spring_leg": (8, 5, 5, ("foot_pin",)),
    "stewart": (18, 18, 6, ()),
    "parallel_gripper": (10, 4, 1, ("left_pin", "right_pin")),
}
Floats = np.ndarray


@pytest.fixture(scope="module", params=MACHINES)
def machine(request: pytest.FixtureRequest) -> Model:
    return load_model(request.param)


def driven(model: Model, names: tuple[str, ...] | None = None) -> list[int]:
    """Return the places of the actuators among the coordinates, of velocities unless given."""
    return [(names or model.velocity_names).index(name) for name in model.actuator_names]


def random_motion(model: Model, seed: int) -> tuple[Floats, Floats, Floats]:
    """Return a motion with closed loops, slow relative to the ranges of the actuators."""
    rng = np.random.default_rng(seed)
    velocity, acceleration = np.zeros((2, len(model.velocity_names)))
    ranges = [limit.upper - limit.lower for limit in model.actuator_limits()]
    width = np.minimum(ranges, 1.0)
    velocity[driven(model)] = rng.uniform(-1.0, 1.0, width.size) * width
    acceleration[driven(model)] = rng.uniform(-1.0, 1.0, width.size) * width
    pose = model.random_poses(1, rng)[0]
    return tuple(model.assemble(pose, velocity, acceleration))


def moved(model: Model, pose: Floats, change: Floats) -> Floats:
    """Return the closed pose after a small change of the positions of the actuators."""
    guess = pose.copy()
    guess[driven(model, model.position_names)] += change
    return model.assemble(guess).position


def stored(model: Model, position: Floats, velocity: Floats | None = None) -> float:
    energy = model.energy(position, velocity)
    return float(energy.kinetic + energy.gravitational + energy.elastic)


def centre(model: Model, state: object, link: str) -> Floats:
    """Return the centre of mass of a link in the world (m)."""
    p, R = state.frame(link)  # type: ignore[attr-defined]
    return p + R @ model.tree.links[link].inertial.p_link_com


def mass(model: Model, link: str) -> float:
    return model.tree.links[link].inertial.mass


def moment_of_weights(model: Model, state: object, links: tuple[str, ...], axis: Floats) -> float:
    """Return the moment (N m) of weights about -y through a point."""
    return -sum(
        GRAVITY * mass(model, link) * (centre(model, state, link) - axis)[0] for link in links
    )


def lever(first: Floats, second: Floats, axis: Floats) -> float:
    """Return the moment about -y of a unit force at the second point, away from the first."""
    u = (second - first) / np.linalg.norm(second - first)
    r = second - axis
    return float(r[0] * u[2] - r[2] * u[0])


def test_rows_rank_and_mobility_are_those_of_the_whole_range(machine: Model) -> None:
    rows, rank, mobility, undetermined = COUNTS[machine.name]
    assert machine.warnings == ()
    poses = machine.random_poses(20, seed=1)
    ends = np.array([(limit.lower, limit.upper) for limit in machine.actuator_limits()])
    values = poses[:, driven(machine, machine.position_names)]
    bounded = np.isfinite(ends).all(axis=1)
    covered = np.ptp(values, axis=0) / np.ptp(ends, axis=1)
    assert (covered[bounded] > 0.5).all()
    for pose in poses:
        found = machine.constraints(pose)
        assert (len(found.rows), found.rank, found.mobility) == (rows, rank, mobility)
        assert found.undetermined == undetermined
        assert found.idle == ()
        assert found.conditioning > 5e-3
        assert (abs(found.error) < 1e-9).all()


@pytest.mark.parametrize("seed", range(3))
def test_forward_returns_the_acceleration_of_the_computed_efforts(
    machine: Model, seed: int
) -> None:
    position, velocity, acceleration = random_motion(machine, seed)
    effort = machine.compute(position, velocity, acceleration).actuator_effort
    found = machine.forward(position, velocity, effort).acceleration
    np.testing.assert_allclose(found, acceleration, atol=1e-8 * max(1.0, abs(acceleration).max()))


@pytest.mark.parametrize("seed", range(3))
def test_the_power_of_the_actuators_is_the_rate_of_energy_and_losses(
    machine: Model, seed: int
) -> None:
    position, velocity, acceleration = random_motion(machine, seed)
    own, step = driven(machine), 1e-4
    effort = machine.compute(position, velocity, acceleration).actuator_effort
    energies = []
    for t in (-step, step):
        pose = moved(machine, position, velocity[own] * t + 0.5 * acceleration[own] * t**2)
        motion = machine.assemble(pose, velocity + acceleration * t)
        energies.append(stored(machine, motion.position, motion.velocity))
    lost = sum(
        spring.damping * velocity[machine.velocity_names.index(spring.joint)] ** 2
        for spring in machine.mechanisms.joint_springs
    )
    rate = (energies[1] - energies[0]) / (2.0 * step)
    powers = effort * velocity[own]
    assert abs(powers.sum() - rate - lost) < 1e-5 * abs(powers).max()


@pytest.mark.parametrize("seed", range(3))
def test_holding_efforts_are_the_slopes_of_the_potential_energy(machine: Model, seed: int) -> None:
    pose = machine.random_poses(1, seed)[0]
    effort = machine.compute(pose).actuator_effort
    step = 1e-5
    slopes = [
        (stored(machine, moved(machine, pose, unit)) - stored(machine, moved(machine, pose, -unit)))
        / (2.0 * step)
        for unit in step * np.eye(effort.size)
    ]
    np.testing.assert_allclose(effort, slopes, atol=1e-6 * abs(effort).max())


def test_a_run_keeps_the_balance_of_energies_and_closed_loops(machine: Model) -> None:
    start = machine.assemble(machine.zero_position()).position
    rated = np.array([limit.effort for limit in machine.actuator_limits()])
    effort = np.where(rated > 0.0, 1.02 * machine.compute(start).actuator_effort, 0.0)
    run = simulate(machine, start, None, 0.05, effort, rtol=1e-8)
    assert abs(run.position[-1] - start).max() > 1e-6
    exchanged = np.ptp(run.energy.kinetic) + abs(run.energy.work).max()
    assert abs(run.energy.error).max() < 1e-5 * exchanged
    assert abs(run.constraint_error).max() < 1e-9


def test_the_weight_beyond_the_stick_hinge_is_held_by_its_cylinder() -> None:
    model = load_model("excavator")
    state = model.compute(model.assemble(model.zero_position()).position)
    beyond = (
        "stick",
        "bucket",
        "rocker",
        "coupler",
        "bucket_cylinder_barrel",
        "bucket_cylinder_rod",
    )
    part = model.mechanisms.linear_actuators[1]
    assert part.name == "stick_cylinder"
    pins = [
        p + R @ np.array(point)
        for (p, R), point in (
            (state.frame(part.base_body), part.base_point),
            (state.frame(part.tip_body), part.tip_point),
        )
    ]
    hinge = state.frame("stick")[0]
    effort = -moment_of_weights(model, state, beyond, hinge) / lever(*pins, hinge)
    found = state.actuator_effort[model.actuator_names.index("stick_cylinder")]
    assert found == pytest.approx(effort, rel=1e-9)


def test_a_load_on_the_toe_is_held_by_equal_cylinders_at_their_levers() -> None:
    model = load_model("parallel_ankle")
    loaded = model.with_loads({"toe": Payload(5.0)})
    position = model.assemble(model.zero_position()).position
    more = loaded.compute(position).actuator_effort - model.compute(position).actuator_effort
    state = model.compute(position)
    toe = state.frame("toe")[0]
    arm = lever(
        state.frame("left_cylinder_barrel")[0], state.frame("left_cylinder_rod")[0], 0 * toe
    )
    assert arm == pytest.approx(0.07, abs=2e-3)  # the pin is 70 mm behind the ankle
    np.testing.assert_allclose(more, 5.0 * GRAVITY * toe[0] / (2.0 * arm), rtol=1e-9)


def test_a_scissor_lift_needs_the_slope_of_its_heights() -> None:
    model = load_model("scissor_lift").with_loads({"platform": Payload(200.0, (0.3, 0.0, 0.1))})
    pose = model.closed_pose([0.45])
    # cylinder: third side of a triangle of 0.45 and 0.15 m at twice the angle of the bars
    double = math.acos((0.45**2 + 0.15**2 - 0.45**2) / (2.0 * 0.45 * 0.15))
    assert model.kinematics(pose).frame("platform")[0][2] == pytest.approx(2 * math.sin(double / 2))
    heights = {name: 0.5 for name in ("lower", "lower_cross")}
    heights.update({name: 1.5 for name in ("upper", "upper_cross")}, platform=2.0, top_slide=2.0)
    weight = sum(GRAVITY * mass(model, name) * height for name, height in heights.items())
    weight += 200.0 * GRAVITY * 2.0
    slope = 0.45 * 0.15 * math.sin(double) / 0.45 * 2.0  # of the length by the angle
    expected = weight * math.cos(double / 2) / slope
    state = model.compute(pose)
    assert state.actuator_effort[0] == pytest.approx(expected, rel=1e-9)
    # the roller below the platform and its hinge share the weights by their levers
    reach = math.cos(double / 2)
    moment = GRAVITY * (200.0 * 0.3 + mass(model, "platform") * 0.5)
    moment += GRAVITY * mass(model, "top_slide") * reach
    assert state.loop_force("top_roller")[2] == pytest.approx(moment / reach, rel=1e-9)


def test_leaf_springs_bend_until_they_hold_the_load_on_the_foot() -> None:
    loaded = load_model("spring_leg").with_loads(wrenches={"foot": Wrench((0.0, 0.0, 250.0))})
    own = driven(loaded, loaded.position_names)
    springs = [loaded.actuator_names.index(name) for name in ("shin_joint", "heel_joint")]
    start = loaded.assemble(loaded.zero_position()).position

    def bent(deflections: Floats) -> Floats:
        change = np.zeros(len(own))
        change[springs] = deflections
        return moved(loaded, start, change)

    found = root(lambda x: loaded.compute(bent(x)).actuator_effort[springs], np.zeros(2))
    assert found.success
    assert (abs(found.x) > 0.01).all() and (abs(found.x) < 0.3).all()
    effort = loaded.compute(bent(found.x)).actuator_effort
    # the rotor of the knee has no weight about its axis: its motor bends the shin alone
    knee = effort[loaded.actuator_names.index("knee_joint")]
    assert knee == pytest.approx(-1500.0 * found.x[0], rel=1e-6)


def test_six_legs_hold_a_level_platform_with_equal_forces() -> None:
    model = load_model("stewart").with_loads({"platform": Payload(100.0)})
    position = model.assemble(model.zero_position()).position
    state = model.compute(position)
    foot, top = state.frame("leg_1_barrel")[0], state.frame("leg_1_rod")[0]
    length = np.linalg.norm(top - foot)
    sine = (top - foot)[2] / length
    barrel, rod = (centre(model, state, f"leg_1_{part}") for part in ("barrel", "rod"))
    # heights of the centres for a unit of height of the platform: extension and turn of the leg
    turn = (1.0 - sine**2) / length
    weight = (100.0 + mass(model, "platform")) / 6.0
    weight += mass(model, "leg_1_barrel") * np.linalg.norm(barrel - foot) * turn
    weight += mass(model, "leg_1_rod") * (sine**2 + np.linalg.norm(rod - foot) * turn)
    np.testing.assert_allclose(state.actuator_effort, GRAVITY * weight / sine, rtol=1e-9)


def test_gears_double_the_torque_of_two_gripped_fingers() -> None:
    model = load_model("parallel_gripper")
    grip = 20.0  # N, on each finger, outwards
    loads = {"left_finger": Wrench((-grip, 0.0, 0.0)), "right_finger": Wrench((grip, 0.0, 0.0))}
    pose = model.closed_pose([0.2])
    state = model.compute(pose)
    for finger in loads:  # a parallelogram does not turn it
        np.testing.assert_allclose(state.frame(finger)[1], np.eye(3), atol=1e-12)
    more = model.with_loads(wrenches=loads).compute(pose).actuator_effort - state.actuator_effort
    angle = math.pi - 1.0 + 0.2
    assert more[0] == pytest.approx(-2.0 * grip * 0.06 * math.sin(angle), rel=1e-9)


def test_a_motor_beside_two_cylinders_shares_their_load_in_least_squares() -> None:
    model = load_model("parallel_ankle").with_loads({"toe": Payload(5.0)})
    passive = tuple(name for name in model.mechanisms.passive_joints if name != "pitch_joint")
    driven_ankle = Model(model.tree, replace(model.mechanisms, passive_joints=passive)).with_loads(
        {"toe": Payload(5.0)}
    )
    position = model.assemble(model.zero_position()).position
    (alone, _), state = model.compute(position).actuator_effort, model.kinematics(position)
    pins = (state.frame(f"left_cylinder_{part}")[0] for part in ("barrel", "rod"))
    arm = lever(*pins, np.zeros(3))
    moment = 2.0 * arm * alone  # N m about -y
    effort = driven_ankle.compute(position).actuator_effort
    assert driven_ankle.actuator_names[0] == "pitch_joint"  # about y
    expected = moment / (1.0 + 2.0 * arm**2) * np.array([-1.0, arm, arm])
    np.testing.assert_allclose(effort, expected, rtol=1e-9)
    # cylinders that work against the motor do not move the foot
    pressed = effort + np.array([2.0 * arm, 1.0, 1.0]) * 100.0
    acceleration = driven_ankle.forward(position, None, pressed).acceleration
    np.testing.assert_allclose(acceleration, 0.0, atol=1e-8)
    with pytest.raises(UnsupportedError, match=r"as many motions .* got 2 and 3"):
        driven_ankle.equations(position)


@pytest.mark.parametrize(
    ("name", "path", "actuator", "expected", "passive"),
    [
        # the shin in line with the thigh: rod and heel as well
        ("spring_leg", [[0.0] * 5, [0.0, 2.0, 0.0, 0.0, 0.0]], "knee_joint", 1.6, "tarsus_joint"),
        # the cranks along the lines between the hinges of crank and rocker
        (
            "parallel_gripper",
            [[0.0], [-2.0]],
            "left_crank_joint",
            math.atan2(0.02, 0.025) - math.pi + 1.0,
            "(left|right)_(rocker|finger)_joint",
        ),
    ],
)
def test_a_flat_parallelogram_is_singular(
    name: str, path: list[list[float]], actuator: str, expected: float, passive: str
) -> None:
    model = load_model(name)
    place = model.position_names.index(actuator)
    found = model.singular_positions(path)[0]
    assert found.position[place] == pytest.approx(expected, abs=1e-5)
    assert found.conditioning < 1e-5
    exact = np.round(found.position / expected) * expected  # all bars turn by the same angle
    moving = np.zeros(len(model.velocity_names))
    moving[model.velocity_names.index(actuator)] = 1.0
    with pytest.raises(LoopError, match=rf"passive joint '{passive}'.*singular"):
        model.assemble(exact, moving)


def test_a_folded_lift_is_refused_with_its_reach() -> None:
    model = load_model("scissor_lift")
    conditioning = [
        model.constraints(model.closed_pose([length])).conditioning
        for length in (0.45, 0.31, 0.302, 0.3001)
    ]
    assert (np.diff(conditioning) < 0.0).all()
    assert conditioning[-1] < 0.01
    # 0.45 - 0.15 m: the pins in line with the middle of the bars
    with pytest.raises(OutOfReachError, match=r"'lift_cylinder': length 0\.3 m .* more than 0\.3"):
        model.closed_pose([0.3])


def test_the_page_has_the_numbers_of_the_machines() -> None:
    assert (DOCS / "machines.md").read_text(encoding="utf-8") == fill("machines", sections())


@pytest.mark.parametrize(
    ("name", "edit", "words"),
    [
        (
            "excavator",
            ("joint: stick_joint", "joint: boom_joint"),
            r"'stick_cylinder'.*one pin on each side of joint 'boom_joint'.*prismatic joint.*loop",
        ),
        (
            "excavator",
            ("base_body: boom", "base_body: upper"),
            r"'stick_cylinder'.*one pin on each side of joint 'stick_joint'.*prismatic joint.*loop",
        ),
        (
            "parallel_ankle",
            (
                "payload_links:",
                "friction: {roll_joint: {viscous: 1.0, coulomb: 0.0}}\npayload_links:",
            ),
            r"friction: 'roll_joint' is passive.*<dynamics> of the URDF",
        ),
    ],
)
def test_parts_that_need_another_description_are_refused_with_it(
    name: str, edit: tuple[str, str], words: str
) -> None:
    text = read_text(share_file("robots", f"{name}_mechanisms.yaml"))
    assert edit[0] in text
    with pytest.raises(ModelFileError, match=words):
        Model(load_model(name).tree, parse_mechanisms(text.replace(*edit), "mechanisms.yaml"))


def test_a_run_ends_where_a_passive_joint_reaches_its_limit() -> None:
    model = load_model("parallel_ankle")
    start = model.assemble(model.zero_position()).position
    run = simulate(model, start, None, 0.1, np.full(2, 20.0), events=limit_events(model))
    assert run.position[-1, model.position_names.index("pitch_joint")] == pytest.approx(-0.6)
    assert abs(run.position[-1][driven(model, model.position_names)]).max() < 0.055
