"""Inertials of all links: whether a body can have them, and turned to the link's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.numerics.vectors import Floats

from .robot import Inertial

# links that a message names; of the others it tells how many
MOST_NAMED = 5


class Given(NamedTuple):
    """An inertial as the file gives it: `line` of the element, `inertia` in axes of its own."""

    link: str
    line: int
    mass: float
    p_link_com: Floats
    R_link_inertial: Floats
    inertia: tuple[float, ...]  # xx, xy, xz, yy, yz, zz


def make_inertials(given: Sequence[Given], source: str) -> dict[str, Inertial]:
    """Check inertials and turn them to the axes of their links.

    Parameters
    ----------
    given : sequence of Given
        Of finite numbers.
    source : str
        Name of the file, for messages.

    Returns
    -------
    dict of str to Inertial
        By link.

    Raises
    ------
    ModelFileError
        If no body can have one of them. Names the first few such links and counts the others.
    """
    masses = np.array([entry.mass for entry in given])
    six = np.array([entry.inertia for entry in given]).reshape(-1, 6)
    inertias = six[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    moments = np.linalg.eigvalsh(inertias)
    # for rounding: of the file's decimals, and of the moments of a mass within a micrometre
    slack = np.maximum(np.maximum(1e-6 * np.abs(moments).max(axis=1), 1e-12 * masses), 1e-18)
    faults: dict[int, str] = {}
    for i in np.flatnonzero(masses < 0.0).tolist():
        faults[i] = f"mass must be finite and not negative, got {masses[i]}"
    for i in np.flatnonzero(moments[:, 0] < -slack).tolist():
        faults.setdefault(
            i, f"principal moments of inertia must not be negative, got {moments[i].tolist()}"
        )
    beyond = moments[:, 2] > moments[:, 0] + moments[:, 1] + slack
    for i in np.flatnonzero(beyond).tolist():
        faults.setdefault(
            i,
            "no body has these principal moments of inertia, the largest exceeds the sum of the "
            f"others (triangle inequality): {moments[i].tolist()}",
        )
    if faults:
        raise ModelFileError(_describe(faults, given, source))
    R = np.array([entry.R_link_inertial for entry in given]).reshape(-1, 3, 3)
    turned = R @ inertias @ R.transpose(0, 2, 1)
    return {
        entry.link: Inertial(mass=entry.mass, p_link_com=entry.p_link_com, inertia=inertia)
        for entry, inertia in zip(given, turned, strict=True)
    }


def _describe(faults: dict[int, str], given: Sequence[Given], source: str) -> str:
    first, *others = sorted(faults)
    message = f"{source}, line {given[first].line}: link '{given[first].link}': {faults[first]}"
    if not others:
        return message
    named = [f"'{given[i].link}' (line {given[i].line})" for i in others[: MOST_NAMED - 1]]
    if len(others) > len(named):
        named.append(f"{len(others) - len(named)} more")
    *start, end = named
    return f"{message}; likewise unphysical: {', '.join(start)}{' and ' if start else ''}{end}"
