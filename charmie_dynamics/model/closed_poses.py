# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Closed positions by driven coordinates, at random, and singular positions on a path.

The assembly branch of a closed position is the set of closed positions that motions reach from it
without a singular position on the way, in which driven coordinates do not determine passive ones.
It is followed along straight paths of the driven coordinates (`core.forward.loop_following`). With
the columns P of passive coordinates of the constraints before and after a step, idle motions apart,
the ratio of their determinants must be at least `LEAST_RATIO`, else the step is halved. In the
bases of the singular vectors P = U S V' before the step it also exists for dependent rows:

    det(U' P_after V) / det(S)

It is zero in a singular position, and negative beyond one that is passed. If two parts of a robot
become singular in one position, as two equal parallelograms do, it is positive again; an eigenvalue
of the product of inverse and columns then has a negative real part, and the ratio counts as
negative. Where branches meet, as in a flat parallelogram, the loops may leave on another branch
with any ratio. The tangents before and after then differ however short the step is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import LOOP_OPEN, PASSIVE_IS_FREE, REACHED, REVOLUTE
from charmie_dynamics.core.forward.closure_steps import MOVES_NOTHING
from charmie_dynamics.core.forward.loop_following import GIVEN
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    LoopError,
    OutOfReachError,
    UnknownNameError,
    choices,
)
from charmie_dynamics.numerics.vectors import Floats, Ints

from .assembly import assemble
from .equations.constraints import (
    conditioning_of,
    loop_constraints,
    opening_fault,
    passive_columns,
)
from .flat.actuators import effort_units, limits_within_reach
from .flat.checks import checked, error_of_sample, in_rows, refusal, require_finite
from .flat.flat_robot import FlatRobot
from .flat.loop_cycles import constraints_at
from .flat.loop_following import FollowedMotion, is_passive
from .flat.loop_refusals import is_of_loops, refusal_of_loop
from .flat.positions import rest_position, zero_position
from .flat.prepared_robot import PreparedRobot
from .inverse_dynamics import kinematics

LONGEST = 0.2  # rad or m, of a coordinate of a loop in a step
LEAST_RATIO = 0.5
BEND = 0.3  # of a step: by how much the tangents at its ends may differ
STAYS, CROSSES, ENTERS = "stays", "crosses", "enters"  # kinds of steps
PAST = 64.0  # last steps, by which loops must close beyond a singular position
SHORTEST = 1e-6  # steps, as parts of the longest one
SHORTEST_RANDOM = 1e-2  # to random positions, of which others are as good
MOST_REJECTED = 1000  # random positions in sequence


@dataclass(frozen=True, eq=False)
class SingularPosition:
    """A singular position on a path, or one near to it.

    Attributes
    ----------
    time : float
        When; without times the row of the path, such as 2.5 in the middle of rows 2 and 3.
    name : str
        The passive coordinate, or the linear actuator in a dead centre.
    kind : str
        ``crosses``: the path passes it, and the loops change their assembly branch. ``touches``:
        the conditioning has a minimum there. ``ends``: the loops cannot be closed beyond it.
    conditioning : float
        At the nearest computed position. Of passive coordinates that of `LoopConstraints`, of a
        linear actuator the sine of the angle between the arms of its loop; 0: singular.
    position : (p,) array
        This position.
    """

    time: float
    name: str
    kind: str
    conditioning: float
    position: Floats


class ClosedPose(NamedTuple):
    """A closed position (p,), the positions (v,) of the joints, and `passive_columns` there.

    `tangent` are the rates (k, m) of passive coordinates by those of the others in loops.
    """

    position: Floats
    joints: Floats
    columns: Floats
    tangent: Floats


class Way(NamedTuple):
    """A straight path of driven coordinates, as far as the loops follow on their branch.

    Attributes
    ----------
    passed : list of (float, ClosedPose)
        Parts of the path, and the poses there.
    beyond : (float, ClosedPose) or None
        The nearest pose on the other side of a singular position.
    refused : (float, int)
        Part of the path where the loops do not follow, and the status of the cycle there.
    """

    passed: list[tuple[float, ClosedPose]]
    beyond: tuple[float, ClosedPose] | None
    refused: tuple[float, int]

    @property
    def is_whole(self) -> bool:
        """Whether the loops follow to the end of the path."""
        return self.passed[-1][0] == 1.0


