# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random linkages: two chains whose ends a loop joint connects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from loop_robots import joint, link, robot

from charmie_dynamics import Model

# the number of independent constraints of a loop joint between the ends of planar and other chains
PLANAR = {"distance": 1, "spherical": 2, "revolute": 2, "prismatic": 2, "fixed": 3}
SPATIAL = {"distance": 1, "spherical": 3}


def random_linkage(folder: Path, rng: np.random.Generator) -> Model:
    """Return a linkage with one or two motions more than its loop joint removes.

    The loops are closed with all joints at zero. As many coordinates are passive as the loop joint
    determines. Some joints have a spring or a rotor, the last body two springs to the ground.
    """
    is_planar = bool(rng.integers(2))
    kinds = PLANAR if is_planar else SPATIAL
    kind = str(rng.choice(list(kinds)))
    count = kinds[kind] + int(rng.integers(1, 3))
    split = int(rng.integers(1, count + 1))
    parts, place, names = [link("ground")], {"ground": np.zeros(3)}, []
    ends, before = [], "ground"
    for k in range(count):
        before = "ground" if k == split else before
        parts.append(link(f"b{k}", float(rng.uniform(0.5, 2.0)), rng.normal(0.0, 0.1, 3), 0.3))
        axis, xyz = np.array([0.0, 1.0, 0.0]), rng.normal(0.0, 0.4, 3)
        if is_planar:
            xyz[1] = 0.0
        else:
            axis = rng.normal(size=3)
        joint_type = "prismatic" if rng.random() < 0.25 else "continuous"
        if is_planar and joint_type == "prismatic":
            axis = np.array([rng.normal(), 0.0, rng.normal()])
        parts.append(joint(f"j{k}", joint_type, before, f"b{k}", xyz, axis))
        place[f"b{k}"] = place[before] + xyz
        names.append(f"j{k}")
        before = f"b{k}"
        if k == split - 1:
            ends.append(before)
    ends.append(before if split < count else "ground")
    point = place[ends[0]] + rng.normal(0.0, 0.3, 3) * (1.0, not is_planar, 1.0)
    loop = {"type": kind, "first_body": ends[0], "second_body": ends[1]}
    loop["first_point"] = (point - place[ends[0]]).tolist()
    if kind == "distance":
        point = point + rng.normal(0.0, 0.3, 3)
    loop["second_point"] = (point - place[ends[1]]).tolist()
    if kind in ("revolute", "prismatic"):
        loop["axis"] = [0.0, 1.0, 0.0] if kind == "revolute" else [0.6, 0.0, 0.8]
    mechanisms = {
        "loop_joints": {"loop": loop},
        "joint_springs": {
            "spring": {"joint": "j0", "stiffness": 5.0, "rest": 0.3, "damping": 0.2},
        },
        "springs": {
            f"{acts}_spring": {
                "base_body": "ground",
                "base_point": [0.9, 0.1, 1.0],
                "tip_body": f"b{count - 1}",
                "tip_point": [0.1, -0.2, 0.3],
                "stiffness": 20.0,
                "free_length": free,
                "pretension": 2.0,
                "acts": acts,
                "damping": 3.0 if acts == "both" else 0.0,
            }
            for acts, free in (("both", 0.5), ("tension", float(rng.choice([0.4, 9.0]))))
        },
        "rotors": {names[-1]: {"inertia": 1e-4, "gear_ratio": 30.0}},
    }
    free = robot(folder, parts, mechanisms, "linkage")
    D = free.constraints(free.zero_position()).jacobian
    passive: list[str] = []
    chosen: list[int] = []
    for c in rng.permutation(count):  # those whose columns are clearly independent
        values = np.linalg.svd(D[:, [*chosen, c]], compute_uv=False)
        if len(chosen) < kinds[kind] and values[-1] > 0.02:
            chosen.append(int(c))
            passive.append(names[c])
    return robot(folder, parts, {**mechanisms, "passive_joints": passive}, "linkage")


def planar_linkage(folder: Path) -> Model:
    """Return a cart on a planar joint, an arm with a mimic joint, and a rod to a welded link."""
    mimic = '<mimic joint="lift" multiplier="-0.5" offset="0.1"/></joint>'
    parts = [
        link("ground"),
        link("cart", 2.0, (0.1, 0.05, 0.1)),
        link("arm", 1.0, (0.0, 0.0, 0.2)),
        link("hand", 0.5, (0.0, 0.1, 0.0)),
        link("pad", 0.3, (0.02, 0.0, 0.0)),
        joint("roll", "planar", "ground", "cart", (0, 0, 0.1), (0, 0, 1)),
        joint("lift", "continuous", "cart", "arm", (0.1, 0, 0.2)),
        joint("wrist", "continuous", "arm", "hand", (0, 0, 0.4)).replace("</joint>", mimic),
        joint("bolt", "fixed", "hand", "pad", (0.1, 0, 0.1), rpy=(0.3, 0.2, 0.1)),
    ]
    rod = {"type": "distance", "first_body": "ground", "first_point": [0.3, 0.2, 1.5],
           "second_body": "pad", "second_point": [0.0, 0.1, 0.1]}  # fmt: skip
    mechanisms = {"loop_joints": {"rod": rod}, "passive_joints": ["roll"]}
    return robot(folder, parts, mechanisms, "planar")
