# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes that overlap by more than contacts at rest can explain."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.contact.records import DEPTH, FIRST, SECOND
from charmie_dynamics.errors import OverlapError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .contact_need import resting_indentation
from .contact_scene import ContactScene

MOST_OVERLAP = 1e-3  # m; a body that rests on a softer foot may begin deeper
DEEPER = 2.0  # times the indentation under the load that may rest there


def require_apart(
    model: Model,
    scene: ContactScene,
    position: Floats,
    table: Floats,
    subject: str,
    when: str = "",
    entity: str = "",
) -> None:
    """Refuse shapes that overlap.

    Parameters
    ----------
    model : Model
    scene : ContactScene
    position : (p,) array
    table : (k, COLUMNS) array
        The contacts there, see `core.contact.records`.
    subject, when : str
        Of the message; `when` is empty or ends with a space.
    entity : str
        Consider the contacts of this entity only; empty: all.

    Raises
    ------
    OverlapError
        Names the two links and the overlap. Allowed are `MOST_OVERLAP`, or `DEEPER` times the
        indentation of a point of contact under the load that may rest there.
    """
    shapes = scene.shapes
    for row in table[np.argsort(-table[:, DEPTH], kind="stable")]:
        if row[DEPTH] <= MOST_OVERLAP:
            return
        pair = int(row[FIRST]), int(row[SECOND])
        first, second = (shapes[k] for k in pair)
        if entity not in ("", first.entity, second.entity):
            continue
        allowed = max(MOST_OVERLAP, DEEPER * resting_indentation(model, scene, position, pair))
        if row[DEPTH] > allowed:
            raise OverlapError(
                f"{subject}: '{first.link}' and '{second.link}' overlap {when}by "
                f"{row[DEPTH]:.3g} m, expected at most {allowed:.3g} m"
            )