class BranchFollower:
    """The loops of a robot, followed on an assembly branch.

    Parameters
    ----------
    robot : PreparedRobot
    branch : (p,) array
        A closed position on it.

    Raises
    ------
    CharmieError
        If this position is not closed, or singular.
    """

    def __init__(self, robot: PreparedRobot, branch: Floats) -> None:
        flat = robot.flat
        self._robot, self._idle, self._rest = robot, 0, np.zeros(flat.sizes.q)
        self._entry = flat.freedoms.position_entry
        self._in_loop = flat.mechanisms.by_type.loop_joints.loop_count != 0
        self._block = np.empty(robot.layout.size)
        passive = is_passive(flat)
        self._leading = np.flatnonzero(self._in_loop & ~passive)
        self._compared = flat.freedoms.floating_body[passive] < 0
        motion = branch, self._rest, self._rest
        joints = kinematics(robot, motion).kinematics.joint_position
        if flat.sizes.r:
            found = loop_constraints(robot, motion)
            self._idle = found.idle_motions.shape[1]
            fault = opening_fault(flat, motion, found.error, 0.0 * found.error, found.size)
            if fault is not None:
                raise fault
        self._motion = FollowedMotion(flat, branch, joints, self._idle)
        # floating joints in no loop are not led, but moved at once
        led = self._entry[self._motion.arrays.role == GIVEN]
        self._held = np.setdiff1d(driven_entries(flat), led)
        self.start = self._pose(branch, joints)
        conditioning, column = conditioning_of(self.start.columns, self._idle)
        if conditioning < MOVES_NOTHING:
            status = PASSIVE_IS_FREE + STATUSES * int(np.flatnonzero(is_passive(flat))[column])
            raise refusal_of_loop(flat, status, motion, searched=False)

    def _pose(self, position: Floats, joints: Floats) -> ClosedPose:
        flat, columns = self._robot.flat, np.zeros((0, 0))
        tangent = np.zeros((0, len(self._leading)))
        if flat.sizes.r:
            found: Any = constraints_at(flat, (position, self._rest, self._rest))
            columns = passive_columns(flat, found.constraints)
            own = found.constraints.jacobian[:, self._leading] / found.constraints.size[:, None]
            U, values, V = np.linalg.svd(columns, full_matrices=False)
            k = min(columns.shape[1] - self._idle, int((values > 0.0).sum()))
            tangent = -V[:k].T @ (U[:, :k].T @ own / values[:k, None])
        return ClosedPose(position.copy(), joints.copy(), columns, tangent)

    def follow(self, here: ClosedPose, target: Floats, shortest: float = SHORTEST) -> Way:
        """Return the way from a pose to the driven coordinates of a position (p,).

        The shortest step is a part of the longest one.
        """
        start = here.position.copy()
        start[self._held] = target[self._held]
        here = here._replace(position=start)
        led = self._entry[(self._motion.arrays.role == GIVEN) & self._in_loop]
        length = abs(target - start)[led].max(initial=0.0)
        first = LONGEST / max(length, LONGEST)
        # lengths of linear actuators in no loop are led as well
        least = min(shortest * LONGEST / length, first) if length else shortest
        part, stride = 0.0, first
        passed, beyond, refused = [(part, here)], None, (0.0, REACHED)

        def place(ahead: float) -> Floats:
            return target if ahead == 1.0 else start + ahead * (target - start)

        while part < 1.0 and stride >= least:
            ahead = min(1.0, part + stride)
            status, there = self._step(here, place(ahead))
            kind = ENTERS if there is None else self._kind(here, there)
            if there is not None and kind == STAYS:
                part, here, stride = ahead, there, 2.0 * stride
                beyond = None if beyond is None or beyond[0] <= part else beyond
                passed.append((part, here))
                continue
            if there is not None and kind == CROSSES:
                beyond = ahead, there
            if status != REACHED or refused[0] <= part:
                refused = ahead, status
            stride = 0.5 * (ahead - part)
        if part < 1.0 and refused[1] == REACHED:
            # two parts that become singular together shorten the steps before they meet
            ahead = min(1.0, part + PAST * stride)
            _, there = self._step(here, place(ahead))
            if beyond is None and there is not None and self._kind(here, there) == CROSSES:
                beyond = ahead, there
        if part < 1.0 and beyond is not None:
            # tangents turn at the end of the reach as well
            status, _ = self._step(beyond[1], place(min(1.0, beyond[0] + PAST * stride)))
            beyond = beyond if status == REACHED else None
        return Way(passed, beyond, refused)

    def _step(self, here: ClosedPose, target: Floats) -> tuple[int, ClosedPose | None]:
        """Return the status of the cycle at the end of a step, and the pose if it is reached."""
        self._motion.begin_at(here.position, here.joints)
        given = target[self._entry], self._rest, self._rest
        status = self._motion.take(self._robot.flat, given, self._block)
        if status != REACHED:
            return status, None
        return status, self._pose(self._motion.arrays.position, self._motion.arrays.last_joints)

    def _kind(self, here: ClosedPose, there: ClosedPose) -> str:
        """Return whether a step stays on its branch, crosses a singular position, or enters one."""
        moved = abs(there.joints - here.joints)[self._in_loop].max(initial=0.0)
        if moved > LONGEST:
            return ENTERS
        ratio, is_smooth = self._ratio(here, there), self._is_smooth(here, there, moved)
        if ratio < 0.0 or not is_smooth:
            return CROSSES
        return STAYS if ratio >= LEAST_RATIO else ENTERS

    def _is_smooth(self, before: ClosedPose, after: ClosedPose, moved: float) -> bool:
        """Return whether the tangents at both ends of a step are nearly the same."""
        led = (after.joints - before.joints)[self._leading]
        bend = ((after.tangent - before.tangent) @ led)[self._compared]
        return bool(abs(bend).max(initial=0.0) <= BEND * moved)

    def _ratio(self, before: ClosedPose, after: ClosedPose) -> float:
        """Return the ratio of determinants of a step; see the module."""
        A, B = before.columns, after.columns
        count = A.shape[1] - self._idle
        if count == 0:
            return 1.0
        if A.shape != (count, count):
            U, values, V = np.linalg.svd(A, full_matrices=False)
            A, B = np.diag(values[:count]), U[:, :count].T @ B @ V[:count].T
        (sign, size), (sign_after, size_after) = np.linalg.slogdet(A), np.linalg.slogdet(B)
        ratio = float(sign * sign_after) * math.exp(min(size_after - size, 1.0))
        if ratio > 0.0 and count > 1:
            change = np.linalg.solve(A, B)
            if np.linalg.norm(change - np.eye(count)) >= 1.0:  # else no eigenvalue is 0 on the way
                ratio *= 1.0 if np.linalg.eigvals(change).real.min() > 0.0 else -1.0
        return ratio

    def conditioning(self, pose: ClosedPose) -> tuple[float, str]:
        """Return the smallest conditioning of a pose (`SingularPosition`), and its coordinate."""
        flat = self._robot.flat
        least, column = conditioning_of(pose.columns, self._idle)
        name = flat.velocity_names[np.flatnonzero(is_passive(flat))[column]] if column >= 0 else ""
        motion = pose.position, None, None
        actuators = flat.mechanisms.actuators
        for k, lever in enumerate(kinematics(self._robot, motion).kinematics.actuator_lever):
            if flat.tree.joint_type[actuators.joint_body[k]] == REVOLUTE:
                longest = math.hypot(*actuators.F[k]) * math.hypot(*actuators.G_zero[k])
            else:
                longest = math.hypot(lever, actuators.across[k])
            if abs(lever) / longest < least:
                least, name = abs(lever) / longest, self._robot.mechanisms.linear_actuators[k].name
        return float(least), name

    def refusal(self, way: Way, target: Floats) -> CharmieError:
        """Return the error of a way that does not reach its end."""
        (part, pose), (_, status) = way.passed[-1], way.refused
        if status != REACHED and not is_of_loops(status):  # reaches are intervals
            return refusal(self._robot, status, (target, self._rest, self._rest))
        conditioning, passive = self.conditioning(pose)
        place = (
            f"at {part:.3g} of the straight path of the driven coordinates (conditioning "
            f"{conditioning:.2g}); go through positions in between, each with the one before as "
            "branch, or expect another branch"
        )
        row, kind = divmod(status, STATUSES)
        if kind == LOOP_OPEN and way.beyond is None:
            flat = self._robot.flat
            joint = int(flat.mechanisms.by_type.loop_joints.row_joint[row])
            name = flat.mechanism_names["loop_joints"][joint]
            return OutOfReachError(
                name,
                f"loop joint '{name}': expected driven positions at which it closes on the branch, "
                f"got some where it opens {place}",
            )
        return LoopError(
            passive,
            f"passive joint '{passive}': expected driven positions on the branch, got some "
            f"beyond or in a singular position {place}",
        )


