# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces at the contacts of a robot that moves freely, by its motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import InputError, UnknownNameError, Wrench, load_model
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.contact_forces import ContactForces, ContactPoint
from charmie_dynamics.model.description.world.robot_contacts import read_robot_contacts
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.numerics.vectors import Floats

RADIUS = 0.018
ALL = (1, 2, 3, 4, 5, 6)


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model("athena")


@pytest.fixture(scope="module")
def walk(model: Model) -> LeggedWalk:
    return LeggedWalk(model, "tripod")


def feet(*legs: int, friction: float = 0.6, **other: tuple[float, ...]) -> list[ContactPoint]:
    return [
        ContactPoint(f"leg_{k}_foot", friction, radius=RADIUS, **other)  # type: ignore[arg-type]
        for k in legs
    ]


def test_forces_on_links_that_do_not_move_with_the_base_are_refused(tmp_path: Path) -> None:
    urdf = tmp_path / "robot.urdf"
    urdf.write_text(
        """<robot name="two"><link name="world"/><link name="body"/><link name="post"/>
        <joint name="free" type="floating"><parent link="world"/><child link="body"/></joint>
        <joint name="fixed" type="fixed"><parent link="world"/><child link="post"/></joint>
        </robot>"""
    )
    mechanisms = tmp_path / "robot.yaml"
    mechanisms.write_text("base_body: body")
    model = load_model(urdf, mechanisms)
    with pytest.raises(InputError, match="links that move with 'body', got 'post'"):
        ContactForces(model, [ContactPoint("post", 0.5)])


def test_efforts_are_those_with_the_forces_as_wrenches(model: Model, walk: LeggedWalk) -> None:
    motion = walk.whole(1.3)
    points = feet(*ALL)
    loads = ContactForces(model, points).at(*motion)
    state = model.compute(*motion)
    wrenches = {}
    for point, where, force in zip(points, loads.point, loads.force, strict=True):
        p_world_link, R_world_link = state.frame(point.link)
        torque = np.cross(where - p_world_link, force)
        wrenches[point.link] = Wrench(R_world_link.T @ force, R_world_link.T @ torque)
    held = model.with_loads(wrenches=wrenches).compute(*motion)
    np.testing.assert_allclose(loads.effort, held.actuator_effort, atol=1e-11)
    assert max(np.abs(part).max() for part in held.base_wrench) < 1e-10


def test_a_batch_is_the_same_as_its_samples(model: Model, walk: LeggedWalk) -> None:
    times = (0.3, 0.8, 1.5)
    motions = [np.array(part) for part in zip(*(walk.whole(t) for t in times), strict=True)]
    share = np.array([walk.stance_shares(t) for t in times])
    forces = ContactForces(model, feet(*ALL))
    batch = forces.of_batch(*motions, share=share)
    for n, time in enumerate(times):
        one = forces.at(*walk.whole(time), share=share[n])
        for whole, part in zip(batch, one, strict=True):
            np.testing.assert_allclose(whole[n], part, atol=1e-9)


def test_a_long_batch_goes_on_as_it_begins(model: Model, walk: LeggedWalk) -> None:
    position = np.tile(walk.whole(0.0)[0], (1100, 1))
    force = ContactForces(model, feet(*ALL)).of_batch(position).force
    assert force.shape == (1100, 6, 3)
    np.testing.assert_allclose(force, np.broadcast_to(force[0], force.shape), atol=1e-9)


def test_feet_on_one_side_lack_what_tips_the_robot_over(model: Model, walk: LeggedWalk) -> None:
    position = walk.whole(0.0)[0]
    loads = ContactForces(model, feet(1, 2, 3)).at(position)
    assert np.linalg.norm(loads.missing_torque) > 1.0
    assert loads.normal_force.min() >= 0.0


def test_on_ice_the_robot_lacks_what_accelerates_it(model: Model, walk: LeggedWalk) -> None:
    position = walk.whole(0.0)[0]
    acceleration = np.zeros(len(model.velocity_names))
    acceleration[0] = 2.0  # m/s^2 along x of the base, as of the world
    loads = ContactForces(model, feet(*ALL, friction=0.0)).at(position, None, acceleration)
    # it needs the force, and its torque about the middle of the feet
    assert loads.missing_force[0] == pytest.approx(2.0 * model.total_mass, rel=0.1)
    assert not loads.cone_use.any()


def test_a_slope_below_the_cone_holds_the_robot_and_one_above_it_does_not(
    model: Model, walk: LeggedWalk
) -> None:
    position = walk.whole(0.0)[0]
    for slope, holds in ((0.5, True), (0.7, False)):
        normal = (-slope, 0.0, 1.0)
        loads = ContactForces(model, feet(*ALL, normal=normal)).at(position)
        missing = np.linalg.norm(loads.missing_force)
        if holds:
            assert missing < 1e-8
            assert loads.cone_use.max() <= 1.0 + 1e-9
        else:
            assert missing > 1.0
            assert loads.cone_use.max() == pytest.approx(1.0, abs=1e-6)


