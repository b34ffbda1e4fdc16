# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of the machines with closed chains: drawings, counts of constraints, holding efforts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import root

from charmie_dynamics import Model, Payload, Wrench, load_model
from charmie_dynamics.numerics.vectors import Floats

from .harness.pages import IMAGES, fill
from .harness.run import Evidence
from .harness.tables import table


class Pose(NamedTuple):
    """A pose of a machine, its load, and the direction of its drawing (deg)."""

    driven: tuple[float, ...]
    load: Payload | dict[str, Wrench]
    azimuth: float
    elevation: float = 12.0


# on the link that its mechanisms file names, or by links
POSES = {
    "excavator": Pose((0.0, 2.4, 3.2, 0.1), Payload(1000.0, (0.4, 0.0, 0.3)), -60.0),
    "parallel_ankle": Pose((-0.01, 0.01), Payload(10.0), 130.0, 15.0),
    "scissor_lift": Pose((0.45,), Payload(200.0, (0.5, 0.0, 0.1)), -65.0),
    "spring_leg": Pose((0.1, 0.2, 0.0, 0.0, 0.0), {"foot": Wrench((0.0, 0.0, 250.0))}, -60.0),
    "stewart": Pose((0.1, 0.05, 0.0, 0.0, 0.1, 0.05), Payload(100.0), 40.0, 20.0),
    "parallel_gripper": Pose(
        (0.2,),
        {"left_finger": Wrench((-20.0, 0.0, 0.0)), "right_finger": Wrench((20.0, 0.0, 0.0))},
        -75.0,
    ),
}


def loaded(name: str) -> tuple[Model, Floats]:
    """Return a machine with its load, and its pose; springs without motor are in equilibrium."""
    model, pose = load_model(name), POSES[name]
    if isinstance(pose.load, Payload):
        model = model.with_loads({payload: pose.load for payload in model.mechanisms.payload_links})
    else:
        model = model.with_loads(wrenches=pose.load)
    driven = np.array(pose.driven)
    springs = [
        model.actuator_names.index(spring.joint) for spring in model.mechanisms.joint_springs
    ]

    def unbalanced(deflections: Floats) -> Floats:
        driven[springs] = deflections
        return model.compute(model.closed_pose(driven)).actuator_effort[springs]

    if springs:
        driven[springs] = root(unbalanced, np.zeros(len(springs))).x
    return model, model.closed_pose(driven)


def heading(name: str) -> str:
    """Return the anchor of the section of a machine."""
    return name.replace("_", "-") + ("-platform" if name == "stewart" else "")


def sections() -> dict[str, str]:
    """Return the tables of the page."""
    counts, tables = [], {}
    for name in POSES:
        model, position = loaded(name)
        found = model.constraints(position)
        passive = len(model.velocity_names) - len(model.actuator_names)
        counts.append(
            (
                f"[`{name}`](#{heading(name)})",
                len(model.velocity_names),
                passive,
                len(found.rows),
                found.rank,
                found.mobility,
                f"{found.conditioning:.2f}",
                ", ".join(f"`{joint}`" for joint in found.undetermined) or "none",
            )
        )
        effort = model.compute(position).actuator_effort
        at = [model.position_names.index(actuator) for actuator in model.actuator_names]
        tables[name] = table(
            ["actuator", ">position", ">holding effort"],
            [
                (f"`{actuator}`", f"{q + 0.0:.3f} {unit}", _with_unit(value, effort_unit))
                for actuator, q, value, effort_unit in zip(
                    model.actuator_names, position[at], effort, model.effort_units, strict=True
                )
                for unit in ["m" if effort_unit == "N" else "rad"]
            ],
        )
    head = ["machine", ">coordinates", ">passive", ">rows", ">rank", ">mobility", ">conditioning"]
    return {"counts": table([*head, "undetermined"], counts), **tables}


def _with_unit(value: float, unit: str) -> str:
    if abs(value) < 1e-6:
        return f"0 {unit}"
    return f"{value / 1e3:.1f} k{unit}" if abs(value) >= 1e4 else f"{value:.2f} {unit}"


def make() -> Evidence:
    """Return the page, and draw the machines."""
    from charmie_dynamics.visual.pictures import render_robot

    for name, pose in POSES.items():
        model, position = loaded(name)
        render_robot(
            IMAGES / f"{name}.png",
            model,
            model.kinematics(position),
            legend=False,
            size=(480, 360),
            azimuth=pose.azimuth,
            elevation=pose.elevation,
        )
    return Evidence({"machines.md": fill("machines", sections())})
