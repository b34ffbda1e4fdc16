# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots of all kinds, for what must hold of each: with loops and without, loaded or not."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from driven_arms import CYLINDER_ROTOR, JOINT_SPRINGS, ROTORS, arm

from charmie_dynamics import Model, Payload, Wrench, load_model
from charmie_dynamics.model.description.mechanisms import MechanismSet

DATA = Path(__file__).resolve().parent / "model" / "data"
BOOM = Path(__file__).resolve().parents[2] / "examples" / "robots"
TYPES = ("revolute", "prismatic", "continuous", "fixed", "revolute", "prismatic")


def random_urdf(rng: np.random.Generator, links: int = 9) -> str:
    """Branches, skew axes, turned frames, all types of joints, full inertias, links without mass.

    Joint 2 follows joint 5, joint 7 follows joint 2, whatever stands before what in the tree.
    """

    def numbers(values: np.ndarray) -> str:
        return " ".join(repr(float(value)) for value in values)

    mimics = {2: '<mimic joint="joint_5" multiplier="-0.7" offset="0.3"/>'}
    mimics[7] = '<mimic joint="joint_2" multiplier="0.4" offset="-0.1"/>'
    lines = ['<robot name="random">']
    for i in range(links + 1):
        lines.append(f'<link name="link_{i}">')
        # a massless link carries another body, so that no joint is without a mass
        if i != 1:
            m, p = rng.uniform(0.1, 1.0, size=5), rng.normal(size=(5, 3))
            c = m @ p / m.sum()
            r = p - c
            J = sum(k * (x @ x * np.eye(3) - np.outer(x, x)) for k, x in zip(m, r, strict=True))
            entries = zip(
                ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), J[np.triu_indices(3)], strict=True
            )
            inertia = " ".join(f'{name}="{float(value)!r}"' for name, value in entries)
            lines.append(
                f'<inertial><origin xyz="{numbers(c)}" rpy="{numbers(rng.normal(size=3))}"/>'
                f'<mass value="{float(m.sum())!r}"/><inertia {inertia}/></inertial>'
            )
        lines.append("</link>")
    for i in range(1, links + 1):
        kind = TYPES[i % len(TYPES)]
        parent = 1 if i == 2 else int(rng.integers(0, i))
        limit = "" if kind in ("fixed", "continuous") else ' lower="-1.5" upper="1.5"'
        lines += [
            f'<joint name="joint_{i}" type="{kind}">',
            f'<parent link="link_{parent}"/><child link="link_{i}"/>',
            f'<origin xyz="{numbers(rng.normal(size=3))}" rpy="{numbers(rng.normal(size=3))}"/>',
            f'<axis xyz="{numbers(rng.normal(size=3))}"/>',
            f'<limit{limit} effort="10" velocity="1"/>{mimics.get(i, "")}',
            "</joint>",
        ]
    return "\n".join([*lines, "</robot>"])


def tree_of(urdf: str, folder: Path, gravity: tuple[float, float, float]) -> Model:
    """Return the robot of a text, with a gravity of its own."""
    path = folder / "robot.urdf"
    path.write_text(urdf, encoding="utf-8")
    return Model(load_model(urdf=path).tree, MechanismSet(gravity=gravity))


def loaded(model: Model, *links: str) -> Model:
    """Return a robot with a payload and a wrench on each of some links."""
    payloads, wrenches = {}, {}
    for k, link in enumerate(links):
        inertia = np.diag((0.02, 0.03, 0.04)) + 0.005
        payloads[link] = Payload(1.5 + 0.5 * k, (0.05, -0.1 * k, 0.08), inertia)
        wrenches[link] = Wrench((12.0, -7.0 - k, 20.0), (1.0, 2.0 * k, -1.5))
    return model.with_loads(payloads, wrenches)


@cache
def _random_tree() -> Model:
    with tempfile.TemporaryDirectory() as folder:
        urdf = random_urdf(np.random.default_rng(42))
        return tree_of(urdf, Path(folder), (1.0, -2.0, -9.0))


@cache
def _charmie() -> Model:
    return load_model()


@cache
def _crane() -> Model:
    return load_model(urdf=DATA / "crane.urdf", mechanisms=DATA / "crane.yaml")


def driven_arm(mimics: str, has_cylinder: bool, has_friction: bool = False) -> Model:
    """Return an arm with rotors and joint springs on everything that moves."""
    return arm(
        mimics,
        rotors={**ROTORS, "cylinder": CYLINDER_ROTOR} if has_cylinder else ROTORS,
        joint_springs=JOINT_SPRINGS,
        has_cylinder=has_cylinder,
        has_friction=has_friction,
    )


ROBOTS: dict[str, Callable[[], Model]] = {
    "charmie": _charmie,
    "crane": _crane,
    "boom": lambda: load_model(urdf=BOOM / "boom.urdf", mechanisms=BOOM / "boom.yaml"),
    "tree": _random_tree,
    "arm": lambda: driven_arm("elsewhere", has_cylinder=True, has_friction=True),
    "loaded charmie": lambda: loaded(_charmie(), "left_tool", "head", "base"),
    "loaded crane": lambda: loaded(_crane(), "hook", "jaw_b", "cabin", "mast"),
    "loaded tree": lambda: loaded(_random_tree(), "link_3", "link_9"),
    "open tree of charmie": lambda: _charmie().open_tree(),
    "open tree of the loaded crane": lambda: loaded(_crane(), "jib", "jaw_c").open_tree(),
}
WITH_LOOPS = tuple(name for name in ROBOTS if "tree" not in name)


@cache
def robot(name: str) -> Model:
    """Return the robot of that name, the same for all tests."""
    return ROBOTS[name]()
