# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of an identification: numbers with intervals, and a physically consistent robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from charmie_dynamics.errors import UnknownNameError, choices, shown
from charmie_dynamics.model.description.robot import Inertial, JointFriction, Rotor
from charmie_dynamics.model.equations.rotors import own_rotors
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.recordings.compute.friction import LEAST_SHARE, REST_PERIOD, UNDETERMINED

from .consistent_fit import ConsistentFit
from .joint_friction_columns import FRICTION_QUANTITIES, joints_with_friction
from .judging import EffortJudgement, Predictions
from .pseudo_inertia import inertial_parameters_of, pseudo_inertia
from .rotor_columns import ROTOR
from .spring_columns import JOINT_QUANTITIES, QUANTITIES
from .unknowns import COULOMB, VISCOUS, EffortColumns
from .weighted_fit import WeightedFit

CONFIDENCE = 0.95
NO_ROTOR = Rotor(0.0)
SMALL_ROTOR = 1e-3  # of its size: smaller rotors that are not described are omitted


@dataclass(frozen=True)
class IdentifiedNumber:
    """An identified number.

    Parameters
    ----------
    name, unit : str
    described : float
    estimate : float
        By weighted least squares.
    deviation : float
        Its standard deviation; inf: the data do not determine it.
    half_width : float
        The interval of 95 % is the estimate, plus and minus this.
    written : float
        Of the physically consistent robot in the written files.
    size : float
        A typical size of such a number.
    """

    name: str
    unit: str
    described: float
    estimate: float
    deviation: float
    half_width: float
    written: float
    size: float

    @property
    def is_determined(self) -> bool:
        """Return whether the data determine it, to half of its size at least."""
        return self.half_width <= UNDETERMINED * max(abs(self.estimate), self.size)


