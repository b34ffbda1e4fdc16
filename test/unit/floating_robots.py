# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDFs of random robots with floating and planar joints."""

from __future__ import annotations

import numpy as np

KINDS = ("floating", "revolute", "planar", "prismatic", "fixed", "floating", "revolute", "planar")


def random_urdf(rng: np.random.Generator, kinds: tuple[str, ...] = KINDS) -> str:
    """Return a tree whose links hang on the root or on one another, with joints of these kinds."""
    parts = [_link("link_0", rng)]
    for k, kind in enumerate(kinds, 1):
        parts.append(_link(f"link_{k}", rng))
        parent = int(rng.integers(0, k))
        xyz, rpy, axis = (_numbers(rng.normal(size=3)) for _ in range(3))
        limit = '<limit lower="-3" upper="3" effort="10" velocity="10"/>'
        parts.append(
            f'<joint name="joint_{k}" type="{kind}"><parent link="link_{parent}"/>'
            f'<child link="link_{k}"/><origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
            f"{limit}</joint>"
        )
    return "\n".join(['<robot name="random">', *parts, "</robot>"])


def _link(name: str, rng: np.random.Generator) -> str:
    """A link that is five point masses, so that a body can have its inertia."""
    mass, p = rng.uniform(0.1, 1.0, size=5), rng.normal(size=(5, 3))
    com = mass @ p / mass.sum()
    r = p - com
    J = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(mass, r, strict=True))
    return (
        f'<link name="{name}"><inertial><origin xyz="{_numbers(com)}"/>'
        f'<mass value="{float(mass.sum())!r}"/><inertia ixx="{float(J[0, 0])!r}" '
        f'ixy="{float(J[0, 1])!r}" ixz="{float(J[0, 2])!r}" iyy="{float(J[1, 1])!r}" '
        f'iyz="{float(J[1, 2])!r}" izz="{float(J[2, 2])!r}"/></inertial></link>'
    )


def _numbers(values: np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)
