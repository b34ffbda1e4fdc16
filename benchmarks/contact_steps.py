# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a stiff foot costs ATHENA: the step that it needs, and times real time with it."""

from __future__ import annotations

import math
from statistics import median
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.contact.stiffness import compliance, hertz_stiffness
from charmie_dynamics.numerics.vectors import Floats

from .contact_cases import PERIOD, SCALE_DAMPING, SCALE_STIFFNESS, Case, feet_of
from .contact_speed import Measured, plant_run

MATERIALS = {
    "foam": (1e6, 0.3),
    "soft rubber": (5e6, 0.49),
    "hard rubber": (2e7, 0.49),
    "polyurethane": (1e8, 0.48),
    "nylon": (2e9, 0.4),
    "steel": (2.1e11, 0.3),
}  # Young's modulus (Pa), Poisson's ratio
PERIODS = 400
FINER = 4  # times as many steps, of the run that an error is held against
METHODS = ("rk4", "semi_implicit_euler")


class StiffFoot(NamedTuple):
    """A foot of a material on a rigid floor.

    Attributes
    ----------
    material : str
    young : float
        Young's modulus (Pa).
    stiffness : float
        K (N/m^1.5).
    indentation : float
        Under a sixth of the weight (m).
    steps, errors, real_times : dict of str to float
        By the method: step that is needed (s), error of the base (m), times real time.
    """

    material: str
    young: float
    stiffness: float
    indentation: float
    steps: dict[str, float]
    errors: dict[str, float]
    real_times: dict[str, float]


def measure(case: Case, rounds: int) -> list[StiffFoot]:
    """Return what each material costs; all take turns."""
    radius, load = feet_of(case)
    servo = case.servo.first(PERIODS)
    runs, found = {}, []
    for material, (young, poisson) in MATERIALS.items():
        stiffness = hertz_stiffness(radius, 1.0 / compliance(young, poisson))
        indentation = (load / stiffness) ** (2.0 / 3.0)
        along = 1.5 * stiffness * math.sqrt(indentation)
        world = case.with_contacts(
            "contacts:\n  default:\n    normal: lankarani_nikravesh\n"
            f"    stiffness: {stiffness!r}\n    restitution: 0.3\n    least_speed: 0.05\n"
            "    friction: elasto_plastic\n    kinetic: 0.6\n    static: 0.7\n"
            f"    tangential_stiffness: {SCALE_STIFFNESS * along!r}\n"
            f"    tangential_damping: {SCALE_DAMPING * math.sqrt(along)!r}\n"
        )
        foot = StiffFoot(material, young, stiffness, indentation, {}, {}, {})
        for method in METHODS:
            need = world.contact_need(method)
            steps = 1 if need is None else max(1, math.ceil(PERIOD / need.step))
            foot.steps[method] = PERIOD / steps
            run = plant_run(world, servo, method, steps)
            fine = plant_run(world, servo, "rk4", FINER * steps)().base
            foot.errors[method] = _apart(run(), fine)
            runs[len(found), method] = run
        found.append(foot)
    times: dict[tuple[int, str], list[float]] = {key: [] for key in runs}
    generator, keys = np.random.default_rng(2), list(runs)
    for _ in range(rounds):
        for k in generator.permutation(len(keys)).tolist():
            times[keys[k]].append(runs[keys[k]]().time)
    for (k, method), seconds in times.items():
        found[k].real_times[method] = PERIODS * PERIOD / median(seconds)
    return found


def _apart(run: Measured, fine: Floats) -> float:
    return float(np.linalg.norm(run.base - fine, axis=1).max())
