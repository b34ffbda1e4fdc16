# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion of the base from inertial measurements and odometry.

A robot whose base body is on a floating joint gets the position, velocity and acceleration of that
joint; all others get the direction of gravity. At the stamp of a cycle the newest message applies
whose stamp is not later, continued by its own velocity; if all that are kept are later, the oldest
of these. Of a floating base

- the position is that of odometry, else zero. The rotation is that of odometry, else upright. The
  orientation of the imu, if it reports one, replaces the tilt and keeps the heading. Tilt is that
  against the gravity of the model, which may have any direction.
- the angular velocity is that of the imu, else that of odometry; the linear one that of odometry.
- the imu measures the specific force f = a - g of its place; a follows with the gravity g of the
  model. Without imu, the acceleration is the estimated slope of the twist of odometry.

Angular accelerations are slopes by the tracker that the joints have, with the same cutoff.

Gravity of a robot without floating base: an imu with orientation reports the upward direction. Else
the angular velocity turns the direction, which follows the measured force with `UPRIGHTING_TIME`
(a complementary filter, Mahony et al., IEEE Trans. Autom. Control 53, 2008). Accelerations of the
base that last longer tilt it; the joints that move the base are in the joint states.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import UnsupportedError, choices
from charmie_dynamics.live.wire.base_messages import InertialMessage, OdometryMessage
from charmie_dynamics.live.wire.samples import RefusedSampleError
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import FloatingBase, floating_base
from charmie_dynamics.model.robots import without_loops
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.rotations import quaternion_from_rows, write_matrix_of_quaternion
from charmie_dynamics.numerics.vectors import Floats

from .estimator import LATE_BEFORE_JUMP
from .trackers import track_velocity

UPRIGHTING_TIME = 1.0  # s: an acceleration of 1 m/s^2 for 0.2 s tilts gravity by 1 degree
KEPT = 64  # messages: a cycle of a sample that has waited finds the one of its stamp
UNIT = 0.01  # by which the length of a quaternion may differ from 1
UP = np.array((0.0, 0.0, 1.0))
GRAVITY_PERIOD = 5_000_000  # ns: the direction of gravity is read and computed so often
STILL = np.zeros(6)


class _Message(NamedTuple):
    """A message of the imu; of odometry, `position` and `rotation` are known.

    Axes are those of the base body, or of the link of the imu on a robot without floating base.
    """

    stamp: int
    arrival: float
    age: float  # s, of the estimates
    twist: Floats  # (6,) linear, angular
    slope: Floats  # (6,)
    up: Floats = UP  # unit vector
    is_oriented: bool = False
    force: Floats = UP  # specific (m/s^2)
    mean_force: Floats = UP  # low-pass of the specific force, turned with the link
    place: Floats = UP  # of the imu (m)
    position: Floats = UP
    rotation: Floats = np.eye(3)
    is_planar: bool = False


class BaseCoordinates(NamedTuple):
    """Numbers of a floating joint: position (7,), velocity (6,), acceleration (6,)."""

    position: Floats
    velocity: Floats
    acceleration: Floats


class _History:
    """The newest messages of a topic, and the slope of their twist."""

    def __init__(self, cutoff: float, timeout: float) -> None:
        self._omega, self._timeout = 2.0 * math.pi * cutoff, timeout
        self.messages: deque[_Message] = deque(maxlen=KEPT)
        self.frame = ""
        self._late = 0
        self._velocity, self._slope, self._smooth = np.zeros((3, 6))

    def is_late(self, stamp: int, frame: str) -> bool:
        """Return whether to leave out a message that is not newer than the one before.

        As of joints, two in a row, or one that is older by more than the timeout, mean that time
        has jumped back.
        """
        behind = (self.messages[-1].stamp - stamp) * SECONDS if self.messages else -1.0
        self._late = self._late + 1 if 0.0 <= behind and frame == self.frame else 0
        return 0 < self._late < LATE_BEFORE_JUMP and behind <= self._timeout

    def step_to(self, stamp: int, frame: str) -> float:
        """Return the time (s) since the message before; 0 if the estimates have to restart.

        They do after a gap or a step back in time, and if the frame changes.
        """
        step = (stamp - self.messages[-1].stamp) * SECONDS if self.messages else 0.0
        if frame != self.frame or step < 0.0:
            self.messages.clear()
        self.frame = frame
        return step if self.messages and step <= self._timeout else 0.0

    def slope_of(self, twist: Floats, step: float) -> Floats:
        """Return the acceleration (6,) after a twist (6,)."""
        if step == 0.0:
            self._velocity, self._slope, self._smooth = twist, np.zeros(6), np.zeros(6)
            return self._smooth
        theta = math.exp(-self._omega * step)
        track: Any = plain(track_velocity)  # also of arrays
        self._velocity, self._slope = track(self._velocity, self._slope, twist, step, theta)
        self._smooth = self._smooth + (1.0 - theta) * (self._slope - self._smooth)
        return self._smooth

    def at(self, stamp: int, now: float) -> _Message | None:
        """Return the message for a stamp (ns); None if it is stale at a steady time (s)."""
        if not self.messages or now - self.messages[-1].arrival > self._timeout:
            return None
        found = next((m for m in reversed(self.messages) if m.stamp <= stamp), self.messages[0])
        return found if abs(stamp - found.stamp) * SECONDS <= self._timeout else None


