# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laws that a mechanical engineer holds against the efforts of the whole robot.

Nothing here knows how the package computes: each check compares its results for two related
robots or poses, or with a law (weight, work, the mirror, the choice of the world frame).
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from charmie_dynamics import Model, State, load_model
from charmie_dynamics.model.description.robot import RobotTree
from charmie_dynamics.model.description.urdf import parse_urdf

from .check import Check
from .harness.charts import Diagram, Line, draw
from .mirror import mirrored_efforts
from .states import Floats, centre_of_mass, random_states, relative
from .world import place_on_the_floor, world_frame

# first derivative, central differences of eighth order; what they neglect is h^8 / 630 f^(9)
STEPS = (1, 2, 3, 4)
WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)


def weight_on_the_floor(model: Model, count: int = 50) -> float:
    """Compare the load under a base that stands with mass times gravity, force and moment.

    The masses are read from the URDF anew. The moment is that of the weight at the common centre
    of mass about the origin of the base; its error is relative to weight times 1 m.
    """
    masses = {
        link.attrib["name"]: float(mass.attrib["value"])
        for link in ElementTree.fromstring(model.tree.urdf).findall("link")
        for mass in link.findall("inertial/mass")
    }
    weight = sum(masses.values()) * np.array(model.mechanisms.gravity)
    size = np.linalg.norm(weight)
    worst = 0.0
    for position, _, _ in random_states(model, count, seed=1):
        state = model.compute(position)
        p_base, R_base = state.frame(model.mechanisms.base_body)
        force, torque = (R_base @ part for part in state.base_wrench)
        arm = sum(m * (centre_of_mass(model, state, name) - p_base) for name, m in masses.items())
        moment = np.cross(arm, np.array(model.mechanisms.gravity))
        worst = max(
            worst, np.abs(force + weight).max() / size, np.abs(torque + moment).max() / size
        )
    return worst


def springs_on_a_closed_path(
    model: Model, count: int = 10, points: int = 400
) -> tuple[float, float, Floats]:
    """Integrate the springs' forces on the actuators along closed paths of all of them.

    The force of springs and balance mechanisms is the effort of the robot without them less that
    of the robot with them. Each path is two harmonics of each actuator; the rule of equal steps
    converges faster than any power of the step along such a path. Springs stay taut on the way
    (a slack one would put a jump into the integrand).

    Returns
    -------
    closed : float
        Largest work of one path, relative to the work counted without sign (J / J).
    energy : float
        Largest difference between work done up to any point and the loss of spring energy, on
        the same scale, by the rule of Gauss on the first half of each path.
    curve : (2, points + 1) array
        Work (J) and loss of energy (J) along the first path with its end, for a figure.
    """
    none: dict[str, Any] = {"springs": (), "balance_mechanisms": ()}
    bare = Model(model.tree, replace(model.mechanisms, **none))
    rng = np.random.default_rng(2)
    worst_closed = worst_energy = 0.0
    curve = np.zeros((2, points + 1))
    for path in range(count):
        (a, _, _), (b, _, _), (c, _, _) = random_states(model, 3, seed=1000 + path)
        phase = rng.uniform(0.0, 2.0 * math.pi, size=len(a))
        way = partial(_way, 0.2 * (a + b + 3.0 * c), 0.1 * (a - b), 0.1 * (b - c), phase)
        t = 2.0 * math.pi * np.arange(points) / points
        integrand, state = _power(model, bare, *way(t))
        _require_taut(model, state)
        counted = np.abs(integrand).mean() * 2.0 * math.pi
        worst_closed = max(worst_closed, abs(integrand.mean()) * 2.0 * math.pi / counted)
        nodes, weights = np.polynomial.legendre.leggauss(60)
        half, _ = _power(model, bare, *way(0.5 * math.pi * (nodes + 1.0)))
        ends = model.compute(way(np.array([0.0, math.pi]))[0])
        loss = -np.diff(spring_energy(model, ends))[0]
        worst_energy = max(worst_energy, abs(0.5 * math.pi * weights @ half - loss) / counted)
        if path == 0:
            steps = 0.5 * (integrand + np.roll(integrand, -1)) * (t[1] - t[0])
            energy = spring_energy(model, state)
            energy = np.append(energy, energy[0])  # the path is closed
            curve = np.array([np.concatenate([[0.0], np.cumsum(steps)]), energy[0] - energy])
    return worst_closed, worst_energy, curve


