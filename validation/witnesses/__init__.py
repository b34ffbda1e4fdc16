# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Other programs that simulate the problems with known answers: `exudyn_runs`, `mujoco_runs`.

Each has a function ``run(problem, steps)`` that returns a `WitnessRun`. They are imported where a
comparison is asked for by name, and nothing of the package needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from validation.problems.problem import Problem
from validation.urdf_tree import UrdfTree


class WitnessRun(NamedTuple):
    """How another program's run ended.

    Attributes
    ----------
    places : dict
        Centre of mass of each link with a mass at the end (m).
    seconds : float
        What the run took, without the set-up.
    """

    places: dict[str, Any]
    seconds: float


def distance(problem: Problem, places: Mapping[str, Any], position: Mapping[str, float]) -> float:
    """Return the largest distance (m) of a centre of mass from where joint positions put it."""
    tree = UrdfTree(problem.urdf)
    motion = tree.motion(position, {})
    return max(
        float(np.linalg.norm(place - motion[link].at(tree.links[link].centre)[0]))
        for link, place in places.items()
    )
