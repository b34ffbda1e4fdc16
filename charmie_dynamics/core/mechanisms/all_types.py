# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kernels of all types of mechanisms, run one after another.

Each function made here runs the kernel of one type and then the function for the remaining types.
The compiler inlines them, so that the compiled cycle contains the kernels only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.numerics.jit import compiled

from .kernels import MechanismKernels
from .registry import TYPES

KERNELS: tuple[MechanismKernels, ...] = tuple(
    import_module(f"{__package__}.{name}").KERNELS for name in TYPES
)
COUNT = len(KERNELS)


def placing(types: Sequence[MechanismKernels], k: int = 0) -> Callable[..., tuple[int, int]]:
    """Return a function that places the mechanisms of all types from number `k` on (step 5).

    Called as ``run(tree, parameters, out, own)`` where `parameters` and `own` have one record for
    each type, it returns a status and an index as `MechanismKernels.place` does, but the index is
    COUNT times that of the mechanism plus that of its type: see `mechanism_of`.
    """
    if k == len(types):

        def nothing(tree: Any, parameters: Any, out: Any, own: Any) -> tuple[int, int]:
            return REACHED, 0

        return compiled(nothing)
    place = types[k].place
    rest = placing(types, k + 1)
    if place is None:
        return rest

    def run(tree: Any, parameters: Any, out: Any, own: Any) -> tuple[int, int]:
        status, index = place(tree, parameters[k], out, own[k])
        if status != REACHED:
            return status, COUNT * index + k
        return rest(tree, parameters, out, own)

    return compiled(run)


def applying_loads(types: Sequence[MechanismKernels], k: int = 0) -> Callable[..., None]:
    """Return a function that applies the loads of all types from number `k` on (step 7).

    It is called as `MechanismKernels.apply_loads` with one record for each type.
    """
    if k == len(types):

        def nothing(
            tree: Any, parameters: Any, kinematics: Any, placed: Any, out: Any, own: Any
        ) -> None:
            pass

        return compiled(nothing)
    apply_loads = types[k].apply_loads
    rest = applying_loads(types, k + 1)

    def run(tree: Any, parameters: Any, kinematics: Any, placed: Any, out: Any, own: Any) -> None:
        apply_loads(tree, parameters[k], kinematics, placed[k], out, own[k])
        rest(tree, parameters, kinematics, placed, out, own)

    return compiled(run)


def sharing_reactions(types: Sequence[MechanismKernels], k: int = 0) -> Callable[..., None]:
    """Return a function that assigns the reactions of all types from number `k` on (step 7).

    It is called as `MechanismKernels.share_reactions` with one record for each type.
    """
    if k == len(types):

        def nothing(parameters: Any, out: Any, own: Any) -> None:
            pass

        return compiled(nothing)
    share = types[k].share_reactions
    rest = sharing_reactions(types, k + 1)
    if share is None:
        return rest

    def run(parameters: Any, out: Any, own: Any) -> None:
        share(parameters[k], out, own[k])
        rest(parameters, out, own)

    return compiled(run)


def adding_up(kernels: Sequence[Callable[..., float] | None], k: int = 0) -> Callable[..., float]:
    """Return a function that adds up a number of all types from number `k` on.

    It is called as `MechanismKernels.energy` with one record for each type.
    """
    if k == len(kernels):

        def nothing(tree: Any, parameters: Any, kinematics: Any) -> float:
            return 0.0

        return compiled(nothing)
    number_of = kernels[k]
    rest = adding_up(kernels, k + 1)
    if number_of is None:
        return rest

    def run(tree: Any, parameters: Any, kinematics: Any) -> float:
        total: float = number_of(tree, parameters[k], kinematics)
        return total + rest(tree, parameters, kinematics)

    return compiled(run)


place_mechanisms = placing(KERNELS)
apply_mechanism_loads = applying_loads(KERNELS)
share_mechanism_reactions = sharing_reactions(KERNELS)
mechanism_energy = adding_up([kernels.energy for kernels in KERNELS])
mechanism_damping_power = adding_up([kernels.damping_power for kernels in KERNELS])


def mechanism_of(index: int) -> tuple[str, int]:
    """Return type and index of a mechanism from the index that `place_mechanisms` returned."""
    k, number = divmod(index, COUNT)
    return TYPES[number], k