def closed_pose(
    robot: PreparedRobot,
    driven: npt.ArrayLike | Mapping[str, float],
    near: npt.ArrayLike | None,
    branch: npt.ArrayLike | None,
) -> Floats:
    """Return positions (..., p) with closed loops; see `Model.closed_pose`."""
    follower = None
    if branch is not None:
        if near is not None:
            raise InputError("closed pose: expected near or branch, got both")
        follower = _on_branch(robot, branch)
        start = follower.start.position
    else:
        start = rest_position(robot) if near is None else _checked(robot, "near", near)
    rows, leading = _driven_rows(robot, driven, start)
    found = np.empty_like(rows)
    for n, target in enumerate(rows):
        try:
            if follower is None:
                found[n] = assemble(robot, (target, None, None)).position
                continue
            way = follower.follow(follower.start, target)
            if not way.is_whole:
                raise follower.refusal(way, target)
            found[n] = way.passed[-1][1].position
        except CharmieError as error:
            if not leading:
                raise
            raise error_of_sample(n, error) from None
    return found.reshape(*leading, found.shape[1])


def _checked(robot: PreparedRobot, subject: str, position: npt.ArrayLike) -> Floats:
    if isinstance(position, str):
        raise InputError(
            f"{subject}: expected a position (p,), got '{position}'; Model.closed_pose and "
            "Model.assemble return positions"
        )
    return checked(subject, position, robot.flat.position_names)