@dataclass(frozen=True, eq=False)
class IdentificationResult:
    """Result of an identification.

    Parameters
    ----------
    columns : EffortColumns
    fit : WeightedFit
    consistent : ConsistentFit
    predictions : Predictions
        Each part of the data, predicted from the others.
    usual : (m,) array
        Typical efforts of the measured actuators (N m, N).
    duration : float
        Of the data (s).
    effort_cutoff : float
        Of the low pass of the measured efforts (Hz); inf: none.
    rest : float
        Omitted time in which all actuators rest (s).
    """

    columns: EffortColumns
    fit: WeightedFit
    consistent: ConsistentFit
    predictions: Predictions
    usual: Floats
    duration: float
    effort_cutoff: float
    rest: float = 0.0

    @property
    def notices(self) -> list[str]:
        """Notice of the omitted rests; empty without any."""
        if not self.rest:
            return []
        return [
            f"{self.rest:.1f} of {self.duration:.1f} s are omitted, in which all actuators rest: "
            f"of each rest only the first {REST_PERIOD:g} s are used"
        ]

    @property
    def model(self) -> Model:
        """The described robot."""
        return self.columns.model

    @cached_property
    def numbers(self) -> tuple[IdentifiedNumber, ...]:
        """Base parameters, then friction of the measured actuators, with intervals of 95 %.

        The offsets of these actuators follow their friction if the unknowns have ``offsets=True``.
        """
        columns, fit = self.columns, self.fit
        factor = float(stdtrit(fit.freedom, 0.5 * (1.0 + CONFIDENCE)))
        sizes = np.concatenate(
            (columns.base_sizes(), LEAST_SHARE * columns.sizes_of_own(self.usual))
        )
        values = (columns.prior, fit.values, fit.deviation, factor * fit.deviation,
                  self.consistent.values, sizes)  # fmt: skip
        rows = zip(columns.names, columns.units, *(array.tolist() for array in values), strict=True)
        return tuple(IdentifiedNumber(*row) for row in rows)

    @cached_property
    def judgements(self) -> tuple[EffortJudgement, ...]:
        """Errors of the efforts of each measured actuator on held-out data."""
        return self.predictions.judgements(self.columns)

    @property
    def undetermined(self) -> tuple[IdentifiedNumber, ...]:
        """The numbers that the motion does not determine."""
        return tuple(number for number in self.numbers if not number.is_determined)

    @cached_property
    def inertials(self) -> Mapping[str, Inertial]:
        """Inertials of the links with a mass, physically consistent."""
        count = self.columns.inertial_count
        parameters = self.consistent.parameters[:count].reshape(-1, 10)
        names = self.model.flat.body_names[: len(parameters)]
        return {
            name: _inertial(row)
            for name, row in zip(names, parameters, strict=True)
            if row[0] > 0.0
        }

    @cached_property
    def friction(self) -> Mapping[str, JointFriction]:
        """Friction of the measured actuators; empty if it was no unknown."""
        return {
            self.model.actuator_names[i]: JointFriction(own[VISCOUS], own[COULOMB])
            for i, own in zip(self.columns.actuators.tolist(), self._own(), strict=True)
            if VISCOUS in own
        }

    @cached_property
    def joint_friction(self) -> Mapping[str, JointFriction]:
        """Friction of the joints that a loop or a linear actuator moves, if the URDF defines it."""
        names = joints_with_friction(self.model) if self.columns.unknowns.friction else ()
        return {
            name: JointFriction(*(self._linear(name, what) for what in FRICTION_QUANTITIES))
            for name in names
        }

    @cached_property
    def springs(self) -> Mapping[str, tuple[float, float]]:
        """Stiffness (N/m) and pretension (N) of each spring; empty if they were no unknowns."""
        names = self.model.spring_names if self.columns.unknowns.springs else ()
        return {name: (self._linear(name, QUANTITIES[0]), self._linear(name, QUANTITIES[1]))
                for name in names}  # fmt: skip

    @cached_property
    def joint_springs(self) -> Mapping[str, tuple[float, float]]:
        """Stiffness (N m/rad, N/m) and rest position (rad, m) of the joint springs.

        Springs without stiffness are omitted; empty if springs were no unknowns.
        """
        values = {}
        for part in self.model.mechanisms.joint_springs if self.columns.unknowns.springs else ():
            if part.stiffness > 0.0:
                stiffness, effort = (self._linear(part.name, what) for what in JOINT_QUANTITIES)
                values[part.name] = stiffness, effort / stiffness if stiffness > 0.0 else part.rest
        return values

    @cached_property
    def rotors(self) -> Mapping[str, Rotor]:
        """Rotors of the measured actuators with their described gear ratios.

        Empty if they were no unknowns; without rotors that are neither described nor identified.
        """
        if not self.columns.unknowns.rotors:
            return {}
        described = self.model.mechanisms.all_rotors(self.model.tree)
        total = own_rotors(self.model.flat)[self.model.actuator_index]
        values = {}
        for i in self.columns.actuators.tolist():
            name = self.model.actuator_names[i]
            reflected = self._linear(name, ROTOR)
            old = described.get(name, NO_ROTOR)
            # without the rotors of mimic joints
            own = max(reflected - (float(total[i]) - old.reflected), 0.0)
            row = self.columns.linear.labels.index(f"{name} {ROTOR}")
            if name in described or own > SMALL_ROTOR * self.columns.linear.sizes[row]:
                values[name] = Rotor(own / old.gear_ratio**2, old.gear_ratio)
        return values

    def _linear(self, name: str, what: str) -> float:
        return float(self.consistent.parameters[self.columns.labels.index(f"{name} {what}")])

    def number(self, name: str) -> IdentifiedNumber:
        """Return a number by its name.

        Raises
        ------
        UnknownNameError
            If it is not among the identified ones.
        """
        names = self.columns.names
        if name not in names:
            raise UnknownNameError(
                f"identified number '{shown(name)}' is unknown{choices(name, names)}"
            )
        return self.numbers[names.index(name)]

    def _own(self) -> list[dict[str, float]]:
        own = self.columns.unknowns.of_actuator
        values = self.consistent.values[len(self.columns.base.names) :].reshape(-1, len(own))
        rows = values.tolist() if len(own) else [[] for _ in self.columns.actuators]
        return [dict(zip(own, row, strict=True)) for row in rows]


def _inertial(parameters: Floats) -> Inertial:
    J = pseudo_inertia(parameters)
    m, c = J[3, 3], J[:3, 3] / J[3, 3]
    J[:3, :3] -= m * np.outer(c, c)
    xx, xy, yy, xz, yz, zz = inertial_parameters_of(J)[4:].tolist()
    inertia = np.array([(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)])
    return Inertial(mass=float(m), p_link_com=c, inertia=inertia)