def test_in_flight_efforts_are_those_without_contact(model: Model, walk: LeggedWalk) -> None:
    motion = walk.whole(1.0)
    loads = ContactForces(model, feet(*ALL)).at(*motion, share=np.zeros(6))
    state = model.compute(*motion)
    assert not loads.force.any()
    np.testing.assert_allclose(loads.effort, state.actuator_effort, atol=1e-12)
    assert np.linalg.norm(loads.missing_force) == pytest.approx(
        np.linalg.norm(state.base_wrench[0])
    )


def test_feet_in_the_air_do_not_touch(model: Model, walk: LeggedWalk) -> None:
    times = np.linspace(0.3, 5.7, 28)
    motions: list[Floats] = [
        np.array(part) for part in zip(*(walk.whole(t) for t in times), strict=True)
    ]
    states = model.compute(*motions)
    touch = ContactForces(model, feet(*ALL)).touching(states, height=1e-4, speed=0.02)
    planned = np.array([walk.in_stance(t) for t in times])
    assert ((touch > 0.5) == planned).mean() > 0.95


def test_a_foot_that_lands_takes_over_bit_by_bit(model: Model, walk: LeggedWalk) -> None:
    position = walk.whole(0.0)[0]
    shares = []
    for height in (-1e-3, 0.0, 5e-4, 1e-3, 2e-3):
        raised = position.copy()
        raised[2] += height
        states = model.compute(raised[None])
        shares.append(ContactForces(model, feet(2)).touching(states, height=1e-3)[0, 0])
    np.testing.assert_allclose(shares, [1.0, 1.0, 0.5, 0.0, 0.0], atol=1e-9)


def test_from_the_lowest_point_height_and_vertical_speed_do_not_count() -> None:
    """Also on wheels with rollers, one state at a time as many at once."""
    for name in ("athena", "charmie_wheeled"):
        model = load_model(name)
        contacts = read_robot_contacts(name, model.tree)
        forces, rng = ContactForces.of(model, contacts), np.random.default_rng(4)
        position = np.tile(model.zero_position(), (4, 1))
        position[:, 7:] += rng.uniform(-1e-3, 1e-3, position[:, 7:].shape)
        velocity, acceleration = rng.uniform(-0.01, 0.01, (2, 4, len(model.velocity_names)))
        lowest = forces.points_of(model.compute(position))[..., 2].min(axis=1)
        velocity[:, 3:6] = 0.0  # without, a steady velocity needs no acceleration in moving axes
        velocity[:, 2] += 0.02
        on_floor, moved = position.copy(), position.copy()
        on_floor[:, 2] -= lowest - 1e-9
        moved[:, 2] += 0.3
        states = model.compute(moved, velocity, acceleration)
        assert not forces.on_floor(states, contacts).force.any()
        found = forces.on_floor(states, contacts, from_lowest=True)
        assert (found.normal_force.sum(axis=1) > 0.5 * 9.81 * model.total_mass).all()
        velocity[:, 2] -= 0.5
        other = model.compute(on_floor, velocity, acceleration)
        expected = forces.on_floor(other, contacts, from_lowest=True)
        np.testing.assert_allclose(found.force, expected.force, atol=1e-6 * 9.81 * model.total_mass)
        for k, motion in enumerate(zip(moved, velocity, acceleration, strict=True)):
            single = forces.on_floor(model.compute(*motion), contacts, from_lowest=True)
            for one, many in zip(single, found, strict=True):
                np.testing.assert_allclose(one[0], many[k], atol=1e-6 * 9.81 * model.total_mass)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"friction": -0.1}, "contact of 'foot': friction: expected a finite number of at least 0"),
        ({"radius": np.nan}, "contact of 'foot': radius: expected a finite number of at least 0"),
        ({"normal": (0.0, 0.0, 0.0)}, "contact of 'foot': normal: expected a direction"),
        ({"point": (0.0, 1.0)}, "contact of 'foot': point"),
    ],
)
def test_numbers_that_no_contact_has_are_refused(
    change: dict[str, float | tuple[float, ...]], text: str
) -> None:
    given = {"friction": 0.5, **change}
    with pytest.raises(InputError, match=text):
        ContactPoint("foot", **given)  # type: ignore[arg-type]


def test_an_unknown_link_is_refused_with_those_that_are_known(model: Model) -> None:
    with pytest.raises(UnknownNameError, match="link 'leg_1_fot' is unknown; did you mean 'leg_1_"):
        ContactForces(model, [ContactPoint("leg_1_fot", 0.5)])


def test_an_unknown_passive_actuator_is_refused(model: Model) -> None:
    with pytest.raises(UnknownNameError, match="passive actuator 'wheel' is unknown"):
        ContactForces(model, feet(1), passive=["wheel"])


def test_no_contact_or_one_twice_is_refused(model: Model) -> None:
    with pytest.raises(InputError, match="expected at least one point, got none"):
        ContactForces(model, [])
    with pytest.raises(InputError, match="expected a name for each point, got 'leg_1_foot' twice"):
        ContactForces(model, feet(1, 1))


def test_a_negative_share_is_refused(model: Model, walk: LeggedWalk) -> None:
    with pytest.raises(InputError, match=r"share: expected numbers of at least 0, got -1\.0"):
        ContactForces(model, feet(1)).at(walk.whole(0.0)[0], share=[-1.0])


def test_a_robot_that_does_not_move_freely_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="contact forces: expected a base body on a float"):
        ContactForces(load_model("scara"), [ContactPoint("base_link", 0.5)])
