# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motions of the two papers, through the model, against the reference data.

The reference data were not computed by this package, see ``test/reference/README.md``.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from charmie_dynamics import Model, State, load_model
from charmie_dynamics.model.description.files import read_text, share_file
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.model import DEFAULT_URDF
from charmie_dynamics.motions import make_motion

from .check import Check
from .harness.charts import Diagram, Line, draw

Floats = NDArray[np.float64]
Differences = dict[str, tuple[float, float]]  # quantity to largest difference and limit

REFERENCE = Path(__file__).resolve().parents[1] / "test" / "reference"
AGAINST = "reference data from Pinocchio and virtual work"
# Rates, accelerations and efforts of the loops are numeric derivatives in the reference.
ANALYTIC = 1e-9
NUMERIC = 1e-6
DRIVEN = ("lift_joint", "torso_joint")
POINTS = ("left_tool", "right_tool", "head_top")
TOOL_DISTANCE = 0.140  # m, of the forward kinematics paper


def earlier_robot(model: Model) -> Model:
    """Return CHARMIE as in the forward kinematics paper.

    Its left shoulder is turned by ZXZ(pi/2, -pi/2, 0), and its tool points are 0.14 m from link 6
    of the arms.
    """
    text = read_text(share_file(*DEFAULT_URDF))
    # ZXZ(pi/2, -pi/2, 0) as roll, pitch, yaw about fixed axes
    shoulder = re.compile(
        r'(<child link="left_shoulder_mount"/>\s*<origin xyz="[^"]*") rpy="[^"]*"'
    )
    text, shoulders = shoulder.subn(rf'\1 rpy="{-math.pi / 2} 0 {math.pi / 2}"', text)
    text, tools = re.subn(r'xyz="0 0 0\.1023"', f'xyz="0 0 {TOOL_DISTANCE}"', text)
    if (shoulders, tools) != (1, 2):
        raise ValueError(
            f"expected 1 left shoulder and 2 tool points in the URDF, got {shoulders} and {tools}"
        )
    return Model(parse_urdf(text, "earlier robot"), model.mechanisms)


def run_motion(model: Model, name: str, times: ArrayLike) -> State:
    """Return the states (N samples) of a named motion at given times (s)."""
    at = make_motion(name, model).at
    position, velocity, acceleration = zip(*map(at, np.asarray(times, dtype=float)), strict=True)
    return model.compute(np.array(position), np.array(velocity), np.array(acceleration))


def read_samples(name: str) -> list[dict[str, Any]]:
    """Return the samples of a file of the reference data."""
    text = (REFERENCE / name).read_text(encoding="utf-8")
    samples: list[dict[str, Any]] = json.loads(text)["samples"]
    return samples


def largest_difference(actual: ArrayLike, expected: ArrayLike) -> float:
    """Return the largest difference, relative to the larger of 1 and the expected value."""
    got, wanted = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    if got.shape != wanted.shape:
        raise ValueError(f"expected values of shape {wanted.shape}, got {got.shape}")
    return float(np.max(np.abs(got - wanted) / np.maximum(1.0, np.abs(wanted))))


def compare_5s(model: Model, samples: list[dict[str, Any]]) -> Differences:
    """Compare every field of the 5 s motion of the multibody paper."""
    state = run_motion(model, "paper_5s", [one["time"] for one in samples])
    expected = [one["expected"] for one in samples]
    results = {
        "inputs (positions, velocities, accelerations)": (_inputs(state, samples), ANALYTIC),
        **_frames(state, expected),
        **_driven(state, expected),
    }
    for label, key, values in (
        ("actuator efforts", "actuator_effort", state.actuator_effort),
        ("generalised forces of the open tree", "generalized_force", state.generalized_force),
    ):
        names = model.actuator_names if key == "actuator_effort" else model.joint_names
        wanted = [[one[key][name] for name in names] for one in expected]
        results[label] = (largest_difference(values, wanted), NUMERIC)
    for key, springs in (("length", state.spring_length), ("tension", state.spring_tension)):
        got = np.stack([springs[name] for name in expected[0]["springs"]], axis=1)
        wanted = [[spring[key] for spring in one["springs"].values()] for one in expected]
        results[f"spring {key}s"] = (largest_difference(got, wanted), ANALYTIC)
    for key, wrench in zip(("force", "torque"), state.base_wrench, strict=True):
        wanted = [one["base_wrench"][key] for one in expected]
        results[f"{key} of body 2 on body 3"] = (largest_difference(wrench, wanted), NUMERIC)
    return results


def compare_20s(model: Model, samples: list[dict[str, Any]]) -> Differences:
    """Compare every field of the 20 s motion of the forward kinematics paper.

    `model` is the paper's robot, see `earlier_robot`.
    """
    state = run_motion(model, "paper_20s", [one["time"] for one in samples])
    results = {
        f"positions of {name}": (
            largest_difference(state.frame(name)[0], [one[name] for one in samples]),
            ANALYTIC,
        )
        for name in POINTS
    }
    return {**results, **_driven(state, samples)}