def _way(
    centre: Floats, one: Floats, two: Floats, phase: Floats, t: Floats
) -> tuple[Floats, Floats]:
    """Return the positions (n, q) of a closed path, and their rates."""
    angle = t[:, None] + phase
    x = centre + one * np.sin(angle) + two * np.cos(2.0 * t[:, None])
    return x, one * np.cos(angle) - 2.0 * two * np.sin(2.0 * t[:, None])


def _power(model: Model, bare: Model, x: Floats, rate: Floats) -> tuple[Floats, State]:
    """Return the power (n,) of what acts on a model alone, and its states."""
    state = model.compute(x)
    force = bare.compute(x).actuator_effort - state.actuator_effort
    return np.einsum("ni,ni->n", force, rate), state


def spring_energy(model: Model, state: State) -> Floats:
    """Return the energy (n,) that the springs hold, all of them taut (J)."""
    parts = [*model.mechanisms.springs, *model.mechanisms.balance_mechanisms]
    stretch = [state.spring_length[part.name] - part.free_length for part in parts]
    return sum(
        0.5 * part.stiffness * x**2 + part.pretension * x
        for part, x in zip(parts, stretch, strict=True)
    )


def _require_taut(model: Model, state: State) -> None:
    for name, tension in state.spring_tension.items():
        if not (tension > 0.0).all():
            raise ValueError(f"{model.name}: '{name}' falls slack on the path; expected it taut")


def mass_on_the_tool(model: Model, tool: str, count: int = 20) -> float:
    """Hang a mass on a tool; compare what each effort gains with the Jacobian times its weight.

    The Jacobian is the numeric derivative of the tool's position by the actuators' positions.
    """
    g = np.array(model.mechanisms.gravity)
    rng = np.random.default_rng(3)
    worst = 0.0
    steps = np.array([0.0005 if "actuator" in n else 0.03 for n in model.actuator_names])
    for position, _, _ in random_states(model, count, seed=3):
        mass = rng.uniform(0.5, 5.0)
        heavier = Model(with_mass(model.tree, tool, mass), model.mechanisms)
        gained = heavier.compute(position).actuator_effort - model.compute(position).actuator_effort
        expected = -mass * tool_jacobian(model, tool, position, steps).T @ g
        worst = max(worst, relative(gained - expected, expected))
    return worst


def with_mass(tree: RobotTree, link: str, mass: float) -> RobotTree:
    """Return the tree of a URDF in which `link`, without mass so far, is a point mass (kg)."""
    urdf, count = re.subn(
        rf'<link name="{link}"/>',
        f'<link name="{link}"><inertial><mass value="{mass!r}"/><inertia ixx="0" ixy="0" ixz="0" '
        'iyy="0" iyz="0" izz="0"/></inertial></link>',
        tree.urdf,
    )
    if count != 1:
        raise ValueError(f"expected one empty link '{link}' in the URDF, found {count}")
    return parse_urdf(urdf, f"{tree.name} with {mass} kg on {link}")


def tool_jacobian(model: Model, tool: str, position: Floats, steps: Floats) -> Floats:
    """Return d(position of `tool`)/d(position of the actuators) (3, q), numerically."""
    columns = []
    for k, h in enumerate(steps):
        shift = np.zeros(len(steps))
        shift[k] = h
        at = [
            [model.kinematics(position + s * n * shift).frame(tool)[0] for s in (1, -1)]
            for n in STEPS
        ]
        columns.append(
            sum(w * (plus - minus) for w, (plus, minus) in zip(WEIGHTS, at, strict=True)) / h
        )
    return np.array(columns).T


