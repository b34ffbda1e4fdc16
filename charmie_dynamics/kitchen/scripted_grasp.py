# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A scripted grasp: grip the can, lift it, and put it down on the other table.

The script knows the poses of can and tables. Inverse kinematics gives the positions at the points
of its path for all worlds at once; between two points the actuators move from rest to rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import SimulationError
from charmie_dynamics.motions.tool_lines import ToolLines, from_rest_to_rest
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import JointDrives, PlantBatch, World
from charmie_dynamics.simulation.session.session import ENERGY_TOLERANCE

from .scene import (
    ACTUATORS,
    CAN,
    DRIVE_FREQUENCY,
    GRIPPER,
    GRIPPER_DAMPING,
    ROBOT,
    TABLES,
    TOOL,
    approach_of,
    forbidden_pairs,
    start_positions,
    upright,
)

YAW = "base_yaw_joint"
BEFORE = 0.13  # m, from the axis of the can where the approach begins, and the retreat ends
LIFT = 0.12  # m, above the tables
GRIP, RELEASE = 0.8, -0.3  # of the rated effort of the gripper
INSIDE = 0.2  # m, of the target from the middle of the second table, towards the base
AWAY = 0.06  # m, of the can from the tool that has lost it
PLACED = 0.06  # m, of the can from its target
UPRIGHT = 0.95  # vertical component of the axis of the can
RATE = 20.0  # Hz, of targets
STEP = 1.25e-3  # s


class Phase(NamedTuple):
    """A part of the script.

    Attributes
    ----------
    name : str
    duration : float
        In seconds.
    path : (k + 1, n, p) array
        Positions of the world that are passed at equal parts of the way.
    grip : float
        Share of the rated effort of the gripper at the end, from that of the last phase on.
    holds : bool
        Whether the can is in the hand.
    """

    name: str
    duration: float
    path: Floats
    grip: float
    holds: bool = False


class Grasp(NamedTuple):
    """What happened in a world.

    Attributes
    ----------
    is_success : bool
    time : float
        Of the end, or of the failure (s).
    cause : str
        Of a failure, with the phase; empty without one.
    """

    is_success: bool
    time: float
    cause: str


def plan(world: World, position: Floats, poses: Mapping[str, Floats]) -> tuple[list[Phase], Floats]:
    """Return the phases of the script, and the targets of the can (n, 3).

    Points out of reach are not a number.

    Parameters
    ----------
    world : World
    position : (n, p) array
        At the start.
    poses : mapping of str to (n, 6) array
        Of the can and the tables.
    """
    model, can, table = world.model, poses[CAN][:, :3], poses[TABLES[1]]
    actuators = [f"{ROBOT}/{name}" for name in ACTUATORS]
    tool = ToolLines(model, f"{ROBOT}/{TOOL}", actuators)
    turn = _heading(table) - _heading(can)  # of the base, to the second table
    to_can = approach_of(can)
    to_goal = _turned(to_can, turn)
    R_can, R_goal = upright(to_can), upright(to_goal)
    far = np.linalg.norm(table[:, :2], axis=1, keepdims=True)
    goal = table[:, :3] * (1.0 - INSIDE / far)
    goal[:, 2] = table[:, 2] + can[:, 2] - poses[TABLES[0]][:, 2]
    # from the solution for the place in the world's file, so that all have the same posture
    usual = world.entities[CAN].pose.p_world_body[None]
    direction = approach_of(usual)
    posture = tool.pose(usual - BEFORE * direction, upright(direction), position[:1])
    entries = [model.position_names.index(name) for name in actuators]
    start = position.copy()
    start[:, entries] = posture[:, entries]
    before = tool.pose(can - BEFORE * to_can, R_can, start)
    approach = tool.line(can - BEFORE * to_can, can, R_can, before)
    up = np.array([0.0, 0.0, LIFT])
    lift = tool.line(can, can + up, R_can, approach[-1])
    turned = lift[-1].copy()
    turned[:, model.position_names.index(f"{ROBOT}/{YAW}")] += turn
    above = tool.pose(goal + up, R_goal, turned)
    down = tool.line(goal + up, goal, R_goal, above)
    back = tool.line(goal, goal - BEFORE * to_goal, R_goal, down[-1])
    phases = [
        Phase("open", 0.5, np.stack([position, position]), RELEASE),
        Phase("move in front of the can", 2.0, np.stack([position, before]), RELEASE),
        Phase("approach", 1.5, approach, RELEASE),
        Phase("grip", 1.0, np.stack([approach[-1]] * 2), GRIP),
        Phase("lift", 1.5, lift, GRIP, True),
        Phase("turn", 3.0, np.stack([lift[-1], turned]), GRIP, True),
        Phase("move above the table", 1.5, np.stack([turned, above]), GRIP, True),
        Phase("put down", 1.5, down, GRIP, True),
        Phase("release", 0.6, np.stack([down[-1]] * 2), RELEASE),
        Phase("retreat", 1.5, back, RELEASE),
    ]
    return phases, goal


