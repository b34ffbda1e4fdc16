# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots that are not as they are described, and their efforts as sensors tell them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are identified")

from charmie_dynamics import Model
from charmie_dynamics.model.description.robot import Inertial, JointFriction, Link
from charmie_dynamics.studies import EffortSamples, IdentificationResult, samples_of_motion

RATE = 100.0  # Hz


class Recorded(NamedTuple):
    """A motion, and the efforts that were measured with it."""

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    effort: np.ndarray


def other_robot(
    model: Model,
    rng: np.random.Generator,
    *,
    inertials: float = 0.2,
    springs: float = 0.0,
    viscous: float = 0.0,
    coulomb: float = 0.0,
) -> Model:
    """Return a robot whose numbers differ from a model's by shares of this size."""

    def factor(size: float) -> float:
        return float(np.exp(size * rng.uniform(-1.0, 1.0)))

    def changed(link: Link) -> Link:
        own = link.inertial
        if own is None or own.mass == 0.0:
            return link
        grown = factor(inertials)
        body = Inertial(
            mass=own.mass * grown,
            p_link_com=own.p_link_com + 0.1 * inertials * rng.uniform(-1.0, 1.0, 3),
            inertia=own.inertia * grown * factor(inertials),
        )
        return replace(link, inertial=body)

    changes: dict[str, Any] = {}
    for section, part in model.mechanisms.parts():
        if part.spring_ends is not None and springs:
            law = {
                "stiffness": part.stiffness * factor(springs),
                "pretension": part.pretension * factor(springs),
            }
            part = replace(part, **law)
        changes.setdefault(section, []).append(part)
    if viscous or coulomb:
        changes["friction"] = {
            name: JointFriction(viscous * factor(0.3), coulomb * factor(0.3))
            for name in model.actuator_names
        }
    changes = {key: value if key == "friction" else tuple(value) for key, value in changes.items()}
    links = {name: changed(link) for name, link in model.tree.links.items()}
    return Model(replace(model.tree, links=links), replace(model.mechanisms, **changes))


def recorded(true: Model, motion: Any, duration: float) -> Recorded:
    """Return a motion of a robot, a function of times, and its efforts with friction."""
    time = np.arange(0.0, duration, 1.0 / RATE)
    position, velocity, acceleration = motion(time)
    effort = true.compute(position, velocity, acceleration).actuator_effort
    return Recorded(time, position, velocity, acceleration, effort)


def with_noise(effort: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return efforts with noise, in the root mean square of each actuator's."""
    usual = np.sqrt(np.mean(effort**2, axis=0))
    return effort + share * usual * rng.normal(size=effort.shape)


def samples_of(model: Model, data: Recorded, effort: np.ndarray | None = None) -> EffortSamples:
    motion = data.position, data.velocity, data.acceleration
    return samples_of_motion(model, data.time, motion, data.effort if effort is None else effort)


def true_base(result: IdentificationResult, true: Model) -> np.ndarray:
    values = [true.inertial_parameters]
    parts = {part.name: part for _, part in true.mechanisms.parts()}
    for name in true.spring_names if result.columns.unknowns.springs else ():
        values.append([parts[name].stiffness, parts[name].pretension])
    return result.columns.base.combination @ np.concatenate(values)
