# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The unknowns of an identification, and the regression columns of the efforts.

efforts = W (base parameters) + friction. The base parameters are combinations of inertial
parameters, of parameters of springs, and of rotor inertias that can be separated by the measured
efforts of the moving actuators; see `studies.robot_parameters.base_parameters`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.flat.friction_laws import TRANSITION, direction, transition_speed
from charmie_dynamics.model.friction import friction_of_actuators
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.studies.robot_parameters.base_parameters import (
    BaseParameters,
    independent_combinations,
    random_states,
)
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

from .joint_friction_columns import JointFrictionColumns
from .linear_parameters import joined
from .payload_columns import PayloadColumns
from .pseudo_inertia import size_of
from .rotor_columns import RotorColumns, has_rotors
from .spring_columns import JointSpringColumns, SpringColumns

VISCOUS, COULOMB, OFFSET = "viscous", "coulomb", "offset"
UNITS = {
    "m": "kg",
    **dict.fromkeys(("mx", "my", "mz"), "kg m"),
    **dict.fromkeys(("xx", "xy", "yy", "xz", "yz", "zz"), "kg m^2"),
}

Columns = SpringColumns | JointSpringColumns | RotorColumns | PayloadColumns | JointFrictionColumns


@dataclass(frozen=True)
class Unknowns:
    """The unknowns of an identification; other parameters keep their described values.

    Parameters
    ----------
    inertials : bool
        Masses, centres of mass and moments of inertia of all links.
    friction : bool
        Viscous and Coulomb friction of each actuator, and of each joint with described friction
        that a loop or a linear actuator moves.
    offsets : bool
        A constant effort of each actuator, such as that of a sensor with an offset.
    springs : bool
        Stiffness and pretension of each spring, stiffness and rest position of each joint spring.
    rotors : bool, optional
        Reflected inertia of the rotor of each actuator. Default: if the description has rotors, or
        if the data show some and inertials are unknown, too.
    payload : str
        Name of a payload or a link with an unknown load; empty: none. Requires ``inertials=False``,
        since a load cannot be separated from unknown links.

    Examples
    --------
    >>> from charmie_dynamics.studies import Unknowns
    >>> Unknowns(springs=False).friction
    True
    """

    inertials: bool = True
    friction: bool = True
    offsets: bool = False
    springs: bool = True
    rotors: bool | None = None
    payload: str = ""

    def __post_init__(self) -> None:
        of_robot = self.inertials or self.friction or self.offsets or self.springs or self.rotors
        if not (of_robot or self.payload):
            raise InputError("unknowns: expected at least one kind, got none")
        if self.payload and self.inertials:
            raise InputError(
                f"unknowns: payload '{self.payload}' cannot be separated from unknown links; "
                "expected inertials=False"
            )

    @property
    def of_actuator(self) -> tuple[str, ...]:
        """Names of the unknowns of each single actuator."""
        friction = (VISCOUS, COULOMB) if self.friction else ()
        return (*friction, *((OFFSET,) if self.offsets else ()))


