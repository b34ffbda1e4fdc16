# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions of all coordinates of a robot, from those of its actuators.

Passive joints follow from the loops. Idle motions, such as the spin of a rod between two ball
joints, do not: such bodies are assumed to be symmetric about the axis of this motion, and to have
begun without it. Then they never spin, whatever their inertia, and no effort depends on it.
"""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.errors import InputError, LoopError, OutOfReachError, UnsupportedError
from charmie_dynamics.live.estimation.following import (
    closed_motion,
    followed_motion,
    start_position,
)
from charmie_dynamics.live.estimation.measured_passive import SLACK
from charmie_dynamics.model.flat.loop_following import Flags, is_passive
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import require_actuators_alone
from charmie_dynamics.numerics.vectors import Floats

Motion = tuple[Floats, Floats, Floats]
SPIN = 0.7  # rad or m: idle displacement that shows whether efforts depend on it
SYMMETRIC = 1e-6  # relative: smaller changes of efforts count as none


class ClosedMotions:
    """Completes motions of the actuators by the passive coordinates.

    Parameters
    ----------
    model : Model
    subject : str
        Of the messages.

    Attributes
    ----------
    entries : (a,) array of int
        Positions of the actuators among those of the robot.
    start : (p,) array
        A position with closed loops.
    has_loops, has_idle : bool
        Whether there are loop joints, and idle motions.

    Raises
    ------
    UnsupportedError
        If a coordinate is moved neither by an actuator nor by loops, there are more actuators than
        motions, or efforts depend on an idle motion.
    OutOfReachError, LoopError
        If the loops close neither at the zero position nor at the rest pose, or leave a passive
        joint free.
    """

    def __init__(self, model: Model, subject: str) -> None:
        self.model = model
        self.entries = model.flat.freedoms.position_entry[model.actuator_index]
        self._passive = is_passive(model.flat)
        if not self._passive.any():
            require_actuators_alone(model, subject)
        _require_driven(model, subject, self._passive)
        self.start = start_position(model)
        self._followed = followed_motion(model) if model.flat.sizes.r else None
        self.has_loops = self._followed is not None
        self.has_idle = self.has_loops and _has_idle(model, subject, self.start)

    def of(self, motion: Motion) -> Motion:
        """Return a motion of all coordinates.

        Parameters
        ----------
        motion : three (n, a) arrays, or of shapes (n, p), (n, v) and (n, v)
            Position, velocity and acceleration. Of all coordinates: positions of passive joints
            select how the loops are assembled and must agree with them; NaN if unknown.

        Raises
        ------
        OutOfReachError, LoopError
            If the loops do not close.
        InputError
            If positions of passive joints contradict the loops.
        """
        model = self.model
        if self._followed is None:
            return motion
        index = model.actuator_index
        is_whole = motion[0].shape[1] == len(model.position_names)
        given = [np.zeros((len(motion[0]), len(model.velocity_names))) for _ in range(3)]
        for k, (whole, part) in enumerate(zip(given, motion, strict=True)):
            own = (self.entries if k == 0 else index) if is_whole else slice(None)
            whole[:, index] = part[:, own]
        self._begin_at(self._begin_of(motion[0][0]) if is_whole and len(motion[0]) else self.start)
        rows = [closed_motion(model, self._followed, row) for row in zip(*given, strict=True)]
        shapes = (len(model.position_names), *[len(model.velocity_names)] * 2)
        q, v, a = (
            np.array([row[k] for row in rows]).reshape(len(rows), size)
            for k, size in enumerate(shapes)
        )
        if is_whole:
            self._require_agreement(motion[0], q)
        return self.near((q, v, a)) if self.has_idle else (q, v, a)

    def start_at(self, driven: Floats) -> None:
        """Set the start at which the actuators have positions (a,); unchanged if loops are open."""
        still = np.zeros((1, len(driven)))
        try:
            self.start = self.of((driven[None], still, still))[0][0]
        except (LoopError, OutOfReachError):
            return

    def weighted(self, rows: Floats) -> Floats:
        """Return rows (..., k) of regressors of length one, if there are loops.

        Near singular positions they are far longer than elsewhere.
        """
        if not self.has_loops:
            return rows
        length = np.linalg.norm(rows, axis=-1, keepdims=True)
        result: Floats = rows / np.where(length > 0.0, length, 1.0)
        return result

    def near(self, motion: Motion) -> Motion:
        """Return a motion whose passive coordinates are replaced by those that close the loops.

        Parameters
        ----------
        motion : arrays of shapes (n, p), (n, v) and (n, v)
            With nearly closed loops.
        """
        if self._followed is None:
            return motion
        q, v, a = motion
        if not self.has_idle:
            return tuple(self.model.assemble(q, v, a))  # type: ignore[return-value]
        driven = v.copy()
        driven[:, self._passive] = 0.0
        # without velocity, idle accelerations that need no effort: the ratios without spin
        q, _, v = self.model.assemble(q, np.zeros_like(v), driven)
        return tuple(self.model.assemble(q, v, a))  # type: ignore[return-value]

    def _begin_of(self, position: Floats) -> Floats:
        """Return a closed position (p,) that is assembled as one with some passive joints."""
        try:
            return self.model.assemble(
                np.where(np.isfinite(position), position, self.start)
            ).position
        except (LoopError, OutOfReachError):
            return self.start

    def _begin_at(self, position: Floats) -> None:
        assert self._followed is not None
        joints = self.model.kinematics(position).kinematics.joint_position
        self._followed.begin_at(position, joints)

    def _require_agreement(self, given: Floats, closed: Floats) -> None:
        """Refuse positions (n, p) of passive joints that contradict the closed loops."""
        model = self.model
        turning = {j.name for j in model.tree.joints if j.type in ("revolute", "continuous")}
        idle = set(model.constraints(closed[0]).idle)
        for c in np.flatnonzero(self._passive & (model.flat.freedoms.floating_body < 0)).tolist():
            name, k = model.joint_names[c], model.flat.freedoms.position_entry[c]
            # unknown positions contradict nothing
            error = np.where(np.isnan(given[:, k]), 0.0, given[:, k] - closed[:, k])
            if name in turning:
                error = np.remainder(error + math.pi, 2.0 * math.pi) - math.pi
            error = np.abs(error)
            worst = int(error.argmax())
            if name not in idle and error[worst] > SLACK:
                raise InputError(
                    f"position: passive joint '{name}' is {given[worst, k]:.4g} in sample {worst}, "
                    f"the loops close at {closed[worst, k]:.4g}; check its zero and sign, or give "
                    "NaN"
                )


def _require_driven(model: Model, subject: str, passive: Flags) -> None:
    driven = passive.copy()
    driven[model.actuator_index] = True
    if not driven.all():
        names = ", ".join(model.velocity_names[i] for i in np.flatnonzero(~driven))
        raise UnsupportedError(
            f"{subject}: expected a robot whose joints all have an actuator or are moved by loops, "
            f"got '{model.name}' with {names}"
        )


def _has_idle(model: Model, subject: str, start: Floats) -> bool:
    """Return whether there are idle motions; refuse those on which efforts depend."""
    found, count = model.constraints(start), len(model.actuator_names)
    idle = found.idle_motions
    if found.mobility - idle.shape[1] < count:
        raise UnsupportedError(
            f"{subject}: expected as many motions of the loops as actuators, got "
            f"{found.mobility - idle.shape[1]} and {count} of '{model.name}'; efforts of the "
            f"others are not determined: list redundant actuators in passive_joints"
        )
    entries = model.flat.freedoms.position_entry
    for column in idle.T:
        moved = start.copy()
        single = model.flat.freedoms.floating_body < 0
        moved[entries[single]] += SPIN * column[single]
        q = model.assemble(np.array([start, moved])).position
        acceleration = np.zeros((2, len(model.velocity_names)))
        acceleration[:, model.actuator_index] = 1.0
        motion = model.assemble(q, np.zeros_like(acceleration), acceleration)
        before, after = model.without_friction().compute(*motion).actuator_effort
        size = float(abs(before).max(initial=1e-9))
        if abs(after - before).max(initial=0.0) > SYMMETRIC * size:
            raise UnsupportedError(
                f"{subject}: efforts of '{model.name}' depend on the idle motion of "
                f"{', '.join(found.idle)}, which no recording shows; expected a body that is "
                "symmetric about the axis of this motion, or one passive joint less"
            )
    return bool(idle.size)
