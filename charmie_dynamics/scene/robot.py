"""The robot as shapes: bodies, springs, actuators, balance mechanisms, efforts, stability."""

from __future__ import annotations

import functools
import math

import numpy as np

from ..core.vectors import Floats
from ..model.loops import plane_across
from ..model.model import Model
from ..model.robot import Visual
from ..model.state import State
from .colors import MASS, MOMENT_POINT, STEEL, load_color
from .shapes import Shape, Vector

COIL_TURNS = 12
POINTS_A_TURN = 12
ARC_RADIUS = 0.09
FULL_ARC = 1.5 * math.pi  # of an arc at the rated effort
FULL_ARROW = 0.6  # m, at the rated force
LEAST_SHARE = 0.03  # smaller efforts are not drawn


def robot_shapes(model: Model, state: State) -> list[Shape]:
    """Return the whole picture of a state."""
    return [*body_shapes(model), *moving_shapes(model, state)]


def body_shapes(model: Model) -> list[Shape]:
    """Return the links' visuals, each in the frame of its link: they never change."""
    shapes: list[Shape] = []
    for link in model.tree.links.values():
        for visual in link.visuals:
            kind, scale = _visual_scale(visual)
            shapes.append(
                Shape(
                    namespace="bodies",
                    id=len(shapes),
                    kind=kind,  # type: ignore[arg-type]
                    frame=link.name,
                    position=visual.p_link_visual,
                    rotation=visual.R_link_visual,
                    scale=scale,
                    color=visual.rgba,
                    mesh=visual.mesh,
                )
            )
    return shapes


def moving_shapes(model: Model, state: State) -> list[Shape]:
    """Return what depends on the state: mechanisms, and loads where they are known."""
    shapes = [
        *_actuator_shapes(model, state),
        *_spring_shapes(model, state),
        *_balance_shapes(model, state),
    ]
    if state.dynamics is not None:
        shapes += _effort_shapes(model, state)
        shapes += _stability_shapes(model, state)
    return shapes


def centre_of_mass(model: Model, state: State) -> Floats:
    """Return the centre of mass of the robot in the world (3,), m."""
    tree = model.flat.tree
    n = len(tree.mass)
    R = state.kinematics.R_world_frame[:n]
    p = state.kinematics.p_world_frame[:n] + np.einsum("nij,nj->ni", R, tree.p_body_com)
    result: Floats = tree.mass @ p / tree.mass.sum()
    return result


def zero_moment_point(model: Model, state: State) -> Floats:
    """Return the point (3,) of the floor, z = 0, at which the floor's load has no tilting torque.

    NaN where the floor would have to pull.
    """
    base = model.mechanisms.base_body or model.tree.root
    p, R = state.frame(base)
    force, torque = (R @ vector for vector in state.base_wrench)
    if not force[2] > 0.0:
        return np.full(3, np.nan)
    lever_x = (torque[1] + p[2] * force[0]) / force[2]
    lever_y = (p[2] * force[1] - torque[0]) / force[2]
    return np.array([p[0] - lever_x, p[1] - lever_y, 0.0])


def _visual_scale(visual: Visual) -> tuple[str, tuple[float, float, float]]:
    size = visual.size
    if visual.kind == "cylinder":
        return "cylinder", (2.0 * size[0], 2.0 * size[0], size[1])
    if visual.kind == "sphere":
        return "sphere", (2.0 * size[0],) * 3
    return visual.kind, (size[0], size[1], size[2])


def _share(load: float, rated: float) -> float:
    return load / rated if math.isfinite(rated) and rated > 0.0 else 0.0


def _actuator_shapes(model: Model, state: State) -> list[Shape]:
    """Tube and rod of each linear actuator, coloured by the share of the rated force."""
    shapes: list[Shape] = []
    for k, actuator in enumerate(model.mechanisms.linear_actuators):
        length = float(state.kinematics.member_length[k])
        share = 0.0
        if state.dynamics is not None:
            c = int(model.flat.mechanisms.actuators.coordinate[k])
            share = _share(float(state.actuator_effort[c]), actuator.limit.effort)
        shortest = max(actuator.limit.lower, 0.0) or length
        tube = 0.85 * min(shortest, length)
        for part, frame, along, diameter, color in (
            (0, "tube", 0.5 * tube, 0.045, load_color(share)),
            (1, "rod", 0.0, 0.022, STEEL),
        ):
            extent = tube if part == 0 else length - 0.5 * tube
            z = along if part == 0 else -0.5 * extent
            shapes.append(
                Shape(
                    namespace="actuators",
                    id=2 * k + part,
                    kind="cylinder",
                    frame=f"{actuator.name}_{frame}",
                    position=(0.0, 0.0, z),
                    scale=(diameter, diameter, extent),
                    color=color,
                )
            )
    return shapes


