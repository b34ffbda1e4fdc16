# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions, and the check of trajectories.

In reading order:

- ``motion``: a motion as a function of time, and its samples.
- ``splines``: motions between the points of a trajectory.
- ``tool_lines``: straight lines of a tool, for many robots at once.
- ``legs``: inverse kinematics of legs.
- ``gaits``: timing of the swings of legs, and the path of the torso.
- ``rolling``: the paths of feet that roll in stance.
- ``walking``: the motion of a robot that walks.
- ``workday``: ten minutes of work of CHARMIE.
- ``tabulated``: motions in tables.
- ``names``: the names of these motions.
- ``named``: motions by name: those of the papers, a smooth one, a day's work and gaits.
- ``trajectory``: check whether the robot can follow a trajectory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from charmie_dynamics.lazy_names import lazy_names

if TYPE_CHECKING:
    from .gaits import GAITS, Gait
    from .legs import Legs
    from .motion import Motion, MotionPoint, SampledMotion
    from .named import make_motion, natural_stance
    from .names import MOTION_NAMES
    from .splines import PiecewisePolynomial, joined_points
    from .tabulated import read_motion, write_motion
    from .trajectory import LimitViolation, TipOver, Trajectory, Verdict, judge
    from .walking import LeggedWalk

__all__ = [
    "GAITS",
    "MOTION_NAMES",
    "Gait",
    "LeggedWalk",
    "Legs",
    "LimitViolation",
    "Motion",
    "MotionPoint",
    "PiecewisePolynomial",
    "SampledMotion",
    "TipOver",
    "Trajectory",
    "Verdict",
    "joined_points",
    "judge",
    "make_motion",
    "natural_stance",
    "read_motion",
    "write_motion",
]

if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__ = lazy_names(
        __name__,
        {
            "gaits": "GAITS Gait",
            "legs": "Legs",
            "motion": "Motion MotionPoint SampledMotion",
            "named": "make_motion natural_stance",
            "names": "MOTION_NAMES",
            "splines": "PiecewisePolynomial joined_points",
            "tabulated": "read_motion write_motion",
            "trajectory": "LimitViolation TipOver Trajectory Verdict judge",
            "walking": "LeggedWalk",
        },
    )
