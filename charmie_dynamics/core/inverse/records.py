# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""All that a robot is and all that a cycle computes, each as one record of arrays.

The fixed parts are those of `core.arrays`; each type of mechanism adds its own, see
`mechanisms.registry`. A cycle begins with its inputs.
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


_COUNTS = ("n", "q", "w", "d", "s", "a", "m", "t", "f", "r", "e", *TYPES)
_Sizes: Any = _record("_Sizes", ((name, int) for name in _COUNTS))
_Parameters: Any = _record("_Parameters", zip(TYPES, (k.parameters for k in KERNELS), strict=True))
_Kinematics: Any = _record("_Kinematics", zip(TYPES, (k.kinematics for k in KERNELS), strict=True))
_Dynamics: Any = _record("_Dynamics", zip(TYPES, (k.dynamics for k in KERNELS), strict=True))


class Sizes(_Sizes):
    """How many there are of everything: see `core.arrays`, and of each type of mechanism."""

    __slots__ = ()


class MechanismParameters(_Parameters):
    """What of the mechanisms does not change, by type."""

    __slots__ = ()


class MechanismKinematics(_Kinematics):
    """Results of step 5 that belong to one type of mechanism each."""

    __slots__ = ()


class MechanismDynamics(_Dynamics):
    """Results of step 7 that belong to one type of mechanism each."""

    __slots__ = ()


SIZE_COUNT = len(Sizes._fields)


class Mechanisms(NamedTuple):
    """Everything that is attached to the tree."""

    actuators: LinearActuators
    rotors: Rotors
    springs: Springs
    friction: FrictionLaws
    is_loaded: Annotated[Ints, "n"]  # 1: a body that a mechanism loads, or one that carries such
    by_type: MechanismParameters


class Robot(NamedTuple):
    """All that does not change from cycle to cycle."""

    sizes: Annotated[Ints, SIZE_COUNT]  # those of `Sizes`, so that a block tells what is in it
    tree: Tree
    freedoms: Freedoms
    mechanisms: Mechanisms


class CycleRecord(NamedTuple):
    """All that one cycle reads and writes."""

    inputs: Inputs
    kinematics: Kinematics
    mechanism_kinematics: MechanismKinematics
    dynamics: Dynamics
    mechanism_dynamics: MechanismDynamics


@compiled
def sizes_in(ints: Ints | Address) -> Sizes:
    """Return the sizes of a robot, which stand first in its block."""
    return first_numbers(Sizes, ints)
