# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The interface that the file of each type of mechanism implements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class NoResults(NamedTuple):
    """The record of a type that has no results in a step."""


@dataclass(frozen=True)
class MechanismKernels:
    """The records and kernels of one type of mechanism; its module has them as ``KERNELS``.

    In the shapes of its records the type's name in the registry denotes its number of mechanisms.
    The names of its results are unique among all results: `State` finds them by name. As all
    kernels, these also run on several samples at once, on duals and on jets, see
    `numerics.compiled_types.kinds`.

    Parameters
    ----------
    parameters : type
        NamedTuple of arrays: constants of the mechanisms.
    kinematics, dynamics : type, optional
        NamedTuples of arrays: results of this type in steps 5 and 7.
    place : compiled function, optional
        Step 5. Called as ``place(tree, parameters, out, own)`` with the poses of all bodies in
        `out`, a `Kinematics`; writes frames, lengths of springs and `own`, its `kinematics`.
        Returns a status and an index: (REACHED, 0), or MECHANISM_OUT_OF_REACH or
        MECHANISM_COLLAPSED and the index of the mechanism within its type.
    apply_loads : compiled function
        Step 7. Called as ``apply_loads(tree, parameters, kinematics, placed, out, own)``, with the
        results of its step 5 in `placed`. Adds the loads of the mechanisms on the bodies to
        ``out.load_force`` and ``out.load_torque`` (body axes, at the body origin), and writes
        `own`, its `dynamics`.
    share_reactions : compiled function, optional
        End of step 7. Called as ``share_reactions(parameters, out, own)``. Subtracts the part of
        the undetermined reactions that the mechanisms transmit from ``out.joint_force`` and
        ``out.joint_torque``.
    energy, damping_power : compiled function, optional
        Called as ``energy(tree, parameters, kinematics)``. Return the elastic energy of all
        mechanisms of the type (J), without that of extension springs, and the power that their
        dampers dissipate (W). Without them the energy balance of a simulation fails.
    """

    parameters: type[tuple[Any, ...]]
    apply_loads: Callable[..., None]
    kinematics: type[tuple[Any, ...]] = NoResults
    dynamics: type[tuple[Any, ...]] = NoResults
    place: Callable[..., tuple[int, int]] | None = None
    share_reactions: Callable[..., None] | None = None
    energy: Callable[..., float] | None = None
    damping_power: Callable[..., float] | None = None
