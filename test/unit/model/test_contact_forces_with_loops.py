# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact forces of a robot with closed loops: a shank that stands on its foot, two cylinders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from charmie_dynamics import Model, Wrench, load_model
from charmie_dynamics.errors import LoopError, UnsupportedError
from charmie_dynamics.model.contact_forces import ContactForces, ContactPoint
from charmie_dynamics.model.description.files import share_file

CORNERS = [
    ContactPoint("foot", 0.7, (x, y, -0.075), name=f"{x} {y}")
    for x in (-0.085, 0.165)
    for y in (-0.055, 0.055)
]
FREE = """<link name="world"/><joint name="free" type="floating"><parent link="world"/>
    <child link="shank"/></joint></robot>"""


def ankle(folder: Path, *passive: str, **loops: dict[str, object]) -> Model:
    """Return the ankle with a free shank, and further passive and loop joints."""
    text = share_file("robots", "parallel_ankle.urdf").read_text(encoding="utf-8")
    urdf, mechanisms = folder / "ankle.urdf", folder / "ankle.yaml"
    urdf.write_text(text.replace("</robot>", FREE), encoding="utf-8")
    entries = yaml.safe_load(share_file("robots", "parallel_ankle_mechanisms.yaml").read_text())
    entries["passive_joints"] += passive
    entries["loop_joints"].update(loops)
    mechanisms.write_text(yaml.safe_dump(entries), encoding="utf-8")
    return load_model(urdf, mechanisms)


def motion(model: Model, right: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a moderate motion with closed loops, and the right cylinder's acceleration (m/s^2)."""
    rng = np.random.default_rng(2)
    position = model.rest_position()
    for name in ("left_cylinder", "right_cylinder"):
        position[model.position_names.index(name)] += 0.02 * rng.uniform(-1.0, 1.0)
    velocity, acceleration = 0.2 * rng.normal(size=(2, len(model.velocity_names)))
    acceleration[model.velocity_names.index("right_cylinder")] = right
    return tuple(model.assemble(position, velocity, acceleration))  # type: ignore[return-value]


def test_efforts_are_those_with_the_forces_as_wrenches(tmp_path: Path) -> None:
    model = ankle(tmp_path)
    moving, forces = motion(model), ContactForces(model, CORNERS)
    loads, state = forces.at(*moving), model.compute(*moving)
    p, R = state.frame("foot")
    torque = np.cross(loads.point - p, loads.force).sum(axis=0)
    wrench = Wrench(R.T @ loads.force.sum(axis=0), R.T @ torque)
    held = model.with_loads(wrenches={"foot": wrench}).compute(*moving)
    assert np.abs(loads.effort - state.actuator_effort).max() > 5.0
    np.testing.assert_allclose(loads.effort, held.actuator_effort, atol=1e-9)
    assert np.abs([loads.missing_force, loads.missing_torque]).max() < 1e-6
    batch = forces.of_batch(*(np.stack((part, part)) for part in moving))
    for many, one in zip(batch, loads, strict=True):
        np.testing.assert_allclose(many, np.stack((one, one)), atol=1e-9)


def test_forces_balance_a_passive_cylinder(tmp_path: Path) -> None:
    model = ankle(tmp_path)
    moving = motion(model)
    hands = [  # a wall on both sides of the shank
        ContactPoint("shank", 1.0, (0.0, 0.0, 0.5), normal=(x, 0.0, 0.0), name=f"hand {x}")
        for x in (-1.0, 1.0)
    ]
    points = [*CORNERS, *hands]
    driven = ContactForces(model, points).at(*moving)
    loads = ContactForces(model, points, passive=["left_cylinder"]).at(*moving)
    left = model.actuator_names.index("left_cylinder")
    assert abs(driven.effort[left]) > 0.5
    np.testing.assert_allclose(loads.effort[left], 0.0, atol=1e-5)
    np.testing.assert_allclose(loads.missing_effort, 0.0, atol=1e-5)
    assert np.abs(loads.missing_force).max() < 1e-5


def test_forces_on_a_free_joint_are_refused(tmp_path: Path) -> None:
    driven = ankle(tmp_path)
    row = driven.actuator_names.index("right_cylinder")
    none, one = (driven.compute(*motion(driven, a)).actuator_effort[row] for a in (0.0, 1.0))
    moving = motion(driven, none / (none - one))  # this cylinder needs no effort
    model = ankle(tmp_path, "right_cylinder")
    shank = ContactForces(model, [ContactPoint("shank", 0.5)]).at(*moving)
    np.testing.assert_allclose(shank.effort, model.compute(*moving).actuator_effort, atol=1e-9)
    with pytest.raises(LoopError, match=r"passive joint '.*': expected contact forces"):
        ContactForces(model, CORNERS).at(*moving)


def test_a_base_in_a_loop_is_refused(tmp_path: Path) -> None:
    tether = {"type": "distance", "first_body": "world", "second_body": "shank", "length": 0.5}
    model = ankle(tmp_path, tether={**tether, "first_point": [0.0, 0.0, 0.5]})
    with pytest.raises(UnsupportedError, match=r"loop joints between links.*'tether'"):
        ContactForces(model, CORNERS)
