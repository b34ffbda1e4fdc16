# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Invariants of the random robots, for known ones: with all mechanisms, mimics, loops and loads."""

from __future__ import annotations

import functools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import loop_robots
import numpy as np
import pytest
from all_robots import DATA, ROBOTS, driven_arm, robot
from driven_arms import MIMICS
from floating_robots import KINDS, random_urdf
from random_states import random_state

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.files import read_text, share_file
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf

sys.path.append(str(Path(__file__).resolve().parents[2] / "combinations"))

from invariants import OF_MODELS
from situations import Situation

FRICTION = """
friction:
  slew: {viscous: 2.0, coulomb: 3.0}
  jib_cylinder: {viscous: 40.0, coulomb: 100.0}
"""
ON_FOUR_BAR = """
rotors: {crank_joint: {inertia: 1.0e-4, gear_ratio: 30}, coupler_joint: {inertia: 0.05}}
joint_springs: {s: {joint: rocker_joint, stiffness: 7.0, rest: 0.2, damping: 0.2}}
"""


def rough_crane() -> Model:
    text = (DATA / "crane.yaml").read_text(encoding="utf-8") + FRICTION
    return Model(robot("crane").tree, parse_mechanisms(text, "crane.yaml"))


def driven_four_bar() -> Model:
    """Return a four-bar with rotors, a joint spring, and friction in all joints."""
    urdf = read_text(share_file("robots", "four_bar.urdf"))
    urdf = urdf.replace("</joint>", '<dynamics damping="0.3" friction="0.2"/></joint>')
    text = read_text(share_file("robots", "four_bar.yaml")) + ON_FOUR_BAR
    return Model(parse_urdf(urdf, "four_bar.urdf"), parse_mechanisms(text, "four_bar.yaml"))


def of_folder(make: Callable[[Path], Model]) -> Callable[[], Model]:
    """Return a function that loads a robot of files that are written for it."""

    def load() -> Model:
        with tempfile.TemporaryDirectory() as folder:
            return make(Path(folder))

    return load


def floating(*kinds: str) -> Callable[[], Model]:
    def load() -> Model:
        return Model(
            parse_urdf(random_urdf(np.random.default_rng(5), kinds), "r"), parse_mechanisms("", "m")
        )

    return load


KNOWN: dict[str, Callable[[], Model]] = {
    **{name: functools.partial(robot, name) for name in ROBOTS},
    "crane with friction": rough_crane,
    "charmie_wheeled": lambda: load_model("charmie_wheeled"),
    **{
        f"arm, mimics {mimics}{', cylinder' * has_cylinder}": functools.partial(
            driven_arm, mimics, has_cylinder
        )
        for mimics in MIMICS
        for has_cylinder in (False, True)
    },
    "floating tree": floating(*KINDS),
    "two floating roots": floating("floating", "floating", "planar"),
    "driven four-bar": driven_four_bar,
    **{
        make.__name__: of_folder(make)
        for make in (
            loop_robots.four_bar,
            loop_robots.welded_four_bar,
            loop_robots.slider_crank,
            loop_robots.stewart,
            loop_robots.hung_platform,
        )
    },
    "rods": of_folder(lambda folder: loop_robots.stewart(folder, "distance")),
}


@functools.cache
def situation_of(name: str) -> Situation:
    """Return a robot in a state in which no spring is about to fall slack or joint to stick."""
    model = KNOWN[name]()
    for seed in range(20):
        x, v, a = state_of(model, np.random.default_rng(seed))
        if model.has_friction and not model.mechanisms.loop_joints:
            v = np.sign(v) * (0.5 + abs(v))
        found = Situation(model, x, v, a, margin=0.02)
        if found.is_smooth:
            return found
    raise AssertionError(f"no smooth state of {name}")


def state_of(model: Model, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    v, driven = len(model.velocity_names), model.actuator_index
    if model.mechanisms.loop_joints:
        position, velocity, acceleration = model.zero_position(), *np.zeros((2, v))
        if v < 5:
            position[:v] = (0.3 + rng.uniform(0.0, 0.5), 1.0, 0.3, 0.6)[:v]
        velocity[driven], acceleration[driven] = rng.uniform(0.5, 1.0, (2, len(driven)))
        return position, velocity, acceleration
    if len(driven) == v:
        return random_state(model, rng)
    position = rng.uniform(-1.0, 1.0, len(model.position_names))
    for name, limit in zip(model.actuator_names, model.actuator_limits(), strict=True):
        low, high = max(limit.lower, -1.5), min(limit.upper, 1.5)
        position[model.position_names.index(name)] = low + rng.uniform(0.05, 0.95) * (high - low)
    return model.normalised_position(position), *rng.uniform(-1.0, 1.0, (2, v))


@pytest.mark.parametrize("invariant", OF_MODELS)
@pytest.mark.parametrize("name", KNOWN)
def test_invariants_hold(name: str, invariant: str) -> None:
    OF_MODELS[invariant](situation_of(name))
