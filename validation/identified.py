# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots that are identified again: perturbed ones with the sensors of real ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.model.description.robot import Inertial, JointFriction, Link
from charmie_dynamics.motions import SampledMotion
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies import (
    EffortSamples,
    IdentificationResult,
    identify,
    samples_of_positions,
)

INERTIALS, CENTRES, SPRINGS = 0.3, 0.02, 0.1  # shares, m, shares by which robots differ
VISCOUS, COULOMB = 0.02, 0.02  # of the rated effort, at the rated velocity and at all
RESOLUTION = {"N m": 1e-4, "N": 1e-5}  # rad, m
NOISE = {"N m": 5e-5, "N": 5e-6}
EFFORT_NOISE = 0.01  # of the usual effort, and at least of the resolution
EFFORT_RESOLUTION = 2e-4  # of the rated effort


@dataclass(frozen=True)
class Run:
    """One robot that was identified.

    Attributes
    ----------
    inside, numbers : int
        Base parameters within their intervals, and all of them.
    written : int
        Those of the written robot within the intervals.
    determined : int
    errors : tuple of float
        RMS error of efforts on an unseen motion over RMS efforts, largest over the actuators:
        described with described friction, identified.
    total : tuple of float
        The same, root of the mean square over the actuators.
    """

    inside: int
    numbers: int
    written: int
    determined: int
    errors: tuple[float, float]
    total: tuple[float, float]


def other_robot(model: Model, rng: np.random.Generator) -> Model:
    """Return a robot that is not quite as described."""

    def changed(link: Link) -> Link:
        own = link.inertial
        if own is None or own.mass == 0.0:
            return link
        grown, wider = np.exp(INERTIALS * rng.uniform(-1.0, 1.0, 2))
        shift = CENTRES * rng.uniform(-1.0, 1.0, 3)
        body = Inertial(own.mass * grown, own.p_link_com + shift, own.inertia * grown * wider)
        return replace(link, inertial=body)

    sections: dict[str, Any] = {}
    for section, part in model.mechanisms.parts():
        own: Any = part
        if part.spring_ends is not None:
            k, p = np.exp(SPRINGS * rng.uniform(-1.0, 1.0, 2))
            law: dict[str, Any] = {
                "stiffness": own.stiffness * k, "pretension": own.pretension * p,
            }  # fmt: skip
            own = replace(part, **law)
        sections.setdefault(section, []).append(own)
    changes: dict[str, Any] = {name: tuple(parts) for name, parts in sections.items()}
    changes["friction"] = {
        name: JointFriction(
            VISCOUS * limit.effort / limit.velocity * rng.uniform(0.5, 1.5),
            COULOMB * limit.effort * rng.uniform(0.5, 1.5),
        )
        for name, limit in zip(model.actuator_names, model.actuator_limits(), strict=True)
    }
    links = {name: changed(link) for name, link in model.tree.links.items()}
    return Model(replace(model.tree, links=links), replace(model.mechanisms, **changes))


def effort_of(robot: Model, motion: SampledMotion) -> Floats:
    """Return the efforts along a motion, with friction."""
    return robot.compute(*motion[1:]).actuator_effort


def measured(
    model: Model, true: Model, motion: SampledMotion, rng: np.random.Generator
) -> EffortSamples:
    """Return what sensors tell of a motion: encoders alone, and efforts with noise."""
    units = model.effort_units
    step = np.array([RESOLUTION[unit] for unit in units])
    noise = np.array([NOISE[unit] for unit in units])
    position = motion.position + noise * rng.normal(size=motion.position.shape)
    position = step * np.round(position / step)
    effort = effort_of(true, motion)
    usual = np.sqrt(np.mean(effort**2, axis=0))
    quantum = EFFORT_RESOLUTION * np.array([limit.effort for limit in model.actuator_limits()])
    # noise below the resolution would not be noise: the same step for long
    size = np.maximum(EFFORT_NOISE * usual, quantum)
    effort = effort + size * rng.normal(size=effort.shape)
    effort = quantum * np.round(effort / quantum)
    return samples_of_positions(model, motion.time, position, effort)


def written_robot(result: IdentificationResult) -> Model:
    """Return the robot that was identified."""
    model = result.model
    links = {
        name: replace(link, inertial=result.inertials.get(name, link.inertial))
        for name, link in model.tree.links.items()
    }
    sections: dict[str, Any] = {}
    for section, part in model.mechanisms.parts():
        own = part
        if part.name in result.springs:
            stiffness, pretension = result.springs[part.name]
            law: dict[str, Any] = {"stiffness": stiffness, "pretension": pretension}
            own = replace(part, **law)
        sections.setdefault(section, []).append(own)
    changes: dict[str, Any] = {name: tuple(parts) for name, parts in sections.items()}
    changes["friction"] = dict(result.friction)
    return Model(replace(model.tree, links=links), replace(model.mechanisms, **changes))


def true_values(result: IdentificationResult, true: Model) -> Floats:
    """Return the base parameters of the robot that was measured."""
    parts = {part.name: part for _, part in true.mechanisms.parts()}
    springs = [
        getattr(parts[name], what)
        for name in (true.spring_names if result.columns.unknowns.springs else ())
        for what in ("stiffness", "pretension")
    ]
    combined = np.concatenate((true.inertial_parameters, springs))
    values: Floats = result.columns.base.combination @ combined
    return values


def run(model: Model, motion: SampledMotion, unseen: SampledMotion, seed: int) -> Run:
    """Identify one robot from a motion, and judge it on another."""
    rng = np.random.default_rng(seed)
    true = other_robot(model, rng)
    result = identify(model, [measured(model, true, motion, rng)])
    expected = true_values(result, true)
    numbers = result.numbers[: len(expected)]
    pairs = list(zip(numbers, expected.tolist(), strict=True))
    effort = effort_of(true, unseen)
    usual = np.sqrt(np.mean(effort**2, axis=0))
    moved = result.columns.actuators
    shares = [
        (np.sqrt(np.mean((effort_of(robot, unseen) - effort) ** 2, axis=0)) / usual)[moved]
        for robot in (model, written_robot(result))
    ]
    return Run(
        sum(abs(n.estimate - value) <= n.half_width for n, value in pairs),
        len(pairs),
        sum(abs(n.written - value) <= n.half_width for n, value in pairs),
        sum(n.is_determined for n in numbers),
        (float(shares[0].max()), float(shares[1].max())),
        (float(np.sqrt(np.mean(shares[0] ** 2))), float(np.sqrt(np.mean(shares[1] ** 2)))),
    )
