# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The arrays of a robot for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from charmie_dynamics.core import arrays
from charmie_dynamics.core.inverse.records import Mechanisms, Sizes
from charmie_dynamics.numerics.addresses import Blocks
from charmie_dynamics.numerics.vectors import Ints


@dataclass(frozen=True)
class FlatRobot:
    """The kernels' arrays and the names that belong to their rows."""

    tree: arrays.Tree
    freedoms: arrays.Freedoms
    mechanisms: Mechanisms
    sizes: Sizes
    blocks: Blocks  # those of `numerics.blocks` with all of the above
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]  # one for each coordinate, as the next
    velocity_names: tuple[str, ...]
    position_names: tuple[str, ...]
    actuator_names: tuple[str, ...]
    actuator_index: Ints  # of the coordinates
    linear_actuator_names: tuple[str, ...]  # of a coordinate, then those that share a load
    spring_names: tuple[str, ...]
    spring_tips: tuple[str, ...]  # frames at the tips of these
    mechanism_names: Mapping[str, tuple[str, ...]]  # by type
    frame_names: tuple[str, ...]
    frame_parents: tuple[str, ...]