def _on_branch(robot: PreparedRobot, branch: npt.ArrayLike) -> BranchFollower:
    position = _checked(robot, "branch", branch)
    try:
        return BranchFollower(robot, position)
    except (OutOfReachError, LoopError) as error:
        raise type(error)(error.name, f"branch: {error}") from None


def _driven_rows(
    robot: PreparedRobot, driven: npt.ArrayLike | Mapping[str, float], start: Floats
) -> tuple[Floats, tuple[int, ...]]:
    """Return positions (N, p) with driven coordinates, and their leading axes."""
    entries = driven_entries(robot.flat)
    names = [robot.flat.position_names[entry] for entry in entries]
    if isinstance(driven, Mapping):
        values = start[entries]
        for name, value in driven.items():
            if name not in names:
                raise UnknownNameError(
                    f"driven coordinate '{name}' is unknown, or passive{choices(name, names)}"
                )
            values[names.index(name)] = checked(f"driven '{name}'", [value], [name])[0]
        driven = values
    (given,), leading = in_rows(("driven",), (driven,), (names,))
    assert given is not None
    require_finite("driven", given if leading else given[0], names)
    rows = np.tile(start, (len(given), 1))
    rows[:, entries] = given
    return rows, leading


def random_poses(
    robot: PreparedRobot,
    count: int,
    seed: int | np.random.Generator,
    branch: npt.ArrayLike | None,
) -> Floats:
    """Return random positions (count, p) with closed loops; see `Model.random_poses`."""
    if count < 0:
        raise InputError(f"random poses: expected a number of at least 0, got {count}")
    rng, flat = np.random.default_rng(seed), robot.flat
    follower = _on_branch(robot, _usual_branch(robot) if branch is None else branch)
    free = np.where(np.array(effort_units(robot)) == "N", 1.0, math.pi)
    lower, upper = limits_within_reach(robot).T
    low = np.where(np.isfinite(lower), lower, np.minimum(-free, upper - free))
    high = np.where(np.isfinite(upper), upper, np.maximum(free, lower + free))
    entries = flat.freedoms.position_entry[flat.actuator_index]
    passive, ends = _passive_limits(robot)
    found = np.empty((count, len(flat.position_names)))
    for n in range(count):
        for _ in range(MOST_REJECTED):
            target = follower.start.position.copy()
            target[entries] = rng.uniform(low, high)
            way = follower.follow(follower.start, target, SHORTEST_RANDOM)
            found[n] = way.passed[-1][1].position
            own = found[n, passive]
            if way.is_whole and ((own >= ends[0]) & (own <= ends[1])).all():
                break
        else:
            last = (
                "a passive joint beyond its limits"
                if way.is_whole
                else follower.refusal(way, target)
            )
            raise InputError(
                f"random poses: expected limits within which the loops close on the branch, got "
                f"none in {MOST_REJECTED} random positions; narrow the limits of the actuators. "
                f"Last: {last}"
            )
    return found


