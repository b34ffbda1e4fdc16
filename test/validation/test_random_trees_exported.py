# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random trees that are exported as MJCF and imported again need the same efforts."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "unit"), str(TESTS / "combinations")]

from generator import JointPlan, Plan, described  # noqa: E402
from situations import DescribedSituation, assert_close  # noqa: E402

from charmie_dynamics.conversion.import_command import import_robot  # noqa: E402
from charmie_dynamics.conversion.mjcf_writer import write_mjcf  # noqa: E402

MASS = 1e-9  # kg, of bodies without mass
KINDS = "revolute", "prismatic", "continuous", "fixed"
FEATURES = "gravity", "spring", "damped spring", "rotor", "joint spring", "joint friction"


def robot_of(seed: int) -> DescribedSituation:
    """Return a tree whose springs are not slack, or push: MuJoCo has another law below that."""
    rng = np.random.default_rng(seed)
    joints = tuple(
        JointPlan(str(rng.choice(KINDS)), int(rng.integers(k + 1)), bool(rng.random() < 0.3))
        for k in range(int(rng.integers(1, 6)))
    )
    features = tuple(rng.choice(FEATURES, int(rng.integers(4)), replace=False).tolist())
    robot = described(Plan(joints, features, seed)).copy()
    lengths = DescribedSituation(robot).state.spring_length
    for name, spring in robot.section("springs").items():
        spring["acts"] = "tension" if lengths[name] > spring["free_length"] else "both"
    return DescribedSituation(robot)


@pytest.mark.parametrize("seed", range(60))
def test_efforts_of_an_exported_tree_are_those_of_the_imported_one(
    seed: int, tmp_path: Path
) -> None:
    s = robot_of(seed)
    file = tmp_path / "tree.xml"
    file.write_text(write_mjcf(s.model, MASS), encoding="utf-8")
    converted, imported = import_robot(file, tmp_path / "again")
    assert not converted.dropped
    model, names = imported.model, s.model.position_names
    assert sorted(model.position_names) == sorted(names) == sorted(model.actuator_names)
    order = [names.index(name) for name in model.position_names]
    found = model.compute(s.x[order], s.v[order], s.a[order]).actuator_effort
    rows = [s.model.actuator_names.index(name) for name in model.actuator_names]
    assert_close(found, s.state.actuator_effort[rows], 1e-6)
