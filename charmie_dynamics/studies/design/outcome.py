# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A candidate in some motions."""

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
    """A candidate in some motions, with concatenated samples.

    Attributes
    ----------
    model : Model
    motions : tuple of StudyMotion
        Of its actuators.
    states : tuple of State
        One for each motion.
    properties : mapping of str to float
        Values of the variables, and of the columns of lists.
    efforts : mapping of str to (N, a) array
        Of the actuators in simulated motions, by their names.
    """

    model: Model
    motions: tuple[StudyMotion, ...]
    states: tuple[State, ...]
    properties: Mapping[str, float]
    efforts: Mapping[str, Floats] = field(default_factory=dict)

    def of(self, names: Sequence[str]) -> StudyOutcome:
        """Return the part with the named motions; all without names."""
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
        """Return the effort of an actuator (N,)."""
        k = self.model.actuator_names.index(actuator)
        parts = []
        for motion, state in zip(self.motions, self.states, strict=True):
            simulated = self.efforts.get(motion.name)
            parts.append((state.actuator_effort if simulated is None else simulated)[:, k])
        return np.concatenate(parts)

    def velocity(self, actuator: str) -> Floats:
        """Return the velocity of an actuator (N,)."""
        k = self.model.velocity_names.index(actuator)
        return np.concatenate([motion.velocity[:, k] for motion in self.motions])

    def position(self, actuator: str) -> Floats:
        """Return the position of an actuator (N,)."""
        k = self.model.position_names.index(actuator)
        return np.concatenate([motion.position[:, k] for motion in self.motions])

    def of_springs(self, what: str, spring: str) -> Floats:
        """Return ``spring_length`` or ``spring_tension`` of a spring (N,)."""
        return np.concatenate([getattr(state, what)[spring] for state in self.states])
