# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The closed form of the derivatives with loop joints equals those of duals, to round-off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from loop_robots import (
    four_bar,
    hung_platform,
    looped_charmie,
    slider_crank,
    stewart,
    welded_four_bar,
)

from charmie_dynamics import Model, load_model
from charmie_dynamics.core.equations.records import DerivativeTerms
from charmie_dynamics.model.derivatives import CLOSED_DERIVATIVES, DERIVATIVES
from charmie_dynamics.model.equations.constraints import loop_constraints, reduction
from charmie_dynamics.model.equations.equations_of_motion import EQUATIONS
from charmie_dynamics.model.equations.evaluation import evaluate
from charmie_dynamics.model.equations.loop_derivatives import LoopDerivatives
from charmie_dynamics.model.equations.results import Derivatives, Equations
from charmie_dynamics.model.flat.loop_cycles import Motion


def charmie(folder: Path) -> Model:
    model = looped_charmie(folder)
    pose = {"lift_rod": 0.48, "torso_rod": 0.39}
    return Model(model.tree, replace(model.mechanisms, rest_pose=pose))


ROBOTS: dict[str, Callable[[Path], Model]] = {
    "four-bar": four_bar,
    "four-bar with a ball": lambda folder: four_bar(folder, "spherical"),
    "welded four-bar": welded_four_bar,
    "slider-crank": slider_crank,
    "delta": lambda _: load_model("delta"),
    "stewart": stewart,
    "stewart with distances": lambda folder: stewart(folder, "distance"),
    "floating platform": hung_platform,
    "charmie": charmie,
    "excavator": lambda _: load_model("excavator"),
    "scissor lift": lambda _: load_model("scissor_lift"),
    "parallel gripper": lambda _: load_model("parallel_gripper"),
}


def moving(model: Model, seed: int) -> Motion:
    """Return a closed motion near the position of rest."""
    rng = np.random.default_rng(seed)
    passive = model.mechanisms.passive_joints
    kept = [k for k, name in enumerate(model.velocity_names) if name not in passive]
    velocity, acceleration = np.zeros((2, len(model.velocity_names)))
    velocity[kept], acceleration[kept] = rng.uniform(-0.5, 0.5, (2, len(kept)))
    found: Motion = model.assemble(model.rest_position(), velocity, acceleration)
    return found


def by_duals(model: Model, motion: Motion) -> DerivativeTerms:
    """Return the derivatives of robots whose loops determine all passive joints."""
    robot, (position, velocity, acceleration) = model.robot, motion
    found = reduction(robot.flat, motion, loop_constraints(robot, motion))
    terms = Equations(*evaluate(robot, EQUATIONS, motion))
    a = found.ratio @ acceleration[found.index] + found.drift @ velocity
    motion = position, velocity, a
    tree = Derivatives(*evaluate(robot, DERIVATIVES, motion))
    return LoopDerivatives(robot, motion, found, tree, terms.effort(velocity, a)).by_state()


@pytest.mark.parametrize("name", ROBOTS)
def test_the_closed_form_equals_duals(name: str, tmp_path: Path) -> None:
    model = ROBOTS[name](tmp_path)
    for seed in range(3):
        motion = moving(model, seed)
        block, _ = evaluate(model.robot, CLOSED_DERIVATIVES, motion)
        assert np.isfinite(block).all(), "the kernel doubts a state that is clear"
        expected = by_duals(model, motion)
        found = model.derivatives(*motion)
        for field, array in expected._asdict().items():
            size = max(1.0, float(np.abs(array).max()))
            np.testing.assert_allclose(getattr(found, field), array, rtol=0.0, atol=1e-11 * size)
