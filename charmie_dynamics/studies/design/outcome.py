# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""States and efforts of a candidate in the motions of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .study_motion import StudyMotion


@dataclass(frozen=True, eq=False)
class StudyOutcome:
    """States and efforts of a candidate in some motions.

    The methods return the samples of all motions, one motion after another.

    Attributes
    ----------
    model : Model
        The candidate.
    motions : tuple of StudyMotion
        Motions of its actuators.
    states : tuple of State
        The states of each motion.
    properties : mapping of str to float
        Values of the variables, and of the columns of lists.
    efforts : mapping of str to (N, a) array
        Efforts of the actuators in simulated motions (N m or N), by the names of the motions. In
        other motions the efforts are those of the states.
    """

    model: Model
    motions: tuple[StudyMotion, ...]
    states: tuple[State, ...]
    properties: Mapping[str, float]
    efforts: Mapping[str, Floats] = field(default_factory=dict)

    def of_motions(self, names: Sequence[str]) -> StudyOutcome:
        """Return the outcome in the named motions; without names in all motions."""
        if not names:
            return self
        chosen = [k for k, motion in enumerate(self.motions) if motion.name in names]
        return replace(
            self,
            motions=tuple(self.motions[k] for k in chosen),
            states=tuple(self.states[k] for k in chosen),
        )

    @property
    def weight(self) -> Floats:
        """Duration (s) that each sample represents (N,)."""
        return np.concatenate([motion.weight for motion in self.motions])

    def effort(self, actuator: str) -> Floats:
        """Return the effort of an actuator (N,), in N m or N."""
        k = self.model.actuator_names.index(actuator)
        parts = []
        for motion, state in zip(self.motions, self.states, strict=True):
            simulated = self.efforts.get(motion.name)
            parts.append((state.actuator_effort if simulated is None else simulated)[:, k])
        return np.concatenate(parts)

    def velocity(self, actuator: str) -> Floats:
        """Return the velocity of an actuator (N,), in rad/s or m/s."""
        k = self.model.velocity_names.index(actuator)
        return np.concatenate([motion.velocity[:, k] for motion in self.motions])

    def position(self, actuator: str) -> Floats:
        """Return the position of an actuator (N,), in rad or m."""
        k = self.model.position_names.index(actuator)
        return np.concatenate([motion.position[:, k] for motion in self.motions])

    def spring_length(self, spring: str) -> Floats:
        """Return the length of a spring (N,), in m."""
        return np.concatenate([state.spring_length[spring] for state in self.states])

    def spring_tension(self, spring: str) -> Floats:
        """Return the tension of a spring (N,), in N."""
        return np.concatenate([state.spring_tension[spring] for state in self.states])
