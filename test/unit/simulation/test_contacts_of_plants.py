# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Plants and batches of worlds: step, overlap, balance; workspace; laws that no step can follow."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from loop_robots import welded_four_bar
from small_worlds import GROUND, ball, world

from charmie_dynamics.errors import InputError, ModelFileError, OverlapError, SimulationError
from charmie_dynamics.simulation import Plant, PlantBatch, World, world_of
from charmie_dynamics.simulation.integrators.accuracy import LOST_BALANCE

HARD = "normal: hunt_crossley, stiffness: 5.0e7, restitution: 0.4, least_speed: 0.1"
BOX = "{{shape: box, size: [0.08, 0.08, 0.08], mass: 0.5, pose: [{}, 0, {}, 0, 0, 0]}}"

BOX_AT_REST = "box: " + BOX.format(0, 0.04)


def tower() -> World:
    """Return three hard boxes on the ground."""
    boxes = (f"box{k}: {BOX.format(0, 0.04 + 0.08 * k)}" for k in range(3))
    return world(HARD, GROUND, *boxes)


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
def test_the_default_step_of_a_plant_keeps_a_tower_standing(integrator: str) -> None:
    made = tower()
    plant = Plant(made.model, made.position, contacts=made.contacts, integrator=integrator)
    assert plant.step < 5e-4
    plant.advance([], steps=round(0.2 / plant.step))
    assert plant.position[[2, 9, 16]] == pytest.approx([0.04, 0.12, 0.2], abs=1e-4)
    assert abs(float(plant.energy.error)) < 1e-5


def test_a_batch_has_the_step_of_a_plant_and_moves_as_that() -> None:
    made = tower()
    batch, plant = made.batch(3), made.plant()
    batch.advance(np.zeros((3, 0)), steps=200)
    plant.advance([], steps=200)
    assert batch.failures == {}
    assert (batch.position == plant.position).all() and (batch.time == plant.time).all()


def test_a_dropped_ball_of_steel_rebounds_as_its_law_says_with_the_default_step() -> None:
    made = world_of("""
materials: {steel: {young: 2.0e11, poisson: 0.29}}
contacts: {default: {normal: calibrated, restitution: 0.5}}
entities:
  ground: {shape: plane, material: steel}
  ball: {shape: sphere, size: [0.03], mass: 0.9, material: steel, pose: [0, 0, 0.09, 0, 0, 0]}
""")
    plant, height = made.plant(), 0.0
    fall = np.sqrt(2 * 0.06 / 9.81)
    while plant.time < 1.5 * fall:
        plant.advance([])
        if plant.time > 1.2 * fall:
            height = max(height, float(plant.position[2]) - 0.03)
    assert height == pytest.approx(0.06 * 0.25, rel=0.02)


