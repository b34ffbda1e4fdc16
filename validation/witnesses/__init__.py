# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Other programs that simulate problems.

`exudyn_runs`, `mujoco_runs`, and for the loop benchmark `pinocchio_runs` and `drake_runs`. Each has
a function ``run(problem, steps)`` that returns a `WitnessRun`; all but Exudyn have
``efforts(problem, states)``. They are imported where a comparison is asked for by name, and nothing
of the package needs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from validation.problems.problem import Problem
from validation.urdf_tree import LinkMotion, UrdfTree


class WitnessRun(NamedTuple):
    """How another program's run ended.

    Attributes
    ----------
    places : dict
        Centre of mass of each link with a mass at the end (m).
    seconds : float
        What the run took, without the set-up.
    motion : dict
        How the links move at the end.
    """

    places: dict[str, Any]
    seconds: float
    motion: dict[str, LinkMotion]


class JointState(NamedTuple):
    """Position, velocity and acceleration of all joints that move, by name."""

    position: Mapping[str, float]
    velocity: Mapping[str, float]
    acceleration: Mapping[str, float]


def witness_run(tree: UrdfTree, motion: dict[str, LinkMotion], seconds: float) -> WitnessRun:
    """Return a run that ends with a motion of the links."""
    places = {
        name: motion[name].at(body.centre)[0]
        for name, body in tree.links.items()
        if body.mass > 0.0 and name != tree.root
    }
    return WitnessRun(places, seconds, motion)


def balance(load: Any, jacobian: Any, passive: Sequence[int], driven: Sequence[int]) -> Any:
    """Return the efforts of the driven joints: load = S u + D^T lambda, the shortest lambda."""
    multipliers = np.linalg.lstsq(jacobian[:, passive].T, load[passive], rcond=1e-9)[0]
    return load[driven] - jacobian[:, driven].T @ multipliers


def hinge_points(entry: Mapping[str, Any], tree: UrdfTree) -> list[tuple[Any, Any]]:
    """Return the points on the first and second body that a loop joint keeps together.

    A hinge is held at two points of its axis.
    """
    at_zero = tree.motion({}, {})
    along = np.array(entry.get("axis", (0.0, 0.0, 0.0)))
    first, second = (at_zero[entry[f"{end}_body"]].axes for end in ("first", "second"))
    return [
        (
            np.array(entry["first_point"]) + k * along,
            np.array(entry["second_point"]) + k * (second.T @ first @ along),
        )
        for k in range(2 if entry["type"] == "revolute" else 1)
    ]


def distance(problem: Problem, places: Mapping[str, Any], position: Mapping[str, float]) -> float:
    """Return the largest distance (m) of a centre of mass from where joint positions put it."""
    tree = UrdfTree(problem.urdf)
    motion = tree.motion(position, {})
    return max(
        float(np.linalg.norm(place - motion[link].at(tree.links[link].centre)[0]))
        for link, place in places.items()
    )