class MeasuredBase:
    """The newest messages of `imu` and `odom`, and the motion of the base by them.

    Parameters
    ----------
    model : Model
    timeout : float
        Age (s) from which a message is stale, by its arrival and by its stamp.
    cutoff : float
        Of estimated accelerations (Hz).
    estimate_acceleration : bool
        False: the base does not accelerate.

    Attributes
    ----------
    is_used : bool
        Whether a usable message ever arrived.
    base : FloatingBase or None
        The base body on a floating joint.
    is_known : bool
        Whether a fresh message applied to the last cycle.
    has_odometry : bool
        Whether the pose of the base was known for the last cycle.
    is_planar : bool
        Whether that odometry is one in the plane, which knows no height: height, roll, pitch and
        their rates are exactly 0.
    stale : tuple of str
        Topics with messages that were too old for the last cycle.
    """

    def __init__(
        self, model: Model, timeout: float, cutoff: float, *, estimate_acceleration: bool = True
    ) -> None:
        self._model = model
        self._accelerates = estimate_acceleration
        self._histories = {"imu": _History(cutoff, timeout), "odom": _History(cutoff, timeout)}
        self._places: dict[str, tuple[Floats, Floats]] = {}
        self.is_used = self.is_known = self.has_odometry = self.is_planar = False
        self.stale: tuple[str, ...] = ()
        g = np.array(model.mechanisms.gravity)
        self._gravity = float(np.linalg.norm(g))
        # against gravity, in the world of the model
        self._up = -g / self._gravity if self._gravity > 0.0 else UP
        self.base: FloatingBase | None = None
        try:
            self.base = floating_base(model, "base motion")
        except UnsupportedError:
            return
        # loops may not close at zero
        tree = Model.of(without_loops(model.robot))
        self._zero = zero = tree.kinematics(tree.zero_position())
        self._p_joint, self._R_joint = zero.frame(self.base.link)

    @property
    def link(self) -> str:
        """Link of the imu; empty before its first message."""
        return self._histories["imu"].frame

    def needs(self, topic: str, stamp: int) -> bool:
        """Return whether a message on `imu` or `odom` with a stamp (ns) changes anything."""
        if self.base is not None:
            return True
        kept = self._histories["imu"].messages
        is_recent = bool(kept) and 0 <= stamp - kept[-1].stamp < GRAVITY_PERIOD
        return topic == "imu" and not is_recent

    def take_imu(
        self, message: InertialMessage, arrival: float, received: int, prefix: str = ""
    ) -> None:
        """Take a measurement of the imu; for gravity alone, one in `GRAVITY_PERIOD` is enough.

        A single message that is not newer than the one before is left out.

        Parameters
        ----------
        message : InertialMessage
        arrival : float
            On a steady clock (s).
        received : int
            Stamp (ns) of a message without one.
        prefix : str
            Of its frame.

        Raises
        ------
        RefusedSampleError
            If its frame is unknown or moves on a floating base, or a value cannot be used.
        """
        history, stamp = self._histories["imu"], message.stamp or received
        if not self.needs("imu", stamp):
            return
        frame, place, R = self._placed(message.frame, prefix)
        force = R @ _finite("linear_acceleration", message.acceleration)
        angular = R @ _finite("angular_velocity", message.angular_velocity)
        rotation = None
        if message.is_oriented:
            rotation = _rotation("orientation", message.orientation) @ R.T
        if history.is_late(stamp, frame):
            return
        step = history.step_to(stamp, frame)
        before = history.messages[-1] if step else None
        age = 0.0 if before is None else before.age + step
        twist = np.concatenate((np.zeros(3), angular))
        mean_force = _mean_force(before, force, step)
        length = math.sqrt(float(mean_force @ mean_force))
        up = mean_force / length if length > 0.0 else UP
        if rotation is not None:
            up = rotation[2]
        slope = STILL if self.base is None else history.slope_of(twist, step)
        history.messages.append(
            _Message(
                *(stamp, arrival, age, twist, slope, up, rotation is not None),
                *(force, mean_force, place),
            )
        )
        self.is_used = True

    def take_odometry(
        self, message: OdometryMessage, arrival: float, received: int, prefix: str = ""
    ) -> None:
        """Take odometry; as `take_imu`. Robots without floating base ignore it."""
        if self.base is None:
            return
        frame, place, R = self._placed(message.frame, prefix)
        p_world_frame = _finite("position", message.position)
        rotation = _rotation("orientation", message.orientation) @ R.T
        angular = R @ _finite("angular velocity", message.angular_velocity)
        linear = R @ _finite("linear velocity", message.velocity) - _skew(angular) @ place
        history, stamp = self._histories["odom"], message.stamp or received
        if history.is_late(stamp, frame):
            return
        numbers = np.concatenate((linear, angular))
        slope = history.slope_of(numbers, history.step_to(stamp, frame))
        p_world_base = p_world_frame - rotation @ place
        upright = (message.position[2], *message.orientation[:2], message.velocity[2],
                   *message.angular_velocity[:2])  # fmt: skip
        history.messages.append(
            _Message(
                *(stamp, arrival, 0.0, numbers, slope),
                position=p_world_base,
                rotation=rotation,
                is_planar=not any(upright),
            )
        )
        self.is_used = True

    def coordinates(self, stamp: int, now: float) -> BaseCoordinates | None:
        """Return the motion of a floating base at a stamp (ns); None without fresh messages.

        Parameters
        ----------
        stamp : int
            Of the cycle (ns).
        now : float
            On a steady clock (s).
        """
        imu, odometry = self._fresh(stamp, now)
        if imu is None and odometry is None:
            return None
        position, R = np.zeros(3), np.eye(3)
        linear, angular, slope = np.zeros(3), np.zeros(3), np.zeros(6)
        if odometry is not None:
            ahead = (stamp - odometry.stamp) * SECONDS
            linear, angular = odometry.twist[:3], odometry.twist[3:]
            position = odometry.position + odometry.rotation @ (ahead * linear)
            R, slope = odometry.rotation @ _turn(ahead * angular), odometry.slope.copy()
        if imu is not None:
            ahead = (stamp - imu.stamp) * SECONDS
            angular, slope[3:] = imu.twist[3:], imu.slope[3:]
            turn = _turn(ahead * angular)
            if odometry is None or imu.is_oriented:
                R = R @ _between(imu.up @ turn, self._up @ R)
            turning = _skew(angular)
            # gravity in the axes at the time of the force
            slope[:3] = imu.force - self._gravity * (turn @ (self._up @ R)) - turning @ linear
            slope[:3] -= _skew(slope[3:]) @ imu.place + turning @ (turning @ imu.place)
        if not self._accelerates:
            slope[:] = 0.0
            slope[:3] = -_skew(angular) @ linear
        R_joint_base = self._R_joint.T @ R
        pose = np.empty(7)
        pose[:3] = self._R_joint.T @ (position - self._p_joint)
        pose[3:] = plain(quaternion_from_rows)(*R_joint_base)
        return BaseCoordinates(pose, np.concatenate((linear, angular)), slope)

    def gravity(self, stamp: int, now: float, R_world_link: Floats) -> Floats | None:
        """Return the acceleration of gravity (3,) in world axes of the model; None: unknown.

        Parameters
        ----------
        stamp, now
            As for `coordinates`.
        R_world_link : (3, 3) array
            Rotation of the link of the imu, with the root upright.
        """
        imu, _ = self._fresh(stamp, now)
        if imu is None:
            return None
        ahead = (stamp - imu.stamp) * SECONDS
        up = _in_turned_axes(imu.up, ahead * imu.twist[3:])
        return -self._gravity * (R_world_link @ up)

    def _fresh(self, stamp: int, now: float) -> tuple[_Message | None, _Message | None]:
        found = {name: history.at(stamp, now) for name, history in self._histories.items()}
        self.stale = tuple(
            name for name, each in found.items() if each is None and self._histories[name].messages
        )
        odometry = found["odom"]
        self.has_odometry = odometry is not None
        self.is_planar = odometry is not None and odometry.is_planar
        self.is_known = self.has_odometry or found["imu"] is not None
        return found["imu"], found["odom"]

    def _placed(self, frame_id: str, prefix: str) -> tuple[str, Floats, Floats]:
        """Return a link, and its position and rotation in the base; zero without floating base."""
        frame, tree = frame_id.removeprefix(prefix), self._model.tree
        if frame not in tree.links:
            known = choices(frame, tree.links)
            raise RefusedSampleError(
                "unknown frame", f"expected the frame of a link, got '{frame_id}'{known}"
            )
        if frame not in self._places:
            self._places[frame] = self._place_of(frame)
        return frame, *self._places[frame]

    def _place_of(self, frame: str) -> tuple[Floats, Floats]:
        if self.base is None:
            return np.zeros(3), np.eye(3)
        model, link = self._model, frame
        joint = model.tree.joint_of(link)
        while link != self.base.link and joint is not None and joint.type == "fixed":
            link = joint.parent
            joint = model.tree.joint_of(link)
        if link != self.base.link:
            raise RefusedSampleError(
                "frame that moves on the base",
                f"expected a link that is fixed to '{self.base.link}', got '{frame}'",
            )
        p, R = self._zero.frame(frame)
        return self._R_joint.T @ (p - self._p_joint), self._R_joint.T @ R


