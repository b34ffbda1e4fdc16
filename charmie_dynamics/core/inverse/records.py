# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The records of a robot and of a cycle.

The fixed parts are those of `core.arrays`; each type of mechanism adds its own, see
`mechanisms.registry`. The record of a cycle begins with its inputs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from charmie_dynamics.core.arrays import (
    Dynamics,
    Freedoms,
    FrictionLaws,
    Inputs,
    Kinematics,
    LinearActuators,
    Rotors,
    Springs,
    Tree,
)
from charmie_dynamics.core.mechanisms.all_types import KERNELS
from charmie_dynamics.core.mechanisms.registry import TYPES
from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.blocks import first_numbers
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Ints


def _record(name: str, fields: Iterable[tuple[str, Any]]) -> Any:
    """Return a NamedTuple whose fields are known at run time only."""
    return NamedTuple(name, list(fields))


_COUNTS = ("n", "q", "w", "d", "s", "a", "b", "m", "t", "f", "r", "e", *TYPES)
_Sizes: Any = _record("_Sizes", ((name, int) for name in _COUNTS))
_Parameters: Any = _record("_Parameters", zip(TYPES, (k.parameters for k in KERNELS), strict=True))
_Kinematics: Any = _record("_Kinematics", zip(TYPES, (k.kinematics for k in KERNELS), strict=True))
_Dynamics: Any = _record("_Dynamics", zip(TYPES, (k.dynamics for k in KERNELS), strict=True))


class Sizes(_Sizes):
    """The sizes of `core.arrays`, and the number of mechanisms of each type."""

    __slots__ = ()


class MechanismParameters(_Parameters):
    """Constants of the mechanisms, by type."""

    __slots__ = ()


class MechanismKinematics(_Kinematics):
    """Results of step 5 of each type of mechanism."""

    __slots__ = ()


class MechanismDynamics(_Dynamics):
    """Results of step 7 of each type of mechanism."""

    __slots__ = ()


SIZE_COUNT = len(Sizes._fields)


class Mechanisms(NamedTuple):
    """All elements that are attached to the tree."""

    actuators: LinearActuators
    rotors: Rotors
    springs: Springs
    friction: FrictionLaws
    is_loaded: Annotated[Ints, "n"]  # 1: a body that a mechanism loads, or an ancestor of one
    by_type: MechanismParameters


class Robot(NamedTuple):
    """All constants of a robot."""

    sizes: Annotated[Ints, SIZE_COUNT]  # those of `Sizes`, so that a block describes its content
    tree: Tree
    freedoms: Freedoms
    mechanisms: Mechanisms


class CycleRecord(NamedTuple):
    """All inputs and results of a cycle."""

    inputs: Inputs
    kinematics: Kinematics
    mechanism_kinematics: MechanismKinematics
    dynamics: Dynamics
    mechanism_dynamics: MechanismDynamics


@compiled
def sizes_in(ints: Ints | Address) -> Sizes:
    """Return the sizes of a robot, with which its block begins."""
    return first_numbers(Sizes, ints)
