# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed cycles as arrays over time; settings and counts of an analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.equations.point_motion import POINT_NUMBERS
from charmie_dynamics.errors import CharmieError, OutOfReachError, UnknownNameError, choices
from charmie_dynamics.live.estimation.entries import measured_joints
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.live.tracked_points import place_of
from charmie_dynamics.model.description.robot import TrackedPoint
from charmie_dynamics.model.loads import Payload
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import single_joints
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats, Ints

from .contact_loads import RecordedContacts
from .cylinders import cylinder_arrays
from .smoothing import CUBIC, Polynomials

# arrays of a state that are stored, and those that are stored with loads only
MOTION = ("position", "velocity", "acceleration", "joint_position", "joint_velocity",
          "spring_length")  # fmt: skip
LOADS = ("actuator_effort", "generalized_force", "spring_tension")
BASE = ("link_force", "link_torque")
OF_ACTUATORS = ("position", "velocity", "acceleration", "actuator_effort")
OF_JOINTS = ("joint_position", "joint_velocity", "generalized_force")
# array of the estimator, after their block: the remaining time of settling (s)
SETTLING = "settling"
# then the motion of the tracked points: names of arrays, with the names of points
TRACKED = "tracked_points/"
NOTHING: Ints = np.empty(0, dtype=np.int64)
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class AnalysisSettings:
    """Settings of the computation of cycles; defaults are those of the node's parameters.

    Parameters
    ----------
    smoothing : {"zero-phase", "causal"}
        Zero-phase estimates from the samples before and after a cycle; or those of the node.
    cutoff : float
        Of the velocity and acceleration estimates (Hz).
    polynomials : Polynomials
        Of zero-phase estimates.
    timeout : float
        Age (s) from which a value is stale.
    estimate_acceleration : bool
        False: accelerations are zero.
    require_base_joints : bool
        False: base joints without samples are at zero.
    dynamics : bool
        False: kinematics only.
    observer_cutoff : float
        Of the external efforts from measured efforts (Hz).
    hold : mapping
        Positions (rad or m) of actuators that are not recorded, by name.
    frame_prefix : str
        Of the frames of recorded loads.
    effort_factors : mapping
        Factors of measured efforts by the names of joints and linear actuators, such as torque
        constants for recorded currents.
    payloads : mapping
        Known from the start, by the names of the payloads; None: no payload.
    tracked_points : tuple of str
        As the node's parameter.
    contacts : RecordedContacts, optional
        Contacts with the floor of a free robot, and its odometry.

    Examples
    --------
    >>> from charmie_dynamics.recordings import AnalysisSettings
    >>> AnalysisSettings().smoothing, AnalysisSettings().cutoff  # Hz
    ('zero-phase', 10.0)
    """

    smoothing: str = "zero-phase"
    cutoff: float = DEFAULTS.acceleration_cutoff
    polynomials: Polynomials = CUBIC
    timeout: float = DEFAULTS.input_timeout
    estimate_acceleration: bool = True
    require_base_joints: bool = DEFAULTS.require_base_joints
    dynamics: bool = DEFAULTS.compute_dynamics
    observer_cutoff: float = DEFAULTS.observer_cutoff
    hold: Mapping[str, float] = field(default_factory=dict)
    frame_prefix: str = DEFAULTS.frame_prefix
    effort_factors: Mapping[str, float] = field(default_factory=dict)
    payloads: Mapping[str, Payload | None] = field(default_factory=dict)
    tracked_points: tuple[str, ...] = DEFAULTS.tracked_points
    contacts: RecordedContacts | None = None

    def require_known(self, model: Model) -> None:
        """Check that all held actuators exist, and that the contacts fit.

        Raises
        ------
        UnknownNameError
            If an actuator does not exist.
        CharmieError
            If the contacts do not fit the model.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.recordings import AnalysisSettings
        >>> AnalysisSettings(hold={"lift_actuator": 0.4}).require_known(load_model())
        """
        if self.contacts is not None:
            self.contacts.forces(model)
        reported = measured_joints(model)
        known = [name for i, name in enumerate(model.velocity_names) if i in reported]
        for name in self.hold:
            if name not in known:
                raise UnknownNameError(
                    f"actuator '{name}' to be held is unknown{choices(name, known)}"
                )
        for name in self.effort_factors:
            if name not in model.actuator_names:
                raise UnknownNameError(
                    f"effort factor of '{name}': unknown actuator"
                    f"{choices(name, model.actuator_names)}"
                )


