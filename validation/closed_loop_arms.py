# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random arms with two joints under a PD loop, with friction that sticks; many at once.

The equations of motion are written by hand, with points of the plane as complex numbers x - i z:
a turn about +y by q is a product with exp(i q).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.robot import Inertial
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.studies import IdentificationSettings, identify, samples_of_positions

GRAVITY, STEP, CONTROL, RATE = 9.81, 1e-3, 1, 100  # m/s^2, s, steps of a control cycle, Hz
ELBOW = 0.45 - 0.05j
SPAN, FASTEST = np.array([1.3, 2.0]), np.array([2.0, 3.0])  # rad, rad/s
RATED = np.array([70.0, 25.0])  # N m
MASS, CENTRE, INERTIA = np.array([6.0, 3.0]), np.array([0.2 - 0.01j, 0.15 + 0.02j]), (0.12, 0.05)
STIFFNESS, DAMPING = np.array([2000.0, 500.0]), np.array([100.0, 20.0])
# the low pass is none, and takes most of the time
WITHOUT_FILTER = IdentificationSettings(effort_cutoff=math.inf)


class Coverage(NamedTuple):
    """Shares of the base parameters and of the friction parameters within their intervals."""

    base: float
    friction: float


class Arms(NamedTuple):
    """The true numbers of n arms: masses, centres, moments of inertia, friction; (n, 2) each."""

    mass: np.ndarray
    centre: np.ndarray
    inertia: np.ndarray
    viscous: np.ndarray
    coulomb: np.ndarray


class Recordings(NamedTuple):
    """What sensors measure of n arms: time (k,), positions and efforts (n, k, 2)."""

    time: np.ndarray
    position: np.ndarray
    effort: np.ndarray


def described_arm() -> Model:
    """Return the arm as its URDF describes it."""
    links, parent = '<link name="base"/>', "base"
    for j in range(2):
        at = ELBOW if j else 0.0
        x, z = at.real, -at.imag
        links += (
            f'<link name="link_{j}"><inertial><origin xyz="{CENTRE[j].real} 0 {-CENTRE[j].imag}"/>'
            f'<mass value="{MASS[j]}"/><inertia ixx="0.03" ixy="0" ixz="0" iyy="{INERTIA[j]}" '
            f'iyz="0" izz="{INERTIA[j]}"/></inertial></link>'
            f'<joint name="joint_{j}" type="revolute"><parent link="{parent}"/>'
            f'<child link="link_{j}"/><origin xyz="{x} 0 {z}"/><axis xyz="0 1 0"/><limit '
            f'lower="{-SPAN[j]}" upper="{SPAN[j]}" effort="{RATED[j]}" velocity="{FASTEST[j]}"/>'
            "</joint>"
        )
        parent = f"link_{j}"
    return Model(parse_urdf(f'<robot name="arm">{links}</robot>', "arm"), MechanismSet())


def random_arms(count: int, rng: np.random.Generator) -> Arms:
    """Return arms whose numbers differ from the described ones by up to a third."""
    grown, wider = np.exp(0.3 * rng.uniform(-1.0, 1.0, (2, count, 2)))
    x, z = 0.02 * rng.uniform(-1.0, 1.0, (2, count, 2))
    part = rng.uniform(0.5, 1.5, (2, count, 2))
    return Arms(
        MASS * grown, CENTRE + x + 1j * z, np.array(INERTIA) * grown * wider,
        0.02 * RATED / FASTEST * part[0], 0.03 * RATED * part[1],
    )  # fmt: skip


def true_arm(model: Model, arms: Arms, k: int) -> Model:
    """Return one of the arms as a model, without friction."""
    links = dict(model.tree.links)
    for j in range(2):
        own = links[f"link_{j}"].inertial
        assert own is not None
        moments = own.inertia.copy()
        moments[1, 1] = arms.inertia[k, j]
        centre = arms.centre[k, j]
        body = Inertial(arms.mass[k, j], np.array([centre.real, 0.0, -centre.imag]), moments)
        links[f"link_{j}"] = replace(links[f"link_{j}"], inertial=body)
    return Model(replace(model.tree, links=links), model.mechanisms)


