# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inertials of all links: whether a body can have them, and turned to the link's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.numerics.vectors import Floats

from .description_warnings import DescriptionWarning
from .robot import Inertial

# links that a message names; the others are counted
MOST_NAMED = 5
# of impossible moments of inertia
CONSEQUENCE = "computed as given"


class Given(NamedTuple):
    """An inertial as the file gives it: `line` of the element, `inertia` in axes of its own."""

    link: str
    line: int
    mass: float
    p_link_com: Floats
    R_link_inertial: Floats
    inertia: tuple[float, ...]  # xx, xy, xz, yy, yz, zz


def make_inertials(
    given: Sequence[Given], source: str, *, strict: bool
) -> tuple[dict[str, Inertial], list[DescriptionWarning]]:
    """Check inertials and turn them to the axes of their links.

    A negative mass is always refused: the mass of the whole may be zero then, which has no centre.
    Moments of inertia that no body has are another matter. The equations of motion hold for them
    as for all others, and real robots have them in their files: they are computed as given.

    Parameters
    ----------
    given : sequence of Given
        Of finite numbers.
    source : str
        Name of the file, for messages.
    strict : bool
        Refuse moments of inertia that no body has.

    Returns
    -------
    dict of str to Inertial
        By link.
    list of DescriptionWarning
        Of the links with moments that no body has; empty if `strict`.

    Raises
    ------
    ModelFileError
        For refused inertials. Names the first few such links and counts the others.
    """
    masses = np.array([entry.mass for entry in given])
    six = np.array([entry.inertia for entry in given]).reshape(-1, 6)
    inertias = six[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    faults = _unphysical_moments(masses, inertias)
    negative = {
        i: f"mass must not be negative, got {masses[i]}"
        for i in np.flatnonzero(masses < 0.0).tolist()
    }
    refused = {**faults, **negative} if strict else negative
    if refused:
        raise ModelFileError(_describe(refused, given, source))
    R = np.array([entry.R_link_inertial for entry in given]).reshape(-1, 3, 3)
    turned = R @ inertias @ R.transpose(0, 2, 1)
    inertials = {
        entry.link: Inertial(mass=entry.mass, p_link_com=entry.p_link_com, inertia=inertia)
        for entry, inertia in zip(given, turned, strict=True)
    }
    doubts = [
        DescriptionWarning("link", given[i].link, fault, CONSEQUENCE, source, given[i].line)
        for i, fault in sorted(faults.items())
    ]
    return inertials, doubts


def _unphysical_moments(masses: Floats, inertias: Floats) -> dict[int, str]:
    """Return which of n inertias (n, 3, 3) no body has, and why."""
    moments = np.linalg.eigvalsh(inertias)
    # for rounding: of the file's decimals, and of the moments of a mass within a micrometre
    slack = np.maximum(np.maximum(1e-6 * np.abs(moments).max(axis=1), 1e-12 * masses), 1e-18)
    faults = {
        i: f"principal moments of inertia must not be negative, got {_listed(moments[i])}"
        for i in np.flatnonzero(moments[:, 0] < -slack).tolist()
    }
    beyond = moments[:, 2] > moments[:, 0] + moments[:, 1] + slack
    for i in np.flatnonzero(beyond).tolist():
        faults.setdefault(
            i,
            "no body has these principal moments of inertia, the largest exceeds the sum of the "
            f"others (triangle inequality): {_listed(moments[i])}",
        )
    return faults


def _listed(moments: Floats) -> str:
    return f"[{', '.join(f'{moment:.6g}' for moment in moments)}]"


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