@dataclass
class CycleCounts:
    """Counts of the samples and cycles of an analysis, also of those that were not computed.

    Attributes
    ----------
    samples : Counter
        Processed samples, by topic.
    names : set of str
        Of joints and actuators in the samples.
    triggers : int
        Samples that should start a cycle.
    missing : Counter
        Cycles that were not computed, by the actuator without a fresh value.
    unreachable : dict
        By actuator or mechanism: number of cycles that were not computed because its loop could
        not be closed, and the message of the first.
    unknown : list of str
        Names in the samples that the model does not have.
    jumps_back : int
        Number of backward jumps of the time.
    repeated : Counter
        Samples with the same stamp as the one before, by topic.
    contradictions : dict
        By actuator: contradictions among its measured values, with advice.
    outside : dict
        By actuator: samples with a position outside the limits, and the newest such position.
    jumps : dict
        By joint or actuator: steps of the position that are no motion, and the size of the newest.
    late : int
        Samples that were dropped, completely or in part, because newer ones had come before.
    base : dict
        By topic, "imu" or "odom": number of refused messages, and the reason of the first.
    uncompared : tuple of int and str
        Computed cycles whose measured efforts could not be compared with the model's, and the
        message of the first.
    """

    samples: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)
    triggers: int = 0
    computed: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    unreachable: dict[str, tuple[int, str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    jumps_back: int = 0
    repeated: Counter[str] = field(default_factory=Counter)
    contradictions: dict[str, str] = field(default_factory=dict)
    outside: dict[str, tuple[int, str]] = field(default_factory=dict)
    jumps: dict[str, tuple[int, str]] = field(default_factory=dict)
    late: int = 0
    base: dict[str, tuple[int, str]] = field(default_factory=dict)
    uncompared: tuple[int, str] = (0, "")

    def note_unreachable(self, error: CharmieError) -> None:
        """Count a cycle that could not be computed."""
        name = error.name if isinstance(error, OutOfReachError) else type(error).__name__
        count, text = self.unreachable.get(name, (0, str(error)))
        self.unreachable[name] = count + 1, text

    def note_uncompared(self, error: CharmieError) -> None:
        """Count a cycle whose measured efforts could not be compared."""
        count, text = self.uncompared
        self.uncompared = count + 1, text or str(error)

    def lines(self) -> list[str]:
        """Return the reasons of omitted cycles, one line each."""
        lines = [
            f"'{name}' has no fresh value at {count} of {self.triggers} samples"
            for name, count in self.missing.most_common(6)
        ]
        if len(self.missing) > 6:
            lines.append(f"and {len(self.missing) - 6} more actuators have none at some")
        lines += [
            f"{count} samples could not be computed, the first since {text}"
            for count, text in self.unreachable.values()
        ]
        if self.unknown:
            lines.append(f"not known to the model, ignored: {', '.join(self.unknown[:12])}")
        if self.jumps_back:
            lines.append(
                f"time jumped back {self.jumps_back} times: each part is computed separately"
            )
        for topic, count in self.repeated.items():
            if count:
                lines.append(
                    f"{count} of {self.samples[topic]} samples of {topic} repeat the stamp of the "
                    "one before, and show no motion: expected the time of each measurement"
                )
        lines += [
            f"position of '{name}' outside its limits in {count} samples, such as {text}"
            for name, (count, text) in self.outside.items()
        ]
        lines += [
            f"position of '{name}' jumps at {count} samples, such as by {text}"
            for name, (count, text) in self.jumps.items()
        ]
        lines += [f"'{name}': {text}" for name, text in self.contradictions.items()]
        if self.late:
            lines.append(f"{self.late} samples came after newer ones and were dropped")
        lines += [
            f"{topic}: {count} messages refused, the first since {text}"
            for topic, (count, text) in self.base.items()
        ]
        count, text = self.uncompared
        if count:
            lines.append(
                f"the measured efforts of {count} cycles could not be compared, the first since "
                f"{text}"
            )
        return lines


class Cycles(NamedTuple):
    """n computed cycles.

    Attributes
    ----------
    stamps, arrivals : (n,) array of int
        Stamp and time of recording of the sample that started each cycle (ns).
    arrays : dict
        By the names of the arrays of a state, each with a leading axis of n: arrays of actuators
        contain these alone, arrays of joints those of `movable.single_joints`. ``link_force`` and
        ``link_torque`` are those of the base, (n, 3). ``settling`` (n,) is the remaining time of
        settling of the estimates (s). ``cylinder_length``, ``cylinder_velocity`` and
        ``cylinder_effort`` (n, k) are those of the k `load_sharing.shared_cylinders`, if there are
        any. ``tracked_points/NAME`` (n, POINT_NUMBERS) is the motion of a tracked point, see
        `core.equations.point_motion`. With measured efforts, the arrays of `comparisons.COMPARED`
        are included.
    rows : (n, c) array
        The further columns of each state's block that a `StateSelection` requests; (0, 0)
        without any.
    """

    stamps: Ints
    arrivals: Ints
    arrays: dict[str, Floats]
    rows: Floats = np.empty((0, 0))

    @property
    def settled(self) -> Flags:
        """Return whether the estimates of each cycle (n,) have settled (true if unknown)."""
        left = self.arrays.get(SETTLING)
        if left is None:
            return np.ones(len(self.stamps), dtype=bool)
        result: Flags = ~(left > 0.0)
        return result

    @property
    def judged(self) -> Flags:
        """Return the settled cycles (n,), or all cycles if none has settled."""
        settled = self.settled
        return settled if settled.any() else ~settled


class StateSelection:
    """The arrays of a state that are stored for each cycle.

    Parameters
    ----------
    model : Model
    dynamics : bool
        False: without loads.
    also : (c,) array of int
        Columns of a state's block that are stored as `Cycles.rows`.
    points : tuple of TrackedPoint
        Their motion is stored, too.

    Raises
    ------
    CharmieError
        If a requested array does not exist.

    Attributes
    ----------
    columns : (k,) array of int
        All stored columns of a state's block.
    points : tuple of TrackedPoint
    """

    def __init__(
        self,
        model: Model,
        *,
        dynamics: bool,
        also: Ints = NOTHING,
        points: tuple[TrackedPoint, ...] = (),
    ) -> None:
        layout = model.layout
        names = (*MOTION, *(LOADS if dynamics else ()))
        index = {name: layout.index(name) for name in names}
        index.update(
            {name: index[name][model.actuator_index] for name in names if name in OF_ACTUATORS}
        )
        self._model, self._has_loads = model, dynamics
        joints = single_joints(model)
        index.update({name: index[name][joints] for name in names if name in OF_JOINTS})
        if dynamics:
            index.update({name: layout.index(name)[layout.base_body] for name in BASE})
        index[SETTLING] = np.array(layout.size)
        self.points = points
        for k, point in enumerate(points):
            index[TRACKED + point.name] = place_of(model, k) + np.arange(POINT_NUMBERS)
        self._end = place_of(model, len(points))
        if also.max(initial=0) >= self._end:
            raise CharmieError(
                f"number {also.max()} of a cycle is to be kept; expected one of its {self._end}: "
                "the same tracked points as in the messages"
            )
        self._index = index
        self._shapes = {name: array.shape for name, array in index.items()}
        self._also = also
        self._computed = layout.size
        self.columns: Ints = np.concatenate([*(array.ravel() for array in index.values()), also])

    def of_rows(self, stamps: Iterable[int], arrivals: Iterable[int], rows: Floats) -> Cycles:
        """Return the cycles whose stored columns, see `columns`, are the rows (n, c)."""
        arrays, first = {}, 0
        for name, shape in self._shapes.items():
            size = int(np.prod(shape, dtype=int))
            arrays[name] = rows[:, first : first + size].reshape(len(rows), *shape)
            first += size
        if self._has_loads:
            arrays.update(cylinder_arrays(self._model, arrays))
        return Cycles(
            np.fromiter(stamps, dtype=np.int64),
            np.fromiter(arrivals, dtype=np.int64),
            arrays,
            rows[:, first:],
        )

    def of_batch(self, stamps: Ints, arrivals: Ints, batch: State) -> Cycles:
        """Return the cycles of a batch, whose estimates also use later samples."""
        arrays = {}
        for name in self._shapes:
            if name == SETTLING:
                arrays[name] = np.zeros(len(stamps))
            elif name.startswith(TRACKED):
                continue
            elif name in BASE:
                arrays[name] = batch.base_wrench[BASE.index(name)]
            else:
                arrays[name] = batch.columns(self._index[name])
        if self._has_loads:
            arrays.update(cylinder_arrays(self._model, arrays))
        for point in self.points:
            arrays[TRACKED + point.name] = batch.motion_numbers(point.frame, point.point)
        rows = np.zeros((len(stamps), len(self._also)))
        computed = self._also < self._computed
        rows[:, computed] = batch.columns(self._also[computed])
        for column in np.flatnonzero(self._also > self._computed).tolist():
            k, number = divmod(int(self._also[column]) - self._computed - 1, POINT_NUMBERS)
            rows[:, column] = arrays[TRACKED + self.points[k].name][:, number]
        return Cycles(stamps, arrivals, arrays, rows)


def joined(parts: list[Cycles], *, rows: bool = True) -> Cycles:
    """Return the concatenated cycles of one part or more.

    An array that a part lacks is NaN there.

    Parameters
    ----------
    parts : list of Cycles
    rows : bool
        False: omit their rows.
    """
    shapes = {name: array.shape[1:] for part in parts for name, array in part.arrays.items()}
    arrays = {}
    for name, shape in shapes.items():
        pieces = [
            part.arrays[name]
            if name in part.arrays
            else np.full((len(part.stamps), *shape), np.nan)
            for part in parts
        ]
        arrays[name] = np.concatenate(pieces)
    return Cycles(
        np.concatenate([part.stamps for part in parts]),
        np.concatenate([part.arrivals for part in parts]),
        arrays,
        np.concatenate([part.rows for part in parts]) if rows else np.empty((0, 0)),
    )