def run(figures: Path) -> list[Check]:
    """Run both motions and draw them."""
    model = load_model()
    earlier = earlier_robot(model)
    checks = []
    for title, file, compare, robot, note in (
        (
            "5 s motion",
            "motion_5s.json",
            compare_5s,
            model,
            "model in the motion of the multibody paper, section 6",
        ),
        (
            "20 s motion",
            "motion_20s.json",
            compare_20s,
            earlier,
            "model in the motion of the forward kinematics paper, section 4.4, with that paper's "
            "left shoulder and tool points",
        ),
    ):
        samples = read_samples(file)
        for quantity, (difference, limit) in compare(robot, samples).items():
            checks.append(
                Check(
                    title=f"{title}: {quantity}",
                    compared=f"{note}, {len(samples)} samples",
                    against=f"{AGAINST}, {file}",
                    largest=difference,
                    unit="relative",
                    limit=limit,
                    remarks="" if limit == ANALYTIC else "numeric derivatives in the reference",
                )
            )
    return _with_figures(checks, draw_motions(model, earlier, figures))


def draw_motions(model: Model, earlier: Model, folder: Path) -> dict[str, str]:
    """Draw the papers' figures; return the file name of each by a part of its check's title."""
    fine_5s, fine_20s = np.linspace(0.0, 5.0, 501), np.linspace(0.0, 20.0, 401)
    coarse_5s, coarse_20s = read_samples("motion_5s.json"), read_samples("motion_20s.json")
    state = run_motion(model, "paper_5s", fine_5s)
    tool = [one["expected"]["frames"]["left_tool"]["position"] for one in coarse_5s]
    force = [one["expected"]["base_wrench"]["force"] for one in coarse_5s]
    arm = run_motion(earlier, "paper_20s", fine_20s).frame("left_tool")[0]
    times_5s = [one["time"] for one in coarse_5s]
    times_20s = [one["time"] for one in coarse_20s]
    return {
        "5 s motion: positions of all frames": _draw_position(
            folder / "paper_5s_tool.png",
            "Left tool (point D_12a), multibody paper, figure 12",
            (fine_5s, state.frame("left_tool")[0]),
            (times_5s, np.array(tool)),
        ),
        "force of body 2": _draw_force(
            folder / "paper_5s_base_force.png",
            (fine_5s, state.base_wrench[0]),
            (times_5s, np.array(force)),
        ),
        "positions of left_tool": _draw_position(
            folder / "paper_20s_tool.png",
            "End effector of the left arm, forward kinematics paper, figure 12",
            (fine_20s, arm),
            (times_20s, np.array([one["left_tool"] for one in coarse_20s])),
        ),
    }


def _with_figures(checks: list[Check], files: dict[str, str]) -> list[Check]:
    return [
        replace(check, figures=tuple(f for part, f in files.items() if part in check.title))
        for check in checks
    ]


def _inputs(state: State, samples: list[dict[str, Any]]) -> float:
    names = state.robot.actuator_names
    fields = (
        ("joint_position", "actuator_length", state.position),
        ("joint_velocity", "actuator_rate", state.velocity),
        ("joint_acceleration", "actuator_acceleration", state.acceleration),
    )
    return max(
        largest_difference(
            values,
            [
                [{**one["input"][joint], **one["input"][actuator]}[name] for name in names]
                for one in samples
            ],
        )
        for joint, actuator, values in fields
    )


def _frames(state: State, expected: list[dict[str, Any]]) -> Differences:
    names = list(expected[0]["frames"])
    positions, rotations = (
        max(
            largest_difference(state.frame(name)[k], [one["frames"][name][key] for one in expected])
            for name in names
        )
        for k, key in enumerate(("position", "rotation"))
    )
    return {
        f"positions of all frames ({len(names)})": (positions, ANALYTIC),
        f"rotations of all frames ({len(names)})": (rotations, ANALYTIC),
    }


def _driven(state: State, expected: list[dict[str, Any]]) -> Differences:
    results = {}
    columns = [state.joint_names.index(joint) for joint in DRIVEN]
    wanted = np.array([[one[joint] for joint in DRIVEN] for one in expected])
    for k, (label, values, limit) in enumerate(
        (
            ("positions", state.joint_position, ANALYTIC),
            ("velocities", state.joint_velocity, NUMERIC),
            ("accelerations", state.joint_acceleration, NUMERIC),
        )
    ):
        difference = largest_difference(values[:, columns], wanted[:, :, k])
        results[f"{label} of lift and torso"] = (difference, limit)
    return results


Curves = tuple[ArrayLike, Floats]


def _lines(ours: Curves, reference: Curves, k: int) -> list[Line]:
    """Return a component by the model, and points of the reference."""
    name = "xyz"[k]
    points = np.asarray(reference[0]), reference[1][:, k]
    return [
        Line(name, np.asarray(ours[0]), ours[1][:, k], "-", k),
        Line(f"{name}, reference", *points, ".", k),
    ]


def _draw_position(path: Path, title: str, ours: Curves, reference: Curves) -> str:
    lines = [line for k in range(3) for line in _lines(ours, reference, k)]
    return draw(path, [Diagram("", "time / s", "position / m", lines)], title, columns=1)


def _draw_force(path: Path, ours: Curves, reference: Curves) -> str:
    diagrams = [Diagram("", "time / s", "force / N", _lines(ours, reference, k)) for k in range(3)]
    title = "Force of body 2 on body 3 (base axes), multibody paper, figure 13"
    return draw(path, diagrams, title, columns=1)