def run_grasps(
    world: World, poses: Mapping[str, Floats], workers: int | None = None
) -> list[Grasp]:
    """Run the script in n worlds.

    Parameters
    ----------
    world : World
        The kitchen.
    poses : mapping of str to (n, 6) array
        Of the can and the tables, see `World.random_poses`.
    workers : int, optional
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.learning import run_grasps
    >>> from charmie_dynamics.simulation import load_world
    >>> world = load_world("kitchen")
    >>> poses = world.random_poses(np.random.default_rng(0))
    >>> grasps = run_grasps(world, {name: pose[None] for name, pose in poses.items()})
    >>> grasps[0].is_success
    True
    """
    model, n = world.model, len(poses[CAN])
    position = start_positions(world, {CAN: poses[CAN]}, n)
    phases, goal = plan(world, position, poses)
    names = model.actuator_names
    gripper = names.index(f"{ROBOT}/{GRIPPER}")
    free = {names[gripper]: 0.0}, {names[gripper]: GRIPPER_DAMPING}
    batch = PlantBatch(
        model, position, count=n, workers=workers,
        contacts=world.contacts.watching(forbidden_pairs(world, grips=True)),
        poses={name: rows for name, rows in poses.items() if name != CAN},
        integrator="semi_implicit_euler", step=STEP, joint_stops=True,
        joint_drives=JointDrives(*free, DRIVE_FREQUENCY), energy_tolerance=ENERGY_TOLERANCE,
    )  # fmt: skip
    found: list[Grasp | None] = [None] * n
    entries = [model.position_names.index(name) for name in names]
    grip = 0.0
    rated = model.actuator_limits()[gripper].effort
    for phase in phases:
        path = phase.path[:, :, entries]
        targets = from_rest_to_rest(path, round(phase.duration * RATE))
        for k in np.flatnonzero(~np.isfinite(targets).all(axis=(0, 2))).tolist():
            found[k] = found[k] or Grasp(False, float(batch.time[k]), f"{phase.name}: out of reach")
            targets[:, k] = batch.position[k, entries]
        ramp = np.linspace(grip, phase.grip, len(targets))[1:]
        grip = phase.grip
        for (now, then), share in zip(itertools.pairwise(targets), ramp.tolist(), strict=True):
            effort = model.compute(batch.position).actuator_effort.copy()
            effort[:, gripper] += share * rated
            with suppress(SimulationError):  # see `failures`
                batch.advance(effort, round(1.0 / (RATE * STEP)), now, RATE * (then - now))
            for k, cause in _faults(world, batch, phase).items():
                found[k] = found[k] or Grasp(False, float(batch.time[k]), f"{phase.name}: {cause}")
    p, R = model.kinematics(batch.position).frame(CAN)
    for k in range(n):
        missed = float(np.linalg.norm(p[k] - goal[k]))
        if found[k] is None and (missed > PLACED or R[k, 2, 2] < UPRIGHT):
            cause = f"end: the can is {missed:.3f} m from its target, its axis {R[k, 2, 2]:.2f}"
            found[k] = Grasp(False, float(batch.time[k]), cause)
    return [each or Grasp(True, float(batch.time[k]), "") for k, each in enumerate(found)]


def _faults(world: World, batch: PlantBatch, phase: Phase) -> dict[int, str]:
    """Return the plants with a fault in the last period."""
    found = {k: str(error) for k, error in batch.failures.items()}
    watched, shapes = batch.watched, world.contacts.shapes
    for k in np.flatnonzero(watched.force > 0.0).tolist():
        first, second = (shapes[int(side[k])].link for side in watched[1:])
        found.setdefault(k, f"'{first}' touched '{second}'")
    if phase.holds:
        state = world.model.kinematics(batch.position)
        gap = state.frame(CAN)[0] - state.frame(f"{ROBOT}/{TOOL}")[0]
        for k in np.flatnonzero(np.linalg.norm(gap, axis=1) > AWAY).tolist():
            found.setdefault(k, "the hand lost the can")
    return found


def _heading(p: Floats) -> Floats:
    """Return the directions (n,) from the base to points (rad)."""
    return np.arctan2(p[:, 1], p[:, 0])


def _turned(vectors: Floats, angle: Floats) -> Floats:
    """Return vectors (n, 3), turned about the vertical by angles (n,)."""
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = vectors.T
    return np.stack([c * x - s * y, s * x + c * y, z], axis=1)
