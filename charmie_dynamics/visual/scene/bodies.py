# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies of a scene: the visuals of the links, each in the frame of its link."""

from __future__ import annotations

from collections.abc import Sequence

from charmie_dynamics.model.description.robot import Visual
from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.shapes.part import Part
from charmie_dynamics.visual.shapes.shape import Kind, Shape


class SolidBodies(Part):
    """The visuals of the URDF, which stay in their frames."""

    def __init__(self, model: Model) -> None:
        shapes: list[Shape] = []
        for link in model.tree.links.values():
            for visual in link.visuals:
                kind, scale = _kind_and_scale(visual)
                shapes.append(
                    Shape(
                        "bodies",
                        len(shapes),
                        kind,
                        link.name,
                        position=visual.p_link_visual,
                        rotation=visual.R_link_visual,
                        scale=scale,
                        color=visual.rgba,
                        mesh=visual.mesh,
                    )
                )
        self.shapes: Sequence[Shape] = shapes


def _kind_and_scale(visual: Visual) -> tuple[Kind, tuple[float, float, float]]:
    size = visual.size
    if visual.kind == "cylinder":
        return "cylinder", (2.0 * size[0], 2.0 * size[0], size[1])
    if visual.kind == "sphere":
        return "sphere", (2.0 * size[0],) * 3
    return visual.kind, (size[0], size[1], size[2])
