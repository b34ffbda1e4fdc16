# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Views of the fields of messages that are built once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from charmie_dynamics.live.topics import Topic
from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.rotations import quaternion_from_rows
from charmie_dynamics.numerics.vectors import Floats

# a topic and its message
MessageBuffers = tuple[Topic, Template]


def quaternion(R: Floats) -> Floats:
    """Return the quaternion (4,) of a rotation: x, y, z, w."""
    return np.array(plain(quaternion_from_rows)(*R))


def stamp_of(template: Template) -> npt.NDArray[np.int32]:
    """Return a view of the stamp, to write its two halves into, which fit into an int32."""
    first = int(template.places("stamp")[0, 0])
    return template.int32[first : first + 2]


def numbers_of(template: Template, *names: str) -> tuple[Floats, ...]:
    """Return views of numeric fields, to write into."""
    return tuple(
        template.float64[place[0] : place[0] + len(place)]
        for place in (template.places(name)[0] for name in names)
    )
