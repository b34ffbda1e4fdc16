# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a table of contacts says does not depend on the order of the entities in the file."""

from __future__ import annotations

import numpy as np
import pytest
from small_worlds import GROUND, world

from charmie_dynamics.simulation import Run

LAWS = (
    "normal: hunt_crossley, stiffness: 1.0e5, restitution: 0.5, friction: elasto_plastic, "
    "kinetic: 0.4, tangential_stiffness: 1.0e5, tangential_damping: 50.0"
)
BALL = (
    "ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.05, 0, 0, 0], "
    "twist: [1, 0, 0, 0, 0, 0]}"
)
BOX = "box: {shape: box, size: [1, 1, 0.1], mass: 2.0, pose: [0, 0, -0.05, 0, 0, 0], moves: fixed}"
TIMES = [0.0, 0.01, 0.02]


def slid(*entities: str) -> Run:
    """Return a ball that slides along x."""
    return world(LAWS, *entities).simulate(0.02, integrator="rk4", step=1e-4, times=TIMES)


@pytest.mark.parametrize("floor", [GROUND, BOX])
def test_forces_on_an_entity_are_the_same_in_either_order(floor: str) -> None:
    name = floor.split(":")[0]
    runs = [slid(floor, BALL), slid(BALL, floor)]
    for run in runs:
        on_ball = run.contacts.force_on("ball", run.time)
        # the floor pushes up, and friction is against the sliding
        assert (on_ball[1:, 2] > 1.0).all() and (on_ball[1:, 0] < -0.1).all()
        np.testing.assert_allclose(run.contacts.force_on(name, run.time), -on_ball)
    np.testing.assert_allclose(
        *(run.contacts.force_on("ball", run.time) for run in runs), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("floor", [GROUND, BOX])
@pytest.mark.parametrize("name", ["ball", "floor"])
def test_a_table_that_names_an_entity_tells_what_acts_on_it(floor: str, name: str) -> None:
    entity = floor.split(":")[0] if name == "floor" else name
    sign = -1.0 if name == "floor" else 1.0
    tables = [slid(floor, BALL).contacts.on(entity), slid(BALL, floor).contacts.on(entity)]
    for table in tables:
        assert {table.entities[k] for k in table.first} == {entity}
        # outward normal of the entity, friction and normal force on it
        np.testing.assert_allclose(table.normal, [[0.0, 0.0, -sign]] * len(table), atol=1e-12)
        assert (sign * table.friction_force[1:, 0] < -0.1).all()
        total = table.friction_force - table.normal_force[:, None] * table.normal
        assert (sign * total[1:, 2] > 1.0).all()
    np.testing.assert_allclose(tables[0].friction_force, tables[1].friction_force, atol=1e-9)