def equations(arms: Arms, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mass matrices (n, 2, 2), and efforts (n, 2) of Coriolis forces and gravity."""
    m1, m2 = arms.mass.T
    c1, c2 = arms.centre.T
    J1, J2 = arms.inertia.T
    coupled = m2 * ELBOW * np.conj(c2) * np.exp(-1j * q[:, 1])
    A, B = coupled.real, coupled.imag  # B is the derivative of A by the second angle
    inner = J2 + m2 * abs(c2) ** 2
    M = np.empty((len(q), 2, 2))
    M[:, 0, 0] = J1 + inner + m1 * abs(c1) ** 2 + m2 * abs(ELBOW) ** 2 + 2.0 * A
    M[:, 0, 1] = M[:, 1, 0] = inner + A
    M[:, 1, 1] = inner
    outer = m2 * c2 * np.exp(1j * (q[:, 0] + q[:, 1]))
    first = (m1 * c1 + m2 * ELBOW) * np.exp(1j * q[:, 0])
    h = np.empty((len(q), 2))
    h[:, 0] = B * (2.0 * v[:, 0] * v[:, 1] + v[:, 1] ** 2) - GRAVITY * (first + outer).real
    h[:, 1] = -B * v[:, 0] ** 2 - GRAVITY * outer.real
    return M, h


def references(
    count: int, duration: float, base: float, harmonics: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return desired positions and velocities (k, n, 2) of random Fourier series."""
    time = np.arange(0.0, duration, STEP * CONTROL)[:, None, None]
    position, velocity = np.zeros((2, len(time), count, 2))
    for k in range(1, harmonics + 1):
        a, b = rng.normal(size=(2, count, 2))
        w = 2.0 * np.pi * base * k
        position += a / w * np.sin(w * time) - b / w * np.cos(w * time)
        velocity += a * np.cos(w * time) + b * np.sin(w * time)
    size = 0.85 * np.minimum(SPAN / abs(position).max(axis=0), FASTEST / abs(velocity).max(axis=0))
    return size * position, size * velocity


def recorded_arms(
    arms: Arms,
    rng: np.random.Generator,
    *,
    duration: float = 20.0,
    base: float = 0.1,
    harmonics: int = 5,
    noise: float = 5e-5,
    effort_noise: float = 0.01,
    ramp: float = 0.0,
) -> Recordings:
    """Return what is measured while all arms follow random motions.

    Parameters
    ----------
    noise : float
        Standard deviation of the positions (rad), which the loop has as well.
    effort_noise : float
        Standard deviation of the efforts, relative to their root mean square.
    ramp : float
        Speed of the friction law tanh(v / ramp); 0: joints stick.
    """
    count = len(arms.mass)
    position, velocity = references(count, duration, base, harmonics, rng)
    q, v = position[0].copy(), velocity[0].copy()
    measured, efforts = np.empty((2, len(position), count, 2))
    for k in range(len(position)):
        measured[k] = q + noise * rng.normal(size=q.shape)
        efforts[k] = STIFFNESS * (position[k] - measured[k]) + DAMPING * (velocity[k] - v)
        for _ in range(CONTROL):
            q, v = _moved(arms, q, v, efforts[k], ramp)
    every = round(1.0 / (RATE * STEP * CONTROL))
    effort = efforts[::every].swapaxes(0, 1)
    usual = np.sqrt(np.mean(effort**2, axis=1, keepdims=True))
    effort = effort + effort_noise * usual * rng.normal(size=effort.shape)
    time = np.arange(effort.shape[1]) / RATE
    return Recordings(time, measured[::every].swapaxes(0, 1), effort)


def _moved(
    arms: Arms, q: np.ndarray, v: np.ndarray, effort: np.ndarray, ramp: float
) -> tuple[np.ndarray, np.ndarray]:
    M, h = equations(arms, q, v)
    M[:, [0, 1], [0, 1]] += STEP * arms.viscous
    det = M[:, 0, 0] * M[:, 1, 1] - M[:, 0, 1] ** 2
    inverse = (
        np.stack((M[:, 1, 1], -M[:, 0, 1], -M[:, 0, 1], M[:, 0, 0]), axis=1).reshape(-1, 2, 2)
        / det[:, None, None]
    )
    free = (effort - h) * STEP - STEP * arms.viscous * v
    if ramp:
        free = free - STEP * arms.coulomb * np.tanh(v / ramp)
    v = v + (inverse @ free[:, :, None])[:, :, 0]
    if not ramp:
        # impulses of friction, each as large as it takes to stop its joint, but limited
        most = arms.coulomb * STEP
        impulse = np.zeros_like(v)
        for _ in range(4):
            for j in range(2):
                slip = v[:, j] + (inverse[:, j] * impulse).sum(axis=1)
                target = impulse[:, j] - slip / inverse[:, j, j]
                impulse[:, j] = np.clip(target, -most[:, j], most[:, j])
        v = v + (inverse @ impulse[:, :, None])[:, :, 0]
    return q + STEP * v, v


def coverage(seed: int, count: int, **how: Any) -> Coverage:
    """Identify random arms; `how` are options of `recorded_arms`."""
    rng = np.random.default_rng(seed)
    model, arms = described_arm(), random_arms(count, rng)
    data = recorded_arms(arms, rng, **how)
    base: list[bool] = []
    friction: list[bool] = []
    for k in range(count):
        samples = samples_of_positions(model, data.time, data.position[k], data.effort[k])
        result = identify(model, [samples], WITHOUT_FILTER)
        names = result.columns.base.names
        expected = result.columns.base.combination @ true_arm(model, arms, k).inertial_parameters
        own = np.column_stack((arms.viscous[k], arms.coulomb[k])).ravel()
        for number, value in zip(result.numbers, (*expected, *own), strict=True):
            found = base if number.name in names else friction
            found.append(abs(number.estimate - value) <= number.half_width)
    return Coverage(float(np.mean(base)), float(np.mean(friction)))