def run(figures: Path) -> list[Check]:
    """Run all checks on CHARMIE."""
    model = load_model()
    closed, energy, curve = springs_on_a_closed_path(model)
    figure = plot_spring_work(figures, curve)
    agreement, unreflected, shown = mirrored_efforts(model)
    same = ", ".join(entry for entry in shown if entry.startswith(("left", "base", "neck")))
    return [
        Check(
            title="Weight on the floor",
            compared="load on the base at rest, force and moment about its origin",
            against="the sum of the masses in the URDF times g, at the common centre of mass",
            largest=weight_on_the_floor(model),
            unit="relative to the weight (times 1 m)",
            limit=1e-12,
            remarks="50 random poses. Round-off of the sums.",
        ),
        Check(
            title="Springs on a closed path",
            compared="work of springs and balance mechanisms on all actuators",
            against="zero",
            largest=closed,
            unit="relative to the work counted without sign",
            limit=1e-12,
            remarks="10 random closed paths of all 21 actuators, equal steps (400), all springs "
            "taut. The force is the effort without springs less the effort with them.",
            figures=(figure,),
        ),
        Check(
            title="Springs and their energy",
            compared="work of springs and balance mechanisms along half of each path",
            against="the loss of their energy, k x^2 / 2 + F0 x",
            largest=energy,
            unit="relative to the work counted without sign",
            limit=1e-12,
            remarks="Gauss-Legendre quadrature of 60 points.",
        ),
        Check(
            title="A mass on the tool",
            compared="gain of each effort at rest when 0.5 to 5 kg hang on either tool",
            against="Jacobian transpose times the weight, the Jacobian by numeric differentiation",
            largest=max(mass_on_the_tool(model, t) for t in ("left_tool", "right_tool")),
            unit="relative to the largest gain",
            limit=1e-11,
            remarks="20 random poses for each tool. Central differences of eighth order (steps "
            "0.03 rad or m, 0.0005 m for the linear actuators) limit the agreement to about 1e-12: "
            "round-off is 2e-16 m over the step, the neglected term (h^8 / 630 of the ninth "
            "derivative) is below that.",
        ),
        Check(
            title="The robot in the mirror",
            compared="efforts in mirrored states",
            against="mirrored efforts",
            largest=agreement,
            unit="relative to the largest effort",
            limit=1e-12,
            remarks="20 random states in motion. The map is found from the places of all centres "
            f"of mass: {same}; lift and torso are their own image. Neck and head lie off the plane "
            "of symmetry and are reflected in the URDF data for this check; left as they are, the "
            f"efforts differ by {unreflected:.1e}.",
        ),
        Check(
            title="Pose of the world frame",
            compared="efforts, loads on all bodies and poses, world turned and moved at random",
            against="those in the world of the URDF, gravity turned with it",
            largest=world_frame(model),
            unit="relative (poses: m)",
            limit=1e-12,
            remarks="20 random states in motion, each in a random world.",
        ),
        Check(
            title="Place of the robot",
            compared="efforts at another place and heading on the floor, gliding steadily",
            against="the same efforts, the two forces of the base turned with it",
            largest=place_on_the_floor(model),
            unit="relative to the largest effort",
            limit=1e-12,
            remarks="20 random states in motion, up to 50 m away and 2 m/s faster.",
        ),
    ]


def plot_spring_work(figures: Path, curve: Floats) -> str:
    """Draw the work of the springs along a closed path; return the name of the file."""
    share = np.linspace(0.0, 1.0, curve.shape[1])
    lines = [
        Line("work on the actuators, integrated", share, curve[0]),
        Line("energy that the springs have lost", share, curve[1], "--"),
    ]
    diagram = Diagram("", "part of the path", "energy / J", lines)
    title = "Springs on a closed path of all actuators"
    return draw(figures / "spring_work.png", [diagram], title, columns=1)
