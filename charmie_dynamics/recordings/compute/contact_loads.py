# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces at the feet of a free robot, from its recorded joints and odometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError, choices
from charmie_dynamics.live.topics import ODOM
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.contact_forces import ContactForces, ContactLoads
from charmie_dynamics.model.description.world.robot_contacts import (
    RobotContacts,
    read_robot_contacts,
)
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import floating_base, single_joints
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.recorded_base import RecordedBase, read_recorded_base
from charmie_dynamics.recordings.read.recorded_inputs import RecordedInputs

from .cylinders import cylinder_arrays
from .smoothing import CUBIC, fit_positions, fit_velocities

# arrays of cycles: prefixes of the names of contacts: force (N) x y z, its normal part, and the
# utilisation of its cone; missing force and torque of the base, in world axes
CONTACT_PREFIX, MISSING_WRENCH = "contact_force/", "missing_wrench"
CONTACT_FIELDS = ("force_x", "force_y", "force_z", "normal_force", "cone_use")
Motion = tuple[Floats, Floats, Floats]
Flags = npt.NDArray[np.bool_]


class BaseTrack:
    """The coordinates of the floating joint from odometry, at any stamps.

    Parameters
    ----------
    model : Model
        With a base body on a floating joint.
    odometry : RecordedBase
    frame_prefix : str
        Of the frames of the odometry.

    Raises
    ------
    CharmieError
        If its frame is unknown or not fixed to the base body, or samples are too few.
    """

    def __init__(self, model: Model, odometry: RecordedBase, frame_prefix: str = "") -> None:
        self._base = floating_base(model, "contact forces")
        frame = odometry.frame.removeprefix(frame_prefix)
        if frame not in model.frame_names:
            raise CharmieError(
                f"odometry '{odometry.topic}': frame '{frame}' is unknown"
                f"{choices(frame, model.frame_names)}"
            )
        if len(odometry.stamps) < CUBIC.fewest:
            raise CharmieError(
                f"odometry '{odometry.topic}': expected at least {CUBIC.fewest} "
                f"messages, got {len(odometry.stamps)}"
            )
        zero = model.kinematics(model.zero_position())
        p_joint, R_joint = zero.frame(self._base.link)  # pose of the joint at zero
        p_frame, R_frame = zero.frame(frame)
        _require_fixed(model, self._base.velocities, frame, odometry.topic)
        R = R_joint.T @ R_frame  # of the odometry's frame in the base body
        p = R_joint.T @ (p_frame - p_joint)
        R_world_frame = _matrices(odometry.quaternion)
        R_world_base = R_world_frame @ R.T
        p_world_base = odometry.position - R_world_base @ p
        angular = odometry.angular @ R.T
        linear = odometry.linear @ R.T - np.cross(angular, p)
        quaternion = np.empty((len(odometry.stamps), 4))
        quaternions_from_matrices(np.ascontiguousarray(R_joint.T @ R_world_base), quaternion)
        turned = np.sum(quaternion[1:] * quaternion[:-1], axis=1) < 0.0
        quaternion[1:] *= np.where(np.cumsum(turned) % 2 == 1, -1.0, 1.0)[:, None]
        self._stamps = odometry.stamps
        self._pose = np.column_stack(((p_world_base - p_joint) @ R_joint, quaternion))
        self._twist = np.column_stack((linear, angular))

    def with_base(self, motion: Motion, stamps: Ints, cutoff: float) -> Motion:
        """Return a motion (n, p), (n, v), (n, v) with the motion of the base at its stamps."""
        start = self._stamps[0]
        time, at = (self._stamps - start) * SECONDS, (stamps - start) * SECONDS
        pose = fit_positions(time, self._pose, at, cutoff)[0]
        pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
        velocity, acceleration = fit_velocities(time, self._twist, at, cutoff)
        result = motion[0].copy(), motion[1].copy(), motion[2].copy()
        result[0][:, self._base.positions] = pose
        result[1][:, self._base.velocities] = velocity
        result[2][:, self._base.velocities] = acceleration
        return result

    def has_odometry(self, stamps: Ints, timeout: float) -> Flags:
        """Return whether odometry exists before and after each stamp (n,), within the timeout."""
        after = np.minimum(np.searchsorted(self._stamps, stamps), len(self._stamps) - 1)
        before = np.maximum(after - 1, 0)
        far = [np.abs(self._stamps[k] - stamps) * SECONDS for k in (before, after)]
        result: Flags = np.maximum(*far) <= timeout
        return result