def _mean_force(before: _Message | None, force: Floats, step: float) -> Floats:
    """Return the low-pass of the specific force after a message, turned with the link."""
    if before is None:
        return force
    turned = _in_turned_axes(before.mean_force, step * before.twist[3:])
    # at first the mean, since a single measurement may be far off
    share = step / (min(before.age, UPRIGHTING_TIME) + step)
    result: Floats = turned + share * (force - turned)
    return result


def _finite(name: str, numbers: Floats) -> Floats:
    if not all(map(math.isfinite, numbers.tolist())):
        raise RefusedSampleError("not finite", f"{name}: expected finite numbers, got {numbers}")
    return numbers


def _rotation(name: str, q: Floats) -> Floats:
    """Return the rotation matrix of a quaternion."""
    x, y, z, w = q.tolist()
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not abs(length - 1.0) <= UNIT:
        raise RefusedSampleError(
            "no unit quaternion", f"{name}: expected a quaternion of length 1, got {length:.3g}"
        )
    R = np.empty((3, 3))
    plain(write_matrix_of_quaternion)(x, y, z, w, R)
    return R


def _skew(w: Floats) -> Floats:
    x, y, z = w.tolist()
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def _turn(vector: Floats) -> Floats:
    """Return the rotation by a rotation vector (rad), by Rodrigues' formula."""
    K = _skew(vector)
    angle = math.sqrt(float(vector @ vector))
    first = math.sin(angle) / angle if angle > 0.0 else 1.0
    half = math.sin(0.5 * angle) / (0.5 * angle) if angle > 0.0 else 1.0
    result: Floats = np.eye(3) + first * K + 0.5 * half * half * (K @ K)
    return result


def _in_turned_axes(vector: Floats, turn: Floats) -> Floats:
    """Return the coordinates of a vector in axes that have turned by a rotation vector (rad)."""
    (x, y, z), (a, b, c) = vector.tolist(), turn.tolist()
    angle = math.sqrt(a * a + b * b + c * c)
    if angle == 0.0:
        return vector
    # Rodrigues' formula, on floats: operations on small arrays take ten times as long
    a, b, c, cosine, sine = a / angle, b / angle, c / angle, math.cos(angle), math.sin(angle)
    along = (1.0 - cosine) * (a * x + b * y + c * z)
    return np.array(
        (
            cosine * x - sine * (b * z - c * y) + along * a,
            cosine * y - sine * (c * x - a * z) + along * b,
            cosine * z - sine * (a * y - b * x) + along * c,
        )
    )


def _between(start: Floats, end: Floats) -> Floats:
    """Return the smallest rotation of one unit vector into another."""
    cosine = float(start @ end)
    if cosine < -1.0 + 1e-9:
        return np.diag((1.0, -1.0, -1.0))
    K = _skew(_skew(start) @ end)
    result: Floats = np.eye(3) + K + K @ K / (1.0 + cosine)
    return result
