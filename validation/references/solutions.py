# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The answers of all problems at some times, as they are kept in test/reference/problems.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from validation.problems import four_bar as fb
from validation.problems import governor as gv
from validation.problems import pendulum, squeezer
from validation.problems import slider_crank as sc
from validation.problems.four_bars import answer as uprights

from . import free_box, planar, trees
from .bricard import bricard
from .governor import governor
from .lagrange import System

Solution = dict[str, Any]  # times, positions and velocities by name, energy drift of the reference


def solve_squeezer() -> Solution:
    """Return A03 in the angles of the test set."""
    system, times = planar.squeezer(), np.linspace(0.0, 0.03, 7)
    q, v = system.motion(list(squeezer.START.values()), np.zeros(7), times)
    work = squeezer.TORQUE * (q[:, 0] - q[0, 0])
    return _solution(
        times, system, q, v, dict(zip(system.coordinates, np.eye(7), strict=True)), work
    )


def solve_bricard(width: float) -> Solution:
    """Return A04."""
    system, times = bricard(width), np.linspace(0.0, 10.0, 11)
    q, v = system.motion(np.zeros(2), np.zeros(2), times)
    hinges = {f"hinge_{i + 1}": np.eye(2)[i % 2] for i in range(5)}
    return _solution(times, system, q, v, hinges)


def solve_governor() -> Solution:
    """Return A05; the energy falls by what the dampers take, so that it says nothing here."""
    system, times = governor(), np.linspace(0.0, 10.0, 21)
    q, v = system.motion(np.zeros(3), (gv.SPIN, 0.0, 0.0), times)
    spin, slide, drop = np.eye(3)
    names = {"spin": spin, "slide": slide, "left_hinge": drop, "right_hinge": drop}
    found = _solution(times, system, q, v, names)
    del found["energy_drift"]
    return found


def solve_slider_crank(cut: str) -> Solution:
    """Return the slider-crank."""
    system, times = planar.slider_crank(), np.linspace(0.0, 2.0, 11)
    start = system.closed((sc.ANGLE, 0.0, 1.0), (sc.SPEED, 0.0, 0.0), 1)
    q, v = system.motion(*start, times)
    crank, rod, slide = np.eye(3)
    last = slide if cut == "pin" else -rod
    names = {"crank_joint": crank, "rod_joint": rod - crank, "slider_joint": last}
    return _solution(times, system, q, v, names, sc.TORQUE * (q[:, 0] - q[0, 0]))


def solve_four_bar(seed: int) -> Solution:
    """Return a four-bar of random geometry."""
    system, times = planar.four_bar(seed), np.linspace(0.0, 1.0, 11)
    g = fb.geometry(seed)
    start = system.closed(np.zeros(3), (g.speed, 0.0, 0.0), 1)
    q, v = system.motion(*start, times)
    crank, coupler, follower = np.eye(3)
    names = {"crank_joint": crank, "coupler_joint": coupler - crank, "follower_joint": follower}
    return _solution(times, system, q, v, names, g.torque * (q[:, 0] - q[0, 0]))


def solve_cart_pole() -> Solution:
    """Return the light cart-pole."""
    system, times = trees.cart_pole(), np.linspace(0.0, 10.0, 11)
    q, v = system.motion([0.0], [0.0], times)
    found = _solution(times, system, q, v, {"pole_joint": np.eye(1)[0]})
    found["positions"]["cart_joint"] = trees.slide_of_cart(q[:, 0]).tolist()
    return found


def solve_chain(count: int, duration: float) -> Solution:
    """Return a chain; angles between the rods, as the joints of the tree."""
    chain, times = trees.Chain(count), np.linspace(0.0, duration, 6)
    q, v = chain.motion(times)
    between = np.eye(count) - np.eye(count, k=-1)
    names = {f"hinge_{i}": row for i, row in enumerate(between)}
    return _solution(times, chain, q, v, names)


def solve_free_box() -> Solution:
    """Return the box, by rows of its joint."""
    times = np.linspace(0.0, 2.0, 11)
    q, v = free_box.motion(times)
    return {"times": times.tolist(), "position": q.tolist(), "velocity": v.tolist()}


def solve_pendulum() -> Solution:
    """Return A01."""
    times = np.linspace(0.0, 10.0, 11)
    angles = [pendulum.answer(time) for time in times]
    return {"times": times.tolist(), "positions": {"hinge": angles}}


def solve_four_bars(count: int) -> Solution:
    """Return A02: all uprights turn as one."""
    times = np.linspace(0.0, 10.0, 11)
    angles = [uprights(count, time) if time else 0.0 for time in times]
    positions = {f"pivot_{i}": angles for i in range(count + 1)}
    positions |= {f"corner_{i}": [-angle for angle in angles] for i in range(count)}
    return {"times": times.tolist(), "positions": positions}


SOLUTIONS: Mapping[str, Callable[[], Solution]] = {
    "A01": solve_pendulum,
    "A02_2": lambda: solve_four_bars(2),
    "A02_3": lambda: solve_four_bars(3),
    "A02_40": lambda: solve_four_bars(40),
    "A03": solve_squeezer,
    "A04": lambda: solve_bricard(0.1),
    "A04_slender": lambda: solve_bricard(0.0),
    "A05": solve_governor,
    "slider_crank_pin": lambda: solve_slider_crank("pin"),
    "slider_crank_slide": lambda: solve_slider_crank("slide"),
    "four_bar_1": lambda: solve_four_bar(1),
    "four_bar_2": lambda: solve_four_bar(2),
    "four_bar_3": lambda: solve_four_bar(3),
    "free_box": solve_free_box,
    "chain_2": lambda: solve_chain(2, 5.0),
    "chain_10": lambda: solve_chain(10, 1.0),
    "chain_100": lambda: solve_chain(100, 0.5),
    "cart_pole": solve_cart_pole,
}


def _solution(
    times: Any,
    system: System | trees.Chain,
    q: Any,
    v: Any,
    names: Mapping[str, Any],
    work: Any = 0.0,
) -> Solution:
    """Return a solution: each name is a combination of the coordinates."""
    energy = np.array([system.energy(a, b) for a, b in zip(q, v, strict=True)]) - work
    return {
        "times": np.asarray(times).tolist(),
        "positions": {name: (q @ np.asarray(row)).tolist() for name, row in names.items()},
        "velocities": {name: (v @ np.asarray(row)).tolist() for name, row in names.items()},
        "energy_drift": float(np.abs(energy - energy[0]).max()),
    }