@dataclass(frozen=True, eq=False)
class RecordedContacts:
    """Contacts and odometry for the forces at the feet of a recorded robot.

    Parameters
    ----------
    track : BaseTrack
    contacts : RobotContacts
    """

    track: BaseTrack
    contacts: RobotContacts

    def forces(self, model: Model) -> ContactForces:
        """Return the computation of contact forces for a model.

        Raises
        ------
        CharmieError
            As for `ContactForces`.
        """
        return ContactForces.of(model, self.contacts)

    def loads(self, model: Model, states: State) -> ContactLoads:
        """Return the loads at states, with the base at its pose by odometry."""
        return self.forces(model).on_floor(states, self.contacts)

    def added(self, model: Model, arrays: Mapping[str, Floats], states: State) -> dict[str, Floats]:
        """Return the arrays of cycles with the contact forces, and efforts that include them."""
        loads = self.loads(model, states)
        result = dict(arrays)
        effort = arrays["actuator_effort"]
        result["actuator_effort"] = loads.effort
        result["generalized_force"] = arrays["generalized_force"].copy()
        joints = [model.joint_names[i] for i in single_joints(model)]
        names = list(model.actuator_names)
        for k, joint in enumerate(joints):
            # the joint of a linear actuator has another effort
            change = loads.effort - effort
            column = change[:, names.index(joint)] if joint in names else np.nan
            result["generalized_force"][:, k] += column
        return {
            **result,
            **cylinder_arrays(model, result),
            **contact_arrays(self.contacts, loads),
        }


def contact_arrays(contacts: RobotContacts, loads: ContactLoads) -> dict[str, Floats]:
    """Return the arrays of cycles about contacts, from the loads of N cycles."""
    result = {}
    for k, contact in enumerate(contacts.contacts):
        parts = (loads.force[:, k], loads.normal_force[:, k], loads.cone_use[:, k])
        result[CONTACT_PREFIX + contact.name] = np.column_stack(parts)
    result[MISSING_WRENCH] = np.column_stack((loads.missing_force, loads.missing_torque))
    return result


def recorded_contacts(
    model: Model,
    recording: RecordedInputs,
    path: str | Path,
    topic: str | None = None,
    frame_prefix: str = "",
) -> RecordedContacts:
    """Return contacts and odometry for the setting `contacts` of an analysis.

    Parameters
    ----------
    model : Model
        With a base body on a floating joint.
    recording : RecordedInputs
        With odometry.
    path : str or path
        A file of contacts, or a world; also the name of a world of this package.
    topic : str, optional
        Of the odometry; required if it was recorded on several topics.
    frame_prefix : str
        Of its frames.

    Raises
    ------
    CharmieError
        If odometry of the base body is missing, or the file does not fit the model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.recordings import recorded_contacts
    >>> from charmie_dynamics.recordings import RecordedInputs
    >>> with RecordedInputs(Path("walk")) as bag:
    ...     recorded = recorded_contacts(load_model("athena"), bag, "athena")
    >>> recorded.contacts.contacts[-1].name
    'leg_6_foot'
    """
    odometry = read_recorded_base(recording.bag, topic)
    base = recording.samples.base  # the same odometry for causal estimates
    for name in [name for name, topic in base.items() if topic == ODOM.name]:
        del base[name]
    base[odometry.topic] = ODOM.name
    track = BaseTrack(model, odometry, frame_prefix)
    return RecordedContacts(track, read_robot_contacts(path, model.tree))


def contact_names(arrays: Mapping[str, Floats]) -> list[str]:
    """Return the names of the contacts whose forces are among the arrays of cycles."""
    return [name.removeprefix(CONTACT_PREFIX) for name in arrays if name.startswith(CONTACT_PREFIX)]


@dataclass(frozen=True)
class ContactSummary:
    """Summary of the loads on a contact.

    Parameters
    ----------
    name : str
    share : float
        Fraction of the cycles in which it was loaded.
    mean_normal, peak_normal : float
        In these cycles (N).
    peak_use : float
        Of its friction cone, from 0 to 1.
    """

    name: str
    share: float
    mean_normal: float
    peak_normal: float
    peak_use: float


