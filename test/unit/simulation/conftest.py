# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots with one or two joints, whose motion is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from charmie_dynamics import Model, load_model

LINK = """<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{child}"/>
<axis xyz="{axis}"/>
<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="1"/></joint>"""


def joint(name: str, type_: str, parent: str, child: str, **changes: object) -> str:
    values = {"axis": "0 1 0", "lower": -100, "upper": 100, "effort": 5, **changes}
    return JOINT.format(name=name, type=type_, parent=parent, child=child, **values)


def link(name: str, mass: float, com: str = "0 0 0", inertia: float = 0.0) -> str:
    return LINK.format(name=name, mass=mass, com=com, i=inertia)


Load = Callable[..., Model]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """A function that loads a robot from the parts of a URDF and a mechanisms file."""

    def load(*parts: str, mechanisms: str = "") -> Model:
        urdf = tmp_path / "robot.urdf"
        urdf.write_text(f'<robot name="robot"><link name="world"/>{"".join(parts)}</robot>')
        if not mechanisms:
            return load_model(urdf)
        path = tmp_path / "robot.yaml"
        path.write_text(mechanisms)
        return load_model(urdf, path)

    return load


@pytest.fixture
def pendulum(load: Load) -> Model:
    """A mass of 1 kg at 1 m below a hinge; the angle is zero at rest."""
    return load(
        joint("hinge", "revolute", "world", "bob", lower=-1.9, upper=1.9),
        link("bob", 1.0, "0 0 -1"),
    )


def cart_pole(load: Load, inertia: float, com: float) -> Model:
    """A pole of 1 kg on a cart that weighs next to nothing."""
    return load(
        joint("slide", "prismatic", "world", "cart", axis="1 0 0"),
        link("cart", 1e-6),
        joint("hinge", "continuous", "cart", "pole"),
        link("pole", 1.0, f"0 0 {-com}", inertia),
    )


class Swing(NamedTuple):
    """The reference run."""

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray
    damping: np.ndarray
    energy: list[dict[str, float]]

    def law(self, time: float, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        return self.effort - self.damping * velocity


@pytest.fixture(scope="session")
def swing(reference: Path, charmie: Model) -> Swing:
    data = json.loads((reference / "swing.json").read_text(encoding="utf-8"))

    def in_order(values: dict[str, float]) -> list[float]:
        return [values[name] for name in charmie.actuator_names]

    samples = data["samples"]
    return Swing(
        np.array([sample["time"] for sample in samples]),
        np.array([in_order(sample["position"]) for sample in samples]),
        np.array([in_order(sample["velocity"]) for sample in samples]),
        np.array(in_order(data["effort"])),
        np.array(in_order(data["damping"])),
        [sample["energy"] for sample in samples],
    )