def _usual_branch(robot: PreparedRobot) -> Floats:
    """Return the closed position at rest, or, if the loops do not close there, at zero."""
    try:
        return assemble(robot, (rest_position(robot), None, None)).position
    except (OutOfReachError, LoopError) as error:
        try:
            return assemble(robot, (zero_position(robot), None, None)).position
        except (OutOfReachError, LoopError):
            message = f"rest position: {error}; expected a branch, or a rest_pose"
            raise type(error)(error.name, message) from None


def _passive_limits(robot: PreparedRobot) -> tuple[Ints, Floats]:
    """Return the entries (k,) of passive joints of one coordinate, and their limits (2, k)."""
    flat = robot.flat
    limits = {joint.name: joint.limit for joint in robot.tree.joints}
    own = [c for c in np.flatnonzero(is_passive(flat)) if flat.joint_names[c] in limits]
    ends = [(limits[flat.joint_names[c]].lower, limits[flat.joint_names[c]].upper) for c in own]
    return flat.freedoms.position_entry[own], np.array(ends).reshape(-1, 2).T


def singular_positions(
    robot: PreparedRobot,
    path: npt.ArrayLike,
    times: npt.ArrayLike | None,
    near: npt.ArrayLike | None,
    branch: npt.ArrayLike | None,
    least: float,
) -> tuple[SingularPosition, ...]:
    """Return the singular positions on a path; see `Model.singular_positions`."""
    entries, names = driven_entries(robot.flat), robot.flat.position_names
    shape = np.shape(path)
    if len(shape) != 2 or not shape[0]:
        expected = f"(k, {len(entries)}) or (k, {len(names)})"
        raise InputError(f"path: expected shape {expected}, got {shape}")
    given = np.asarray(path, dtype=np.float64)
    if shape[1] == len(names):
        near = given[0] if near is None and branch is None else near
        given = given[:, entries]
    time = checked("times", np.arange(shape[0]) if times is None else times, [""] * shape[0])
    follower = BranchFollower(robot, closed_pose(robot, given[0], near, branch))
    pose = follower.start
    rows, _ = _driven_rows(robot, given, pose.position)
    found = [_place(follower, time[0], "", pose)]
    for k in range(1, len(rows)):
        done = 0.0
        while done < 1.0:
            way = follower.follow(pose, rows[k])
            begin = time[k - 1] + done * (time[k] - time[k - 1])
            found += [
                _place(follower, begin + part * (time[k] - begin), "", passed)
                for part, passed in way.passed[1:]
            ]
            if way.is_whole:
                pose = way.passed[-1][1]
                break
            part, last = way.passed[-1]
            end = begin + part * (time[k] - begin)
            if way.beyond is None:
                found.append(_place(follower, end, "ends", last))
                return _least_of(found, least)
            ahead, pose = way.beyond
            beyond = begin + ahead * (time[k] - begin)
            found.append(_place(follower, 0.5 * (end + beyond), "crosses", last))
            found.append(_place(follower, beyond, "", pose))
            done += ahead * (1.0 - done)
    return _least_of(found, least)


def _place(follower: BranchFollower, time: float, kind: str, pose: ClosedPose) -> SingularPosition:
    conditioning, name = follower.conditioning(pose)
    return SingularPosition(float(time), name, kind, conditioning, pose.position)


def _least_of(found: list[SingularPosition], least: float) -> tuple[SingularPosition, ...]:
    """Return places of a kind, and minima of the conditioning below `least` that are not at one."""
    kept = []
    for k, place in enumerate(found):
        around = found[max(k - 1, 0) : k] + found[k + 1 : k + 2]
        if place.kind:
            kept.append(place)
        elif place.conditioning < least and not any(
            each.kind or each.conditioning < place.conditioning for each in around
        ):
            kept.append(replace(place, kind="touches"))
    return tuple(kept)


def driven_entries(flat: FlatRobot) -> Ints:
    """Return the entries of positions (p,) that belong to no passive coordinate."""
    passive = is_passive(flat)
    is_driven = np.ones(len(flat.position_names), dtype=bool)
    is_driven[flat.freedoms.position_entry[passive]] = False
    bodies = flat.freedoms.floating_body[passive]
    is_driven[flat.freedoms.scalar_entry[flat.tree.scalar[bodies[bodies >= 0]]]] = False
    return np.flatnonzero(is_driven)