@dataclass(frozen=True)
class ContactsSummary:
    """Summary of all contacts, and the missing forces.

    Parameters
    ----------
    contacts : list of ContactSummary
    flight : int
        Cycles without contact.
    unbalanced : int
        Other cycles whose forces do not explain the motion of the base within 1 % of the load.
    missing_force, missing_torque : float
        The largest values that the base lacked in cycles with contact (N, N m).
    """

    contacts: list[ContactSummary]
    flight: int
    unbalanced: int
    missing_force: float
    missing_torque: float

    def lines(self) -> str:
        """Return a table of the contacts, and lines about missing forces."""
        some = [c for c in self.contacts if c.share > 0.0]
        width = max([7, *(len(c.name) for c in some)])
        rows = [f"{'contact':{width}}  bears  mean N  peak N  cone"]
        rows += [
            f"{c.name:{width}}  {100.0 * c.share:4.0f} % {c.mean_normal:7.2f} "
            f"{c.peak_normal:7.2f} {100.0 * c.peak_use:4.0f} %"
            for c in some
        ]
        if len(some) < len(self.contacts):
            rows.append(f"{len(self.contacts) - len(some)} more never bore anything")
        if self.flight:
            rows.append(f"in {self.flight} cycles nothing touched: efforts are without contacts")
        if self.unbalanced:
            rows.append(
                f"in {self.unbalanced} cycles the contacts cannot move the base as it moved; they "
                f"lack up to {self.missing_force:.3g} N and {self.missing_torque:.3g} N m"
            )
        return "\n".join(rows)


UNBALANCED = 0.01  # of the load


def summarise_contacts(arrays: Mapping[str, Floats], settled: Flags) -> ContactsSummary | None:
    """Return the loads on the contacts in the settled cycles; None without contacts."""
    names = contact_names(arrays)
    if not names:
        return None
    of_each = {name: arrays[CONTACT_PREFIX + name][settled] for name in names}
    summaries, total = [], np.zeros((int(settled.sum()), 3))
    bears = np.zeros(len(total), dtype=bool)
    for name, values in of_each.items():
        own = values[:, 3] > 0.0
        bears |= own
        total += values[:, :3]
        normal, use = values[own, 3], values[own, 4]
        mean = float(normal.mean()) if own.any() else 0.0
        share = float(own.mean()) if len(own) else 0.0
        summaries.append(
            ContactSummary(name, share, mean, *(float(x.max(initial=0.0)) for x in (normal, use)))
        )
    missing = arrays[MISSING_WRENCH][settled]
    force = np.linalg.norm(missing[:, :3], axis=1)
    torque = np.linalg.norm(missing[:, 3:], axis=1)
    lacks = bears & (force > UNBALANCED * np.linalg.norm(total + missing[:, :3], axis=1))
    return ContactsSummary(
        summaries,
        int((~bears).sum()),
        int(lacks.sum()),
        float(force[bears].max(initial=0.0)),
        float(torque[bears].max(initial=0.0)),
    )


def _require_fixed(model: Model, base: list[int], frame: str, topic: str) -> None:
    """Refuse a frame that is moved by other coordinates than those of the base."""
    jacobian = model.jacobian(model.zero_position(), frame)
    others = np.delete(jacobian, base, axis=1)
    if np.abs(others).max(initial=0.0) > 0.0:
        raise CharmieError(
            f"odometry '{topic}': expected the pose of a frame that is fixed to the base body, got "
            f"'{frame}', which joints move"
        )


def _matrices(quaternion: Floats) -> Floats:
    """Return the rotation matrices (n, 3, 3) of quaternions x, y, z, w."""
    v, w = quaternion[:, :3], quaternion[:, 3]
    x, y, z = v.T
    zero = np.zeros_like(w)
    skew = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])
    skew = np.moveaxis(skew, 2, 0)
    outer = 2.0 * v[:, :, None] * v[:, None, :]
    scale = (w * w - np.einsum("ni,ni->n", v, v))[:, None, None]
    result: Floats = scale * np.eye(3) + outer + 2.0 * w[:, None, None] * skew
    return result