def _coil(name: str, frame: str, index: int, length: float, share: float) -> Shape:
    """Return a spring along z of its frame; the number of turns does not depend on its length."""
    hook = 0.12 * length
    t = np.linspace(0.0, 1.0, COIL_TURNS * POINTS_A_TURN + 1)
    angle = 2.0 * math.pi * COIL_TURNS * t
    radius = 0.014 * np.minimum(1.0, 12.0 * np.minimum(t, 1.0 - t))
    z = hook + (length - 2.0 * hook) * t
    coil = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), z))
    points = np.vstack(([[0.0, 0.0, 0.0]], coil, [[0.0, 0.0, length]]))
    return Shape(
        namespace=name,
        id=index,
        kind="line_strip",
        frame=frame,
        scale=(0.004, 0.0, 0.0),
        color=load_color(-share),
        points=points,
    )


def _tension_share(model: Model, state: State, s: int) -> float:
    """Return a spring's tension as share of that at one and a half times its free length."""
    if state.dynamics is None:
        return 0.0
    springs = model.flat.mechanisms.springs
    rated = springs.pretension[s] + 0.5 * springs.stiffness[s] * springs.free_length[s]
    return _share(float(state.dynamics.spring_tension[s]), float(rated))


def _spring_shapes(model: Model, state: State) -> list[Shape]:
    lengths = state.kinematics.spring_length
    between = [f"{spring.name}_base" for spring in model.mechanisms.springs]
    balances = [f"{b.name}_spring_base" for b in model.mechanisms.balance_mechanisms]
    return [
        _coil("springs", frame, s, float(lengths[s]), _tension_share(model, state, s))
        for s, frame in enumerate([*between, *balances])
    ]


def _balance_shapes(model: Model, state: State) -> list[Shape]:
    """Bar, upright, and the slider on top of the upright."""
    shapes: list[Shape] = []
    for k, part in enumerate(model.mechanisms.balance_mechanisms):
        height = part.link_height
        pieces: tuple[tuple[str, str, Vector, tuple[float, float, float]], ...] = (
            ("cylinder", "bar", (0.0, 0.0, 0.5 * part.bar_length), (0.02, 0.02, part.bar_length)),
            ("cylinder", "upright", (0.0, 0.0, 0.5 * height), (0.016, 0.016, height)),
            ("box", "upright", (0.0, 0.0, height), (0.05, 0.03, 0.02)),
        )
        for piece, (kind, frame, position, scale) in enumerate(pieces):
            shapes.append(
                Shape(
                    namespace="balance",
                    id=3 * k + piece,
                    kind=kind,  # type: ignore[arg-type]
                    frame=f"{part.name}_{frame}",
                    position=position,
                    scale=scale,
                    color=STEEL,
                )
            )
    return shapes


def _effort_shapes(model: Model, state: State) -> list[Shape]:
    """Arcs about revolute joints and arrows along prismatic ones, as share of the rated effort."""
    shapes: list[Shape] = []
    joints = {joint.name: joint for joint in model.tree.joints}
    for i, name in enumerate(model.joint_names):
        if model.actuator_names[i] != name:
            continue  # linear actuators show their load by colour
        joint = joints[name]
        share = _share(float(state.actuator_effort[i]), joint.limit.effort)
        color = load_color(share)
        if abs(share) < LEAST_SHARE:
            continue
        share = max(-1.0, min(1.0, share))
        if joint.type == "prismatic":
            end = FULL_ARROW * share * joint.axis
            arrow = np.array([[0.0, 0.0, 0.0], end])
        else:
            first, second = _plane_across(tuple(joint.axis.tolist()))
            angle = FULL_ARC * share * np.linspace(0.0, 1.0, 25)
            circle = np.outer(np.cos(angle), first) + np.outer(np.sin(angle), second)
            arc = ARC_RADIUS * circle
            tangent = -math.sin(angle[-1]) * first + math.cos(angle[-1]) * second
            arrow = np.array([arc[-1], arc[-1] + math.copysign(0.04, share) * tangent])
            shapes.append(
                Shape(
                    namespace="efforts",
                    id=2 * i,
                    kind="line_strip",
                    frame=joint.child,
                    scale=(0.01, 0.0, 0.0),
                    color=color,
                    points=arc,
                )
            )
        shapes.append(
            Shape(
                namespace="efforts",
                id=2 * i + 1,
                kind="arrow",
                frame=joint.child,
                scale=(0.01, 0.035, 0.035),
                color=color,
                points=arrow,
            )
        )
    return shapes


@functools.lru_cache(maxsize=1024)
def _plane_across(axis: tuple[float, float, float]) -> Floats:
    return plane_across(np.array(axis))


def _stability_shapes(model: Model, state: State) -> list[Shape]:
    """Centre of mass, its projection on the floor, and the zero-moment point."""
    root = model.tree.root
    com = centre_of_mass(model, state)
    points: list[tuple[Floats, float, tuple[float, float, float, float]]] = [
        (com, 0.05, MASS),
        (np.array([com[0], com[1], 0.0]), 0.03, MASS),
    ]
    zmp = zero_moment_point(model, state)
    if np.isfinite(zmp).all():
        points.append((zmp, 0.04, MOMENT_POINT))
    return [
        Shape(
            namespace="stability",
            id=k,
            kind="sphere",
            frame=root,
            position=p,
            scale=(diameter, diameter, diameter),
            color=color,
        )
        for k, (p, diameter, color) in enumerate(points)
    ]