class EffortColumns:
    """The columns of a regression: deviations of base parameters from the description, friction.

    Parameters
    ----------
    closing : ClosedMotions
        Of the described robot.
    unknowns : Unknowns
    measured : (a,) array of bool
        Actuators whose efforts are measured.
    still : (a,) array
        Positions of actuators that never move; NaN for those that move.

    Attributes
    ----------
    model, closing, unknowns
    actuators, coordinates : (m,) array of int
        Indices of the measured actuators, and of their coordinates.
    labels : tuple of str, length k
        Of the parameters that the base parameters combine.
    described : (k,) array
        Their values in the description.
    linear : LinearParameters
        The last of these parameters: those of springs, rotors and joints with friction.
    base : BaseParameters
        Combinations of these parameters.
    names, units : tuple of str, length u
        Of the unknowns: base parameters, then those of the measured actuators.
    prior : (u,) array
        Values of the described robot.
    subtracted : (u,) array
        The part that the described efforts contain: base parameters without friction.
    transition : (m,) array
        Speeds below which the friction of the measured actuators is between its signs.
    fastest : (m,) array
        Rated velocities of the measured actuators (rad/s, m/s).
    places : (m, c) array of int
        Unknowns of the columns of each measured actuator.
    """

    def __init__(
        self,
        closing: ClosedMotions,
        unknowns: Unknowns,
        measured: npt.NDArray[np.bool_],
        still: Floats,
    ) -> None:
        model = closing.model
        if unknowns.rotors is None:
            unknowns = replace(unknowns, rotors=has_rotors(model))
        self.model, self.closing, self.unknowns = model, closing, unknowns
        self.actuators: Ints = np.flatnonzero(measured)
        self.coordinates: Ints = model.actuator_index[self.actuators]
        self._groups: list[Columns] = []
        if unknowns.springs:
            self._groups += [SpringColumns(model), JointSpringColumns(model)]
        if unknowns.rotors:
            self._groups.append(RotorColumns(closing, self.actuators))
        if unknowns.payload:
            self._groups.append(PayloadColumns(model, unknowns.payload))
        if unknowns.friction:
            self._groups.append(JointFrictionColumns(model))
        self._groups = [group for group in self._groups if group.parameters.labels]
        friction = [g for g in self._groups if isinstance(g, JointFrictionColumns)]
        self._friction_count = sum(len(group.parameters.labels) for group in friction)
        self.linear = joined(group.parameters for group in self._groups)
        unloaded = model.with_loads()
        labels: tuple[str, ...] = ()
        values = np.empty(0)
        if unknowns.inertials:
            labels, values = unloaded.inertial_parameter_names, unloaded.inertial_parameters
        self.inertial_count = len(labels)
        self.labels = (*labels, *self.linear.labels)
        self.described = np.concatenate((values, self.linear.values))
        self.base = self._find_base(still)
        laws = friction_of_actuators(model.robot)
        rated = [limit.velocity for limit in model.actuator_limits()]
        # that of friction in a mechanisms file, as which the result is written
        self.transition = np.array([transition_speed(rated[i]) for i in self.actuators.tolist()])
        self.fastest = self.transition / TRANSITION
        own = unknowns.of_actuator
        known = {VISCOUS: laws.viscous, COULOMB: laws.coulomb, OFFSET: np.zeros(len(measured))}
        b, c = len(self.base.names), len(own)
        actuators = [model.actuator_names[i] for i in self.actuators]
        self.names = (*self.base.names, *(f"{name} {what}" for name in actuators for what in own))
        self.units = (
            *(self._unit(k) for k in self.base.columns.tolist()),
            *(_friction_unit(model, i, what) for i in self.actuators.tolist() for what in own),
        )
        of_actuators = [known[what][i] for i in self.actuators.tolist() for what in own]
        self.prior = np.concatenate((self.base.values, np.array(of_actuators)))
        smooth = self.described.copy()
        smooth[len(smooth) - self._friction_count :] = 0.0
        smooth_base = self.base.combination @ smooth
        self.subtracted = np.concatenate((smooth_base, np.zeros(c * len(actuators))))
        self.places: Ints = np.array(
            [[*range(b), *range(b + c * m, b + c * (m + 1))] for m in range(len(self.actuators))],
            dtype=np.int64,
        ).reshape(len(self.actuators), b + c)

    def base_sizes(self) -> Floats:
        """Return a typical size of each base parameter: that of its largest term, as described."""
        sizes = np.zeros(len(self.described))
        count = self.inertial_count
        for k, link in enumerate(self.described[:count].reshape(-1, 10)):
            if link[0] > 0.0:
                powers = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
                sizes[10 * k : 10 * k + 10] = link[0] * size_of(link) ** powers
        sizes[count:] = self.linear.sizes
        result: Floats = (np.abs(self.base.combination) * sizes).max(axis=1, initial=0.0)
        return result

    def sizes_of_own(self, usual: Floats) -> Floats:
        """Return the sizes of unknowns that would cause the typical effort alone."""
        own = [
            effort / fastest if what == VISCOUS else effort
            for effort, fastest in zip(usual.tolist(), self.fastest.tolist(), strict=True)
            for what in self.unknowns.of_actuator
        ]
        return np.array(own)

    def of(self, position: Floats, velocity: Floats, acceleration: Floats) -> Floats:
        """Return the columns (n, m, c) of the measured actuators.

        Without friction, efforts minus described efforts equal the columns times the deviations.
        """
        base = self._combined(position, velocity, acceleration)[:, :, self.base.columns]
        v = velocity[:, self.coordinates]
        own = {
            VISCOUS: v,
            COULOMB: direction(v, np.broadcast_to(self.transition, v.shape)),
            OFFSET: np.ones_like(v),
        }
        columns = [own[what][:, :, None] for what in self.unknowns.of_actuator]
        return np.concatenate((base, *columns), axis=2)

    def _combined(self, position: Floats, velocity: Floats, acceleration: Floats) -> Floats:
        """Return the columns (n, m, k) of all combined parameters."""
        parts = [np.empty((len(position), len(self.actuators), 0))]
        if self.unknowns.inertials:
            W = self.model.regressor(position, velocity, acceleration)
            parts.append(W[:, self.actuators])
        motion = position, velocity, acceleration
        parts += [group.of(*motion)[:, self.actuators] for group in self._groups]
        return np.concatenate(parts, axis=2)

    def _unit(self, k: int) -> str:
        if k < self.inertial_count:
            return UNITS[self.labels[k].rpartition(" ")[2]]
        return self.linear.units[k - self.inertial_count]

    def _find_base(self, still: Floats) -> BaseParameters:
        count = len(self.labels)
        if count == 0:
            nothing = np.empty(0)
            return BaseParameters((), np.empty(0, dtype=np.int64), np.empty((0, 0)), nothing)
        states = random_states(
            self.closing, count * len(self.model.actuator_names) // len(self.actuators), still=still
        )
        return independent_combinations(
            self.closing.weighted(self._combined(*states)).reshape(-1, count),
            self.labels,
            self.described,
            f"robot '{self.model.name}'",
        )


def _friction_unit(model: Model, actuator: int, what: str) -> str:
    effort = model.effort_units[actuator]
    if what != VISCOUS:
        return effort
    return "N s/m" if effort == "N" else "N m s/rad"
