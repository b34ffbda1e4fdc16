# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Scene of a robot: its fixed shapes, and their appearance in each state."""

from __future__ import annotations

from itertools import chain
from typing import Literal, get_args

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.stability import Support
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Ints
from charmie_dynamics.visual.shapes.appearance import (
    Appearance,
    Rows,
    count_points,
    first_appearance,
)
from charmie_dynamics.visual.shapes.part import Part, Rating
from charmie_dynamics.visual.shapes.shape import Shape

from .bodies import SolidBodies
from .efforts import Efforts
from .labels import Labels
from .legend import Legend
from .mechanisms.coils import Coils
from .mechanisms.drawings import mechanism_parts
from .reactions import Reactions
from .skeleton import Skeleton
from .stability import StabilityMarkers

Style = Literal["solid", "skeleton"]


class Scene:
    """The content of a picture of a robot.

    Parameters
    ----------
    model : Model
        The robot.
    style : {"solid", "skeleton"}, optional
        Bodies as the visuals of the URDF, or as key points joined by lines.
    reactions : bool, optional
        Show the forces in the joints.
    labels : bool, optional
        Show texts with names and loads.
    legend : bool, optional
        Show the meaning of the colours next to the robot.

    Attributes
    ----------
    shapes : tuple of Shape, length k
        The constant part: namespace, id, kind, frame, mesh and number of points. Each shape refers
        to a frame of the model. Other values are those before the first state.
    first_point : array of int, shape (k + 1,)
        The points of shape i are those from ``first_point[i]`` up to ``first_point[i + 1]``.
    first_moving : int
        The rows of `Appearance` before this one are constant.

    See Also
    --------
    visible_shapes : from shapes and an appearance to the content of a picture.
    """

    def __init__(
        self,
        model: Model,
        *,
        style: Style = "solid",
        reactions: bool = False,
        labels: bool = False,
        legend: bool = False,
    ) -> None:
        if style not in get_args(Style):
            valid = "', '".join(get_args(Style))
            raise InputError(f"style of a scene: expected one of '{valid}', got '{style}'")
        support = Support.of(model)
        bodies: Part = SolidBodies(model) if style == "solid" else Skeleton(model)
        still = mechanism_parts(model, moves=False)
        moving: list[Part] = []
        (still if style == "solid" else moving).append(bodies)
        if legend:
            polygon = len(support.polygon) > 0
            still.append(Legend(model, polygon=polygon, reactions=reactions, labels=labels))
        moving += mechanism_parts(model, moves=True)
        moving += [Coils(model), Efforts(model), StabilityMarkers(model, support)]
        if reactions:
            moving.append(Reactions(model))
        self._labels = Labels(model, support) if labels else None
        if self._labels is not None:
            moving.append(self._labels)
        self._moving = moving
        self._rating = Rating(model, support)

        parts = [*still, *moving]
        self.shapes: tuple[Shape, ...] = tuple(chain.from_iterable(part.shapes for part in parts))
        self.first_point: Ints = np.zeros(len(self.shapes) + 1, dtype=np.int64)
        np.cumsum(count_points(self.shapes), out=self.first_point[1:])
        self.first_moving = sum(len(part.shapes) for part in still)
        self._appearance = first_appearance(self.shapes)
        self._attach(parts)

    def _attach(self, parts: list[Part]) -> None:
        everything = self._appearance
        first = 0
        for part in parts:
            last = first + len(part.shapes)
            rows = slice(first, last)
            part.attach(
                Rows(
                    everything.visible[rows],
                    everything.position[rows],
                    everything.scale[rows],
                    everything.color[rows],
                    everything.points[self.first_point[first] : self.first_point[last]],
                )
            )
            first = last

    def update(self, state: State) -> Appearance:
        """Return the appearance of the scene in a state.

        Parameters
        ----------
        state : State
            Of one sample of the model. With kinematics only, loads are omitted.

        Returns
        -------
        Appearance
            Its arrays belong to the scene: the next call overwrites them.
        """
        loads = self._rating.loads(state)
        for part in self._moving:
            part.update(state, loads)
        if self._labels is not None:  # labels are last
            texts = self._appearance.texts[: -len(self._labels.texts)] + self._labels.texts
            self._appearance = self._appearance._replace(texts=texts)
        return self._appearance
