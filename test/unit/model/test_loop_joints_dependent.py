# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Constraints that depend on each other, loops that drift open, floating bodies in loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from loop_robots import four_bar, joint, link, robot

from charmie_dynamics import Model
from charmie_dynamics.core.forward.loop_records import ForwardTerms
from charmie_dynamics.model.flat.loop_cycles import stabilized
from charmie_dynamics.model.forward_dynamics import CONSTRAINED_FORWARD
from charmie_dynamics.numerics.blocks import lay_out

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
HINGES = np.array([(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], float)


@pytest.fixture(scope="module")
def bricard(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Five rods of 1 m between six hinges, the last one cut (problem A04 of IFToMM's library)."""
    parts, before = [link("ground")], "ground"
    for k in range(5):
        along = CORNERS[k + 1] - CORNERS[k]
        place = CORNERS[k] - (CORNERS[k - 1] if k else 0.0)
        parts.append(link(f"rod_{k}", 1.0, along / 2, 0.6))
        parts.append(joint(f"hinge_{k}", "continuous", before, f"rod_{k}", place, HINGES[k]))
        before = f"rod_{k}"
    end = {
        "type": "revolute",
        "first_body": before,
        "first_point": (CORNERS[5] - CORNERS[4]).tolist(),
        "second_body": "ground",
        "second_point": CORNERS[5].tolist(),
        "axis": HINGES[5].tolist(),
    }
    passive = [f"hinge_{k}" for k in range(1, 5)]
    mechanisms = {
        "gravity": [0.0, -9.81, 0.0],
        "loop_joints": {"end": end},
        "passive_joints": passive,
    }
    return robot(tmp_path_factory.mktemp("bricard"), parts, mechanisms, "bricard")


def moved(model: Model, alpha: float, beta: float, step: float, count: int, start):
    """Return the errors of the constraints and the ranks along some steps of RK4."""
    stable = model.robot.with_flat(stabilized(model.flat, alpha, beta))
    flat, prepared = stable.flat, stable.cache[CONSTRAINED_FORWARD]
    workspace, out = np.empty(prepared.workspace_size), np.empty(prepared.size)
    terms = lay_out(ForwardTerms, flat.blocks.ints, out, flat.sizes)
    x, v = start
    errors, ranks, no_effort = [], set(), np.zeros(len(v))

    def rate(x, v):
        assert prepared.run(prepared.addresses, x, v, no_effort, workspace, out) == 0
        return terms.motion.forward_acceleration.copy()

    for _ in range(count):
        a1 = rate(x, v)
        errors.append(abs(terms.constraint_error).max())
        ranks.add(int(terms.constraint_rank[0]))
        a2 = rate(x + step / 2 * v, v + step / 2 * a1)
        a3 = rate(x + step / 2 * (v + step / 2 * a1), v + step / 2 * a2)
        a4 = rate(x + step * (v + step / 2 * a2), v + step * a3)
        x = x + step * v + step**2 / 6 * (a1 + a2 + a3)
        v = v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return np.array(errors), ranks, x, v


def test_bricard_has_rank_four_of_five(bricard: Model) -> None:
    constraints = bricard.constraints(np.zeros(5))
    assert (len(constraints.rows), constraints.rank, constraints.mobility) == (5, 4, 1)
    assert constraints.undetermined == ("end",)
    closed = bricard.assemble([0.7, 0.1, -0.2, 0.3, 0.1], [1.0, 0, 0, 0, 0])
    constraints = bricard.constraints(closed.position, closed.velocity)
    assert constraints.rank == 4
    np.testing.assert_allclose(constraints.jacobian @ closed.velocity, 0.0, atol=1e-13)


def bennett(folder: Path, lengths: tuple[float, float], twist: float) -> Model:
    """Return Bennett's linkage: four skew hinges, opposite rods alike, a : sin(twist) equal."""
    a, b = lengths
    other = float(np.arcsin(b / a * np.sin(twist)))
    parts, rods = [link("ground")], [(a, twist), (b, other), (a, twist), (b, other)]
    before, place, turn = "ground", (0, 0, 0), 0.0
    for k, (length, twisted) in enumerate(rods[:3]):
        parts.append(link(f"rod_{k}", 1.0, (length / 2, 0.02, 0.01), 0.3))
        parts.append(
            joint(f"hinge_{k}", "continuous", before, f"rod_{k}", place, (0, 0, 1), (turn, 0, 0))
        )
        before, place, turn = f"rod_{k}", (length, 0, 0), twisted
    end = {
        "type": "revolute",
        "first_body": before,
        "first_point": list(place),
        "axis": [0.0, -float(np.sin(turn)), float(np.cos(turn))],
        "second_body": "ground",
        "second_point": [-b, 0.0, 0.0],
        "second_axis": [0.0, float(np.sin(other)), float(np.cos(other))],
    }
    passive = ["hinge_1", "hinge_2"]
    mechanisms = {"loop_joints": {"end": end}, "passive_joints": passive}
    return robot(folder, parts, mechanisms, "bennett")


@pytest.mark.parametrize("angle", [-2.1, 0.4, 1.3, 2.6])
def test_bennett_moves_as_its_closed_form(tmp_path: Path, angle: float) -> None:
    """tan(x / 2) tan(y / 2) = sin((u + t) / 2) / sin((u - t) / 2), with the twists t and u."""
    a, b, t = 0.6, 0.4, 0.9
    u = float(np.arcsin(b / a * np.sin(t)))
    model = bennett(tmp_path, (a, b), t)
    ratio = np.sin((u + t) / 2) / np.sin((u - t) / 2)
    half = np.tan(angle / 2)
    neighbour = 2.0 * np.arctan(ratio / half)
    slope = -ratio / half**2 * (1.0 + half**2) / (1.0 + (ratio / half) ** 2)
    closed = model.assemble([angle, neighbour + 0.2, -angle - 0.2], [1.0, 0.0, 0.0])
    turned = np.exp(1j * closed.position)
    np.testing.assert_allclose(turned, np.exp(1j * np.array([angle, neighbour, -angle])), atol=1e-9)
    np.testing.assert_allclose(closed.velocity, [1.0, slope, -1.0], atol=1e-9)
    constraints = model.constraints(closed.position)
    assert (len(constraints.rows), constraints.rank, constraints.mobility) == (5, 2, 1)
    state = model.forward(*closed[:2], [0.7])
    effort = model.compute(*closed[:2], state.acceleration).actuator_effort
    assert effort[0] == pytest.approx(0.7, abs=1e-9)


def test_the_rank_stays_although_integration_opens_the_loop(bricard: Model) -> None:
    start = np.zeros(5), np.zeros(5)
    errors, ranks, x, v = moved(bricard, 20.0, 20.0, 5e-3, 200, start)
    assert ranks == {4}
    assert 1e-13 < errors.max() < 1e-7  # open by the integrator's error, and no more
    energy = bricard.energy(*start).total
    assert bricard.energy(x, v).total == pytest.approx(energy, abs=1e-6)


def test_reactions_that_are_open_are_the_least_of_all(bricard: Model) -> None:
    closed = bricard.assemble([0.5, 0.1, -0.2, 0.3, 0.1], [1.0, 0, 0, 0, 0])
    state = bricard.compute(*closed)
    constraints = bricard.constraints(*closed[:2])
    needed = bricard.open_tree().compute(*closed).generalized_force
    rest = needed.copy()
    rest[bricard.actuator_index] -= state.actuator_effort
    least = np.linalg.lstsq(constraints.jacobian.T, rest, rcond=1e-9)[0]
    # three rows of a hinge are forces along orthogonal axes, two are torques across its axis
    assert np.linalg.norm(state.loop_force("end")[:3]) == pytest.approx(
        np.linalg.norm(least[:3]), abs=1e-10
    )
    assert np.linalg.norm(state.loop_force("end")[3:]) == pytest.approx(
        np.linalg.norm(least[3:]), abs=1e-10
    )


def test_stabilization_closes_what_is_open(tmp_path: Path) -> None:
    bars = four_bar(tmp_path)
    position = np.add(bars.assemble([0.3, 1.0, 0.3]).position, (0.0, 1e-4, -1e-4))
    start = position, np.zeros(3)
    step = 1e-3
    left_alone, *_ = moved(bars, 0.0, 0.0, step, 200, start)
    faded, *_ = moved(bars, 0.1 / step, 0.1 / step, step, 200, start)
    assert left_alone[-1] == pytest.approx(left_alone[0], rel=0.2)
    assert faded[-1] < 1e-4 * faded[0]


def test_projection_moves_as_little_as_it_can(tmp_path: Path) -> None:
    bars = four_bar(tmp_path)
    closed = bars.assemble([0.3, 1.0, 0.3], [1.0, 0.0, 0.0])
    off = 1e-5 * np.array([1.0, -2.0, 0.5])
    position, velocity = bars.project(closed.position + off, closed.velocity + off)
    constraints = bars.constraints(position, velocity)
    assert abs(constraints.error).max() < 1e-14
    assert abs(constraints.jacobian @ velocity).max() < 1e-14
    # what is left of the change along the motion of the loop: nothing was moved along it
    along = bars.constraints(closed.position).motions[:, 0]
    assert along @ (position - closed.position - off) == pytest.approx(0.0, abs=1e-8)


def test_a_floating_body_hangs_in_loops(tmp_path: Path) -> None:
    """A plate on three rods of constant length, which is a platform without joints of its own."""
    feet = np.array([(1.0, 0.0, 2.0), (-0.5, 0.8, 2.0), (-0.5, -0.8, 2.0)])
    pins = 0.4 * feet * (1.0, 1.0, 0.0)
    floating = (
        '<joint name="free" type="floating"><parent link="ground"/><child link="plate"/></joint>'
    )
    parts = [link("ground"), link("plate", 2.0, (0.01, 0.02, 0.0), 0.3), floating]
    loops = {
        f"rod{k}": {"type": "distance", "first_body": "ground", "first_point": foot.tolist(),
                    "second_body": "plate", "second_point": pin.tolist()}
        for k, (foot, pin) in enumerate(zip(feet, pins, strict=True))
    }  # fmt: skip
    model = robot(tmp_path, parts, {"loop_joints": loops}, "plate")
    start = np.array([0.05, -0.1, 0.02, 0.1, -0.05, 0.2, 0.0])
    start[6] = np.sqrt(1.0 - start[3:6] @ start[3:6])
    position, velocity = model.project(start, 0.2 * np.arange(6))
    assert np.linalg.norm(position[3:]) == pytest.approx(1.0, abs=1e-12)
    constraints = model.constraints(position, velocity)
    assert (constraints.rank, constraints.mobility) == (3, 3)
    state = model.forward(position, velocity)
    # Newton's law of the plate, by the forces of the rods
    motion = state.motion("plate", model.tree.links["plate"].inertial.p_link_com)
    pull = sum(state.loop_force(name)[:3] for name in loops)
    expected = pull + 2.0 * np.array([0.0, 0.0, -9.81])
    np.testing.assert_allclose(2.0 * motion.acceleration, expected, atol=1e-10)
    rest = constraints.jacobian @ state.acceleration + constraints.jacobian_rate @ velocity
    np.testing.assert_allclose(rest, 0.0, atol=1e-10)
