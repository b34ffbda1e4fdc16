# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Floating and planar joints in every computation."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from floating_robots import KINDS, random_urdf

from charmie_dynamics import InputError, Model, ModelFileError, load_model

ROOT_TWICE = ("floating", "floating", "planar")


class Case(NamedTuple):
    model: Model
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray

    def at(self, time: float) -> np.ndarray:
        """Position of a motion that passes through the state at time zero, to second order."""
        model, p, v, a = self
        rate = model.position_rate(p, v)
        h = 1e-4
        later, earlier = (model.position_rate(p + s * rate, v + s * a) for s in (h, -h))
        change = (later - earlier) / (2.0 * h)
        return model.normalised_position(p + time * rate + 0.5 * time * time * change)


@pytest.fixture(scope="module", params=[KINDS, ROOT_TWICE], ids=["tree", "roots"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    rng = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("robot") / "random.urdf"
    path.write_text(random_urdf(rng, request.param), encoding="utf-8")
    model = load_model(path)
    v = len(model.velocity_names)
    position = model.normalised_position(rng.normal(size=len(model.position_names)))
    return Case(model, position, rng.normal(size=v), rng.normal(size=v))


def test_names_tell_the_numbers_of_each_joint(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(random_urdf(np.random.default_rng(0), ("floating", "revolute", "planar")))
    model = load_model(path)
    assert model.position_names == (
        *(f"joint_1/{n}" for n in ("x", "y", "z", "qx", "qy", "qz", "qw")),
        "joint_2",
        *(f"joint_3/{n}" for n in ("x", "y", "angle")),
    )
    assert model.velocity_names == (
        *(f"joint_1/{n}" for n in ("vx", "vy", "vz", "wx", "wy", "wz")),
        "joint_2",
        *(f"joint_3/{n}" for n in ("x", "y", "angle")),
    )
    assert model.actuator_names == ("joint_2",)
    assert model.actuator_index.tolist() == [6]
    assert model.zero_position().tolist() == [0.0] * 6 + [1.0] + [0.0] * 4


def test_quaternion_of_another_length_is_refused(case: Case) -> None:
    position = case.position.copy()
    position[3:7] *= 1.001
    for call in (case.model.compute, case.model.equations):
        with pytest.raises(InputError, match=r"'joint_1'.*length one.*1\.001"):
            call(position)
    with pytest.raises(InputError, match="length one"):
        case.model.jacobian(position, case.model.frame_names[-1])
    with pytest.raises(InputError, match=r"sample 1: .*length one"):
        case.model.compute(np.array([case.position, position]))


def test_quaternion_of_zeros_cannot_be_normalised(case: Case) -> None:
    position = case.position.copy()
    position[3:7] = 0.0
    with pytest.raises(InputError, match=r"'joint_1'.*zeros"):
        case.model.normalised_position(position)


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_mimic_of_such_a_joint_is_refused(kind: str, tmp_path: Path) -> None:
    urdf = random_urdf(np.random.default_rng(0), (kind, "revolute"))
    head, tail = urdf.split('name="joint_2" type="revolute">')
    path = tmp_path / "r.urdf"
    path.write_text(f'{head}name="joint_2" type="revolute"><mimic joint="joint_1"/>{tail}')
    with pytest.raises(ModelFileError, match=f"which is {kind}; expected a revolute"):
        load_model(path)
