# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the file of a type of mechanism has to say to the kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class NoResults(NamedTuple):
    """What a type has that has no results of its own in a step."""


@dataclass(frozen=True)
class MechanismKernels:
    """The records and kernels of one type of mechanism; its module has them as ``KERNELS``.

    In the shapes of its records the type's name in the registry stands for how many mechanisms
    there are of it. The names of its results are unique among all results: `State` finds them by
    name. Like all kernels these also run on several samples at once and on
    numbers that carry derivatives, see `numerics.compiled_types.kinds`.

    Parameters
    ----------
    parameters : type
        NamedTuple of arrays: what of the mechanisms does not change.
    kinematics, dynamics : type, optional
        NamedTuples of arrays: results of its own in steps 5 and 7.
    place : compiled function, optional
        Step 5. Called as ``place(tree, parameters, out, own)`` with the poses of all bodies in
        `out`, a `Kinematics`; writes frames, lengths of springs and `own`, its `kinematics`.
        Returns a status and an index: (REACHED, 0), or MECHANISM_OUT_OF_REACH or
        MECHANISM_COLLAPSED and which mechanism of its type.
    apply_loads : compiled function
        Step 7. Called as ``apply_loads(tree, parameters, kinematics, placed, out, own)`` after step
        5 with its own results of it in `placed`; adds what the mechanisms do to the bodies to
        ``out.load_force`` and ``out.load_torque`` (body axes, at the body origin) and writes `own`,
        its `dynamics`.
    share_reactions : compiled function, optional
        Step 7, at its end. Called as ``share_reactions(parameters, out, own)``; takes what the
        mechanisms carry of undetermined reactions off ``out.joint_force`` and ``out.joint_torque``.
    """

    parameters: type[tuple[Any, ...]]
    apply_loads: Callable[..., None]
    kinematics: type[tuple[Any, ...]] = NoResults
    dynamics: type[tuple[Any, ...]] = NoResults
    place: Callable[..., tuple[int, int]] | None = None
    share_reactions: Callable[..., None] | None = None
