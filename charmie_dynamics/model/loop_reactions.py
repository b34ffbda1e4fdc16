# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces in the closed loops of a state."""

from __future__ import annotations

from abc import ABC, abstractmethod

from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.numerics.vectors import Floats

from .flat.block_layout import BlockLayout


class LoopReactions(ABC):
    """The part of a state, of one cycle or a batch, with the loads of loop joints."""

    __slots__ = ()
    _layout: BlockLayout

    @abstractmethod
    def _load(self, name: str) -> Floats:
        """Return an array of dynamics."""

    def loop_force(self, name: str) -> Floats:
        """Return the load of a loop joint: (6,) force (N), then torque (N m), world axes.

        The first body applies it on the second; the torque is about the second body's point. Where
        equilibrium does not determine it, since constraints depend on each other
        (`Model.constraints`), it has the least sum of squares of all constraint forces.

        Raises
        ------
        UnknownNameError
            If there is no such loop joint.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> state = model.compute(model.zero_position())
        >>> print((state.loop_force("pin") + 0.0).round(2))  # N, N m
        [ 1.75  0.   -8.65  0.    0.    0.  ]
        """
        names = self._layout.robot.mechanism_names["loop_joints"]
        if name not in names:
            raise UnknownNameError(f"loop joint '{name}' is unknown{choices(name, names)}")
        force: Floats = self._load("loop_force")[..., names.index(name), :]
        return force
