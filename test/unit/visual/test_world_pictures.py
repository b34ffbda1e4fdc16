# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures and films of a simulated world."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics.errors import UnknownNameError
from charmie_dynamics.simulation import Run, World, world_of

pytest.importorskip("matplotlib", reason="matplotlib is missing")
pillow = pytest.importorskip("PIL.Image", reason="Pillow is missing")

from charmie_dynamics.visual.pictures import WorldPainter, film_world, render_world  # noqa: E402
from charmie_dynamics.visual.pictures.world_states import StatePainter  # noqa: E402

LAWS = """
contacts:
  default:
    normal: hunt_crossley
    stiffness: 1.0e5
    restitution: 0.3
    friction: bengisu_akay
    kinetic: 0.5
entities:
"""
ON_A_FLOOR = f"""{LAWS}
  ground: {{shape: plane}}
  box: {{shape: box, size: [0.4, 0.3, 0.2], mass: 2.0, pose: [0, 0, 0.1, 0, 0, 0]}}
  ball: {{shape: sphere, size: [0.1], mass: 1.0, pose: [0.6, 0, 0.3, 0, 0, 0]}}
"""
ON_A_SLOPE = f"""{LAWS}
  slope: {{shape: plane, pose: [0, 0, 0, 0, 0.3, 0]}}
  ball: {{shape: sphere, size: [0.1], mass: 1.0, pose: [0, 0, 0.7, 0, 0, 0]}}
"""
SIZE = (160, 120)
Played = tuple[World, Run]


def played(text: str) -> Played:
    world = world_of(text)
    return world, world.simulate(0.3, integrator="rk4", step=2e-4, times=np.linspace(0.0, 0.3, 7))


@pytest.fixture(scope="module")
def floor() -> Played:
    return played(ON_A_FLOOR)


def image(of: Played, row: int, **options: object) -> np.ndarray:
    return WorldPainter(*of, size=SIZE, **options).image(row).astype(float)  # type: ignore[arg-type]


def share_of(picture: np.ndarray, other: np.ndarray) -> float:
    """Return the share of pixels that differ visibly."""
    return float((np.abs(picture - other).max(axis=2) > 24.0).mean())


@pytest.mark.parametrize("name", ["contacts", "contact_points", "friction_cones"])
def test_each_kind_of_contact_is_drawn_and_can_be_left_out(floor: Played, name: str) -> None:
    nothing = image(floor, 6, contacts=(), legend=False)
    alone = image(floor, 6, contacts=(name,), legend=False)
    assert 0.001 < share_of(alone, nothing) < 0.5


def test_bodies_are_where_they_are_at_that_time(floor: Played) -> None:
    first, last = (image(floor, row, contacts=(), legend=False) for row in (0, 6))
    assert share_of(first, last) > 0.01


def test_a_level_plane_is_the_floor_and_another_a_square() -> None:
    slope = played(ON_A_SLOPE)
    level = played(ON_A_SLOPE.replace("0.3, 0]}", "0, 0]}"))
    on_slope, on_level = (
        image(world, 0, contacts=(), legend=False)[-20:, 40:120].std(axis=(0, 1)).max()
        for world in (slope, level)
    )
    assert on_slope < 1.0 < on_level  # one colour; shadow and lines of the floor


def test_a_world_without_contacts_is_drawn() -> None:
    flying = played(f"{LAWS}  ball: {{shape: sphere, size: [0.1], mass: 1.0}}\n")
    assert image(flying, 3).std() > 1.0


def test_unknown_kinds_of_contacts_are_refused_with_the_valid_ones(floor: Played) -> None:
    with pytest.raises(UnknownNameError, match=r"'cones'.*friction_cones"):
        WorldPainter(*floor, contacts=("cones",))


def test_pictures_and_films_are_written(floor: Played, tmp_path: Path) -> None:
    painter = WorldPainter(*floor, size=SIZE)
    render_world(tmp_path / "world.png", painter, 6)
    assert film_world(tmp_path / "world.gif", painter, 0.1) == 4
    with pillow.open(tmp_path / "world.png") as picture:
        assert picture.size == SIZE
    with pillow.open(tmp_path / "world.gif") as film:
        assert (film.size, film.n_frames) == (SIZE, 4)


def test_a_state_is_drawn_with_entities_at_other_poses_and_a_mark(floor: Played) -> None:
    world, run = floor
    painter = StatePainter(world, run.position[0], size=SIZE)
    alone = painter.state_image(run.position[0], {}).astype(float)
    box = np.array([0.0, 0.3, 0.1, 0.0, 0.0, 0.0])
    moved = painter.state_image(run.position[0], {"box": box}).astype(float)
    marked = painter.state_image(run.position[0], {}, mark=np.array([0.3, 0.0, 0.3])).astype(float)
    assert share_of(alone, moved) > 0.01
    assert 0.0 < share_of(alone, marked) < 0.02
    np.testing.assert_array_equal(painter.state_image(run.position[0], {}), alone)