def test_a_plant_that_loses_its_balance_says_so() -> None:
    made = world(HARD, GROUND, ball(0.2))
    plant = made.plant(step=1e-3)
    with pytest.raises(SimulationError, match=r"balance of the energies.*World\.contact_need"):
        plant.advance([], steps=1000)
    assert plant.time == pytest.approx(1.0)  # checked at the end of `advance`
    batch = made.batch(2, step=1e-3)
    with pytest.raises(SimulationError, match=r"plant 0.*likewise plants 1"):
        batch.advance(np.zeros((2, 0)), steps=1000)
    assert sorted(batch.failures) == [0, 1]
    assert batch.time == pytest.approx([1.0, 1.0])


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Options of each run that a world starts, all of which lose their balance."""
    found: list[dict[str, Any]] = []

    def lose(*_: object, **options: Any) -> NoReturn:
        found.append(options)
        raise SimulationError(0.1, LOST_BALANCE)

    monkeypatch.setattr("charmie_dynamics.simulation.worlds.world.simulate", lose)
    return found


def test_the_default_step_is_halved_up_to_five_times(simulated: list[dict[str, Any]]) -> None:
    made = tower()
    need = made.contact_need("rk4")
    assert need is not None and need.step < 1e-3
    with pytest.raises(SimulationError, match="balance"):
        made.simulate(0.1, integrator="rk4")
    steps = [options["step"] for options in simulated]
    assert steps == pytest.approx([need.step / divisor for divisor in (1, 2, 4, 8, 16, 32)])
    with pytest.raises(SimulationError, match=r"needs a step of at most .*got 1\.0e-02 s"):
        made.simulate(0.1, integrator="rk4", step=0.01)
    assert len(simulated) == 7


@pytest.mark.parametrize(("count", "integrator"), [(8, None), (9, "rk4")])
def test_a_heap_is_simulated_by_rk4_by_default(
    count: int, integrator: str | None, simulated: list[dict[str, Any]]
) -> None:
    boxes = (f"box{k}: {BOX.format(k, 0.04)}" for k in range(count))
    with pytest.raises(SimulationError):
        world(HARD, GROUND, *boxes).simulate(0.1)
    assert simulated[0].get("integrator") == integrator


def test_a_reset_into_another_shape_is_refused_with_both_names_and_the_depth() -> None:
    made = world(HARD, GROUND, f"table: {BOX.format(0, 0.04)}", f"can: {BOX.format(0, 0.15)}")
    plant = made.plant()
    inside = made.position.copy()
    inside[made.columns("can", "position")[2]] = 0.10
    with pytest.raises(OverlapError, match=r"'table' and 'can' overlap by 0\.02 m"):
        plant.reset(inside)
    with pytest.raises(OverlapError, match="'table' and 'can'"):
        made.batch(2).reset(inside, plants=[1])


def test_a_body_begins_as_deep_as_it_rests_on_something_soft() -> None:
    depth = 9.81 / 1e3  # m
    made = world("normal: hooke, stiffness: 1.0e3", GROUND, ball(0.05 - depth))
    plant = made.plant()
    plant.advance([], steps=100)
    assert plant.position[2] == pytest.approx(0.05 - depth, abs=1e-12)
    with pytest.raises(OverlapError):
        world("normal: hooke, stiffness: 1.0e3", GROUND, ball(0.02)).plant()


def test_poses_of_a_batch_are_of_free_entities() -> None:
    made = world(HARD, GROUND, ball(0.5), "wall: {shape: box, size: [1, 1, 1], moves: fixed}")
    poses = np.zeros((2, 6))
    poses[:, 0], poses[:, 2] = (2.0, 3.0), 1.0
    assert made.batch(2, poses={"ball": poses}).position[:, 0].tolist() == [2.0, 3.0]
    with pytest.raises(InputError, match="'wall': expected an entity with moves: free"):
        made.positions({"wall": poses}, 2)


@pytest.mark.parametrize("step", [1e-3, 2.5e-4])
def test_semi_implicit_euler_counts_what_contacts_take_as_lost(step: float) -> None:
    laws = "normal: hunt_crossley, stiffness: 2.0e4, restitution: 0.3, least_speed: 0.2"
    made = world(laws, GROUND, ball(0.15))
    plant = made.plant(integrator="semi_implicit_euler", step=step)
    plant.advance([], steps=round(1.0 / step))
    energy = plant.energy
    assert float(energy.lost) == pytest.approx(9.81 * 0.1, rel=0.1)
    assert abs(float(energy.error)) < 0.1 * step * 9.81
    options = {"integrator": "semi_implicit_euler", "step": step, "energy_tolerance": 20 * step}
    run = made.simulate(0.5, **options)
    assert np.abs(run.energy.error).max() < 8.0 * step


@pytest.mark.parametrize("step", [1e-4, 2e-5])
def test_a_box_at_rest_begins_with_a_method_of_first_order(step: float) -> None:
    made = world("normal: hunt_crossley, stiffness: 2.0e6, restitution: 0.3", GROUND, BOX_AT_REST)
    run = made.simulate(500 * step, integrator="semi_implicit_euler", step=step)
    assert run.position[-1, 2] == pytest.approx(0.04, abs=1e-4)


def test_a_method_of_first_order_is_refused_where_it_gains_energy() -> None:
    made = world("normal: hooke, stiffness: 3.0e6", GROUND, ball(0.2, down=1.0))
    with pytest.raises(SimulationError, match=LOST_BALANCE):
        made.simulate(0.3, integrator="semi_implicit_euler", step=1e-3)


def test_semi_implicit_euler_is_of_first_order_in_a_contact() -> None:
    made = world("normal: hertz, stiffness: 1.0e5", GROUND, ball(0.05, down=0.5))
    exact = made.simulate(0.02, integrator="rk4", step=1e-6).position[-1, 2]
    errors = [
        abs(
            made.simulate(0.02, integrator="semi_implicit_euler", step=step).position[-1, 2] - exact
        )
        for step in (4e-5, 1e-5)
    ]
    assert 2.5 < errors[0] / errors[1] < 6.0


def test_many_sticks_side_by_side_have_a_workspace_that_grows() -> None:
    sticks = [
        f"stick{k}: {{shape: capsule, size: [0.003, 0.9], mass: 0.05, "
        f"pose: [{0.02 * (k % 7)}, {0.02 * (k // 7)}, 0.8, 1.1, 0.4, 0.2]}}"
        for k in range(49)
    ]
    made = world("normal: hertz, stiffness: 1.0e5", GROUND, *sticks)
    batch, plant = made.batch(2), made.plant()
    plant.advance([], steps=4)
    batch.advance(np.zeros((2, 0)), steps=4)
    assert (batch.position == plant.position).all()
    assert plant.position[2] == pytest.approx(0.8 - 0.5 * 9.81 * plant.time**2, abs=1e-9)


def test_contact_need_grows_with_the_number_of_contacts() -> None:
    def seconds(count: int) -> float:
        boxes = (
            f"box{k}: {BOX.format(0.09 * (k % 10), 0.05 + 0.1 * (k // 10))}" for k in range(count)
        )
        made = world(HARD, GROUND, *boxes)
        begun = time.process_time()
        assert made.contact_need("rk4") is not None
        return time.process_time() - begun

    seconds(10)
    assert seconds(80) < 20.0 * max(seconds(20), 0.02)


def pressed_plate(count: int) -> World:
    """Return a light plate on the ground under many boxes."""
    side = 6
    boxes = (
        f"box{k}: {{shape: box, size: [0.05, 0.05, 0.05], mass: 1.0, "
        f"pose: [{0.07 * (k % side - 2.5)}, {0.07 * (k // side - 2.5)}, 0.035, 0, 0, 0]}}"
        for k in range(count)
    )
    plate = "plate: {shape: box, size: [0.45, 0.45, 0.01], mass: 0.5, pose: [0, 0, 0.005, 0, 0, 0]}"
    return world("normal: kelvin_voigt, stiffness: 1.0e5, damping: 20", GROUND, plate, *boxes)


def leaning_plank() -> World:
    """Return a light plank that leans on the edge of a wall, with friction."""
    sticks = (
        "friction: elasto_plastic, kinetic: 0.9, tangential_stiffness: 1.0e5, "
        "tangential_damping: 20"
    )
    return world(
        f"normal: kelvin_voigt, stiffness: 1.0e5, damping: 20, {sticks}",
        GROUND,
        "wall: {shape: box, size: [0.2, 1, 0.6], moves: fixed, pose: [0.1, 0, 0.3, 0, 0, 0]}",
        "plank: {shape: box, size: [0.02, 0.1, 1.2], mass: 1, "
        "pose: [-0.22, 0, 0.5815, 0, 0.32, 0]}",
    )


def clamped() -> World:
    """Return a light body between two heavy ones that move towards it from both sides."""
    bodies = (
        f"box{k}: {{shape: box, size: [0.1, 0.1, 0.1], mass: {mass}, pose: [{0.1001 * (k - 1)}, 0, "
        f"0.05, 0, 0, 0], twist: [{0.02 * (1 - k)}, 0, 0, 0, 0, 0]}}"
        for k, mass in enumerate((30.0, 0.3, 30.0))
    )
    return world("normal: kelvin_voigt, stiffness: 1.0e5, damping: 20", GROUND, *bodies)


@pytest.mark.parametrize("make", [lambda: pressed_plate(36), leaning_plank, clamped])
def test_the_step_that_contacts_need_is_stable(make: object) -> None:
    made: World = make()  # type: ignore[operator]
    made.velocity[:] += 1e-4 * np.sin(1.0 + np.arange(len(made.velocity)))
    need = made.contact_need("rk4")
    assert need is not None
    run = made.simulate(400 * need.step, integrator="rk4", step=need.step)
    assert np.abs(run.velocity[-1]).max() < 1.0


@pytest.mark.parametrize("exponent", range(-30, 31, 10))
@pytest.mark.parametrize("law", ["hooke", "hertz", "hunt_crossley"])
def test_any_stiffness_runs_or_is_refused_in_words(law: str, exponent: int) -> None:
    more = ", restitution: 0.4" if law == "hunt_crossley" else ""
    made = world(f"normal: {law}, stiffness: 1.0e{exponent}{more}", GROUND, ball(0.051))
    for integrator in ("adaptive", "rk4"):
        try:
            made.simulate(1e-3, integrator=integrator, most_evaluations=2000)
        except (InputError, SimulationError) as error:
            assert exponent >= 10, error
            assert "stiffness" in str(error)


TONGS = """<robot name="tongs"><link name="base"/>{}{}</robot>"""
JAW = """
<link name="{0}"><inertial><mass value="0.1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0"
ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="0.04"/></geometry></collision>
</link>
<joint name="slide_{0}" type="prismatic"><parent link="base"/><child link="{0}"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/></joint>"""


def tongs(folder: Path, entity: str, pairs: str = "") -> World:
    """Return two jaws that press against each other with 1 N."""
    (folder / "tongs.urdf").write_text(TONGS.format(JAW.format("left"), JAW.format("right")))
    laws = "normal: kelvin_voigt, stiffness: 1.0e3, damping: 20"
    return world_of(
        f"contacts:\n  default: {{{laws}}}\n{pairs}entities:\n  tongs: {{urdf: tongs.urdf, "
        f"position: {{slide_left: -0.05, slide_right: 0.05}}{entity}}}\n",
        folder,
    )


@pytest.mark.parametrize(
    ("entity", "stiffness"),
    [("", 0.0), (", self: false", 0.0), (", self: true", 1e3), (", self: [[left, right]]", 1e3)],
)
def test_links_of_a_robot_touch_each_other_if_the_world_says_so(
    tmp_path: Path, entity: str, stiffness: float
) -> None:
    run = tongs(tmp_path, entity).simulate(0.5, effort=[1.0, -1.0])
    gap = run.position[-1, 1] - run.position[-1, 0]
    if stiffness:
        assert gap == pytest.approx(0.08 - 1.0 / stiffness, abs=1e-5)
    else:
        assert len(run.contacts) == 0 and gap < -0.1


def test_a_law_between_links_holds_before_that_of_the_entities(tmp_path: Path) -> None:
    pair = "{{between: [tongs/left, tongs/{}], normal: hooke, stiffness: 5.0e3}}"
    pairs = f"  pairs:\n    - {pair.format('right')}\n"
    made = tongs(tmp_path, ", self: true", pairs)
    need = made.contact_need("rk4")
    assert need is not None and need.stiffness == pytest.approx(5e3, rel=1e-6)
    with pytest.raises(ModelFileError, match=r"line 4: .*link 'tongs/middle' is unknown"):
        tongs(tmp_path, "", f"  pairs:\n    - {pair.format('middle')}\n")
    with pytest.raises(
        ModelFileError, match=r"link 'middle' is unknown\. Valid: base, left, right"
    ):
        tongs(tmp_path, ", self: [[left, middle]]")


def test_a_batch_of_plants_needs_no_more_than_arrays() -> None:
    made = tower()
    batch = PlantBatch(made.model, made.position, count=2, contacts=made.contacts)
    assert batch.velocity.shape == (2, 18)


def test_loops_of_bodies_without_mass_have_the_inertia_of_their_motions(tmp_path: Path) -> None:
    welded_four_bar(tmp_path)  # one of its links has no mass
    files = f"urdf: {tmp_path}/welded.urdf, mechanisms: {tmp_path}/welded.yaml"
    made = world(HARD, GROUND, ball(0.2), f"bars: {{{files}, pose: [3, 0, 1, 0, 0, 0]}}")
    alone = world(HARD, GROUND, ball(0.2))
    need, own = (each.contact_need("rk4") for each in (made, alone))
    assert need is not None and own is not None
    assert need.second == own.second
    assert need.step == pytest.approx(own.step)
