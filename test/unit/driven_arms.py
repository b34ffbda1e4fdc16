# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arms with rotors and joint springs, with and without mimic joints and linear actuators."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import yaml

from charmie_dynamics import Model
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf

Floats = np.ndarray
LINKS = {  # parent, type of joint, origin, axis, mass
    "upper": ("base", "revolute", "0 0 0.3", "0 0.8 0.6", 3.0),
    "lower": ("upper", "revolute", "0.5 0.1 0", "0 1 0", 1.6),
    "slider": ("lower", "prismatic", "0.3 0 0.1", "1 0 0", 0.7),
    "finger": ("slider", "revolute", "0.1 0.1 0", "0.6 0 0.8", 0.4),
    "thumb": ("slider", "revolute", "0.1 -0.1 0", "0.6 0 -0.8", 0.3),
    "visor": ("upper", "prismatic", "0.1 0.1 0.2", "0 0 1", 0.5),
}
# joints that mimic others: none; two at one place; two at different places
MIMICS: dict[str, dict[str, str]] = {
    "independent": {},
    "side by side": {"thumb": 'joint="to_finger" multiplier="-1.3" offset="0.2"'},
    "elsewhere": {
        "visor": 'joint="to_lower" multiplier="0.2" offset="0.1"',
        "finger": 'joint="to_upper" multiplier="-0.7" offset="0"',
    },
}
ROTORS = {
    "to_upper": {"inertia": 2e-5, "gear_ratio": 130},
    "to_lower": {"inertia": 0.3},
    "to_slider": {"inertia": 4e-5, "gear_ratio": 200},
    "to_finger": {"inertia": 0.02},
    "to_thumb": {"inertia": 0.015},
    "to_visor": {"inertia": 0.9},
}
JOINT_SPRINGS = {
    "on_upper": {"joint": "to_upper", "stiffness": 15.0, "rest": -0.2, "damping": 0.8},
    "on_lower": {"joint": "to_lower", "stiffness": 9.0, "damping": 1.1},
    "on_slider": {"joint": "to_slider", "stiffness": 80.0, "rest": 0.04, "damping": 6.0},
    "on_thumb": {"joint": "to_thumb", "stiffness": 2.0, "rest": 0.3, "damping": 0.1},
    "on_visor": {"joint": "to_visor", "stiffness": 120.0, "rest": -0.05, "damping": 3.0},
}
CYLINDER = {
    "joint": "to_lower",
    "base_body": "upper",
    "base_point": [0.1, 0.1, -0.15],
    "tip_body": "lower",
    "tip_point": [0.12, 0.0, -0.2],
    "length_limits": [0.35, 0.55],
}
CYLINDER_ROTOR = {"inertia": 3e-5, "gear_ratio": 400}
TRANSMISSION = """<transmission name="drive"><joint name="to_upper"/><actuator name="motor">
  <mechanicalReduction> -50 </mechanicalReduction><motorInertia>2e-4</motorInertia></actuator>
  </transmission>"""


def urdf(mimics: dict[str, str], extra: str = "") -> str:
    """Return the URDF of an arm."""
    parts = ['<link name="base"/>']
    for k, (name, (parent, kind, origin, axis, mass)) in enumerate(LINKS.items()):
        i = 0.01 * mass
        mimic = f"<mimic {mimics[name]}/>" if name in mimics else ""
        parts.append(
            f'<link name="{name}"><inertial><mass value="{mass}"/>'
            f'<origin xyz="0.1 {0.02 * k} 0.05" rpy="0.3 0.1 {0.2 * k}"/>'
            f'<inertia ixx="{i}" iyy="{1.3 * i}" izz="{1.6 * i}" ixy="0" ixz="0" iyz="0"/>'
            f'</inertial></link><joint name="to_{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{name}"/><origin xyz="{origin}" rpy="0.1 {0.2 * k} 0"/>'
            f'<axis xyz="{axis}"/>{mimic}'
            '<limit lower="-1.5" upper="1.5" effort="50" velocity="3"/></joint>'
        )
    return f'<robot name="arm">{"".join(parts)}{extra}</robot>'


def arm(
    mimics: str = "independent",
    *,
    rotors: dict[str, Any] | None = None,
    joint_springs: dict[str, Any] | None = None,
    has_cylinder: bool = False,
    has_friction: bool = False,
    extra: str = "",
) -> Model:
    """Return an arm."""
    text = urdf(MIMICS[mimics], extra)
    if has_friction:
        text = text.replace("<axis", '<dynamics damping="0.4" friction="0.3"/><axis')
    entries: dict[str, Any] = {"rotors": rotors or {}, "joint_springs": joint_springs or {}}
    if has_cylinder:
        entries["linear_actuators"] = {"cylinder": CYLINDER}
    return Model(
        parse_urdf(text, "arm.urdf"),
        parse_mechanisms(yaml.safe_dump(entries), "arm.yaml"),
    )


class Sample(NamedTuple):
    """A state of the actuators."""

    position: Floats
    velocity: Floats
    acceleration: Floats


def sample_of(model: Model, seed: int = 1) -> Sample:
    """Return a random state near the zero position."""
    rng = np.random.default_rng(seed)
    count = len(model.actuator_names)
    position = model.zero_position() + rng.uniform(-0.05, 0.05, count)
    return Sample(position, rng.uniform(-1.0, 1.0, count), rng.uniform(-3.0, 3.0, count))
