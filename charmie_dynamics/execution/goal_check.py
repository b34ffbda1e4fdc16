# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Check of a goal before it is executed."""

from __future__ import annotations

from charmie_dynamics.collision.clearance import ShapeDistances
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import LimitViolation, judge
from charmie_dynamics.numerics.vectors import Floats

from .following import NamedPath

# of a measured position beyond a limit, which a motion may leave (rad, m)
ROUND_OFF = 1e-9


def fault_of_path(
    model: Model, path: NamedPath, held: Floats, distances: ShapeDistances | None = None
) -> str:
    """Return why a robot cannot follow a path; empty if it can.

    Limits of position, velocity and effort, the reach of linear actuators, the tip-over margin, and
    collisions are checked. A position beyond its limit is no fault if it is no farther than the
    present one.

    Parameters
    ----------
    model : Model
        With its loads.
    path : NamedPath
    held : (a,) array
        Positions of the actuators that the path does not move.
    distances : ShapeDistances, optional
        Pairs of shapes that may not touch.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.execution.following import path_of
    >>> from charmie_dynamics.execution.goal_check import fault_of_path
    >>> from charmie_dynamics.motions import MotionPoint, Trajectory
    >>> model = load_model()
    >>> start = model.rest_position()
    >>> rest = MotionPoint(start, 0 * start, 0 * start)
    >>> leap = Trajectory(["neck_pan_joint"], np.array([0.1]), np.array([[1.0]]))
    >>> print(fault_of_path(model, path_of(model, leap, 0.0, rest), start))
    neck_pan_joint: velocity 15 at 0.05 s exceeds 3
    """
    try:
        verdict = judge(model, path.trajectory(), held, distances)
    except CharmieError as error:
        return str(error)
    begin = dict(zip(model.actuator_names, verdict.motion.position[0], strict=True))
    harmless = [str(x) for x in verdict.excesses if _is_left(x, begin[x.actuator])]
    return "; ".join(fault for fault in verdict.faults if fault not in harmless)


def _is_left(excess: LimitViolation, begin: float) -> bool:
    """Return whether a path begins at its largest violation of a position limit."""
    beyond, at_begin = abs(excess.value - excess.limit), abs(begin - excess.limit)
    same_side = (excess.value - excess.limit) * (begin - excess.limit) > 0.0
    return excess.quantity == "position" and same_side and beyond <= at_begin + ROUND_OFF
