# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Heaps of spheres, by this package with default settings and by MuJoCo.

Both have the same bodies and the same linear springs and dampers. The error of a run is against a
fine run of the same program, at `TIMES`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from statistics import median
from time import thread_time
from typing import NamedTuple

import numpy as np

from charmie_dynamics.model.description.world import parse_world
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World
from validation.harness import tables
from validation.harness.tables import at_least
from validation.harness.timing import turns

from .contact_speed import OURS, SAME, THEIRS

COUNTS = (20, 60, 200)
TIMES = (0.1, 0.2, 0.3)  # s, of the errors: later the motion is chaotic
DURATION = 1.0  # s, of the CPU time
RADIUS, MASS = 0.05, 0.5  # m, kg
STIFFNESS, DAMPING, FRICTION = 2e4, 40.0, 0.5  # N/m, N s/m of the ground; half of them of a pair
IMPEDANCE = 1e-4  # the least that MuJoCo takes: see `validation.mujoco_world`
FINE = 2.5e-5  # s
STEPS = (1e-3, 5e-4, 2.5e-4)  # s, of MuJoCo


class HeapRun(NamedTuple):
    """A run: positions (k, bodies, 3) at `TIMES`, and its CPU time (s)."""

    position: Floats
    time: float


def places_of(count: int) -> Floats:
    """Return where the spheres (count, 3) begin: in layers, each shifted at random (m)."""
    width = int(np.ceil((count / 3.0) ** 0.5))
    k = np.arange(count)
    layer, rest = k // width**2, k % width**2
    grid = np.stack((rest // width, rest % width, layer + 0.55), axis=1)
    shift = np.random.default_rng(count).uniform(-0.02, 0.02, (count, 3))
    found: Floats = 2.2 * RADIUS * (grid + shift)
    return found


def our_world(count: int) -> World:
    """Return the heap as a world of this package."""

    def law(share: float) -> str:
        stiffness, damping = share * STIFFNESS, share * DAMPING
        return (
            f"normal: kelvin_voigt, stiffness: {stiffness}, damping: {damping}, "
            f"friction: elasto_plastic, kinetic: {FRICTION}, tangential_stiffness: 0.001, "
            f"tangential_damping: {damping}"
        )

    lines = ["contacts:", f"  default: {{{law(0.5)}}}", "  pairs:"]
    lines += [f"  - {{between: [ground, s{i}], {law(1.0)}}}" for i in range(count)]
    lines += ["entities:", "  ground: {shape: plane}"]
    for i, (x, y, z) in enumerate(places_of(count).tolist()):
        pose = f"[{x!r}, {y!r}, {z!r}, 0, 0, 0]"
        lines.append(f"  s{i}: {{shape: sphere, size: [{RADIUS}], mass: {MASS}, pose: {pose}}}")
    return World(parse_world("\n".join(lines), "heap.yaml"), "heap.yaml")


def ours(count: int, step: float | None = None) -> HeapRun:
    """Simulate with default settings, or with fixed steps."""
    world = our_world(count)
    times = [0.0, *TIMES, DURATION]
    begin = thread_time()
    if step is None:
        run = world.simulate(DURATION, times=times)
    else:
        run = world.simulate(DURATION, times=times, integrator="rk4", step=step)
    seconds = thread_time() - begin
    places = np.stack([run.pose(f"s{i}")[0][1:-1] for i in range(count)], axis=1)
    return HeapRun(places, seconds)


def theirs(count: int, method: str, step: float) -> HeapRun:
    """Simulate with MuJoCo, whose springs of a pair act in series."""
    import mujoco

    share = 1.0 - IMPEDANCE
    geom = (
        f'type="sphere" size="{RADIUS}" mass="{MASS}" condim="3" friction="{FRICTION} 0 0" '
        f'solimp="{IMPEDANCE} {IMPEDANCE} 0.001 0.5 2" '
        f'solref="{-STIFFNESS * share!r} {-DAMPING * share!r}"'
    )
    bodies = "".join(
        f'<body pos="{x!r} {y!r} {z!r}"><freejoint/><geom {geom}/></body>'
        for x, y, z in places_of(count).tolist()
    )
    sphere = f'type="sphere" size="{RADIUS}" mass="{MASS}"'
    ground = geom.replace(sphere, 'type="plane" size="9 9 1"')
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step!r}" integrator="{method}" cone="elliptic" '
        f'gravity="0 0 -9.81"/><worldbody><geom {ground}/>{bodies}</worldbody></mujoco>'
    )
    model.body_invweight0[1:, 0] = 1.0
    data = mujoco.MjData(model)
    places = np.empty((len(TIMES), count, 3))
    begin = thread_time()
    for k in range(len(TIMES)):
        mujoco.mj_step(model, data, nstep=round(TIMES[0] / step))
        places[k] = data.qpos.reshape(count, 7)[:, :3]
    mujoco.mj_step(model, data, nstep=round((DURATION - TIMES[-1]) / step))
    return HeapRun(places, thread_time() - begin)


def table(rounds: int = 3) -> str:
    """Measure all heaps; both programs in turn, so that a busy machine slows both."""
    rows: list[tuple[str, ...]] = []
    for count in COUNTS:
        runs: dict[tuple[str, str], Callable[[], HeapRun]] = {
            (OURS, "default"): partial(ours, count)
        }
        for method, step in product(("RK4", "Euler"), STEPS):
            runs[THEIRS, f"`{method}`, {1e3 * step:g} ms"] = partial(theirs, count, method, step)
        exact = {OURS: ours(count, FINE).position, THEIRS: theirs(count, "RK4", FINE).position}
        errors = {
            key: float(np.abs(run().position - exact[key[0]]).max()) for key, run in runs.items()
        }
        seconds = turns({key: timed(run) for key, run in runs.items()}, rounds)
        times = {key: median(found) for key, found in seconds.items()}
        own = OURS, "default"
        for key, error in errors.items():
            as_exact = key[0] == THEIRS and error <= SAME * errors[own]
            ratio = at_least(times[key] / times[own], 1.0 if as_exact else None, ".2f")
            rows.append((str(count), *key, f"{1e6 * error:.2g}", ratio))
        gap = float(np.abs(exact[OURS] - exact[THEIRS]).max())
        print(f"{count} spheres: both programs differ by {gap:.1e} m", file=sys.stderr)
    heads = (">spheres", "program", "method", ">error (um)", ">CPU time over ours")
    return tables.table(heads, rows)


def timed(run: Callable[[], HeapRun]) -> Callable[[], float]:
    """Return what makes a run and returns its CPU time (s)."""
    return lambda: run().time
