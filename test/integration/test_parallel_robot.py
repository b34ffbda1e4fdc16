# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parallel robots from their two files in a real node: told by their actuators alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from graph import Checker
from node_process import Process, start_dynamics_node
from robot_inputs import Inputs, named
from special_robots import write_five_bar, write_hexapod

from charmie_dynamics import Model, State, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.visual.scene import Scene

TOPICS = ("actuator_efforts", "resolved_joint_states", "/tf", "base_wrench")


class Case(NamedTuple):
    """A robot: its files, where its actuators are put, and where its loops cannot be closed.

    Some close wherever their actuators may be.
    """

    write: Callable[[Path], tuple[str, str]]
    places: tuple[tuple[float, ...], ...]
    far: tuple[float, ...] = ()
    opened: str = ""


def of_package(*names: str) -> Callable[[Path], tuple[str, str]]:
    """Return what finds the files of a robot in the folder robots."""
    urdf, mechanisms = (str(share_file("robots", name)) for name in names)
    return lambda _: (urdf, mechanisms)


CASES = {
    "five_bar": Case(
        write_five_bar, ((0.2, -0.1), (-0.4, 0.3), (0.0, 0.7), (0.5, 0.5)), (-1.5, 1.5), "tip"
    ),
    "hexapod": Case(
        write_hexapod,
        ((0.05, -0.03, 0.04, 0.06, 0.0, 0.02), (0.1,) * 6, (0.0, 0.08, 0.0, 0.08, 0.0, 0.08)),
        (0.25, -0.15, 0.25, -0.15, 0.25, -0.15),
        "ball_",
    ),
    "delta": Case(
        of_package("delta.urdf", "delta_mechanisms.yaml"),
        ((0.2, -0.1, 0.3), (0.6, 0.5, 0.7), (-0.3, 0.1, -0.2)),
    ),
    "four_bar": Case(of_package("four_bar.urdf", "four_bar.yaml"), ((0.5,), (-0.4,), (1.2,))),
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture(scope="module")
def files(folder: Path, case: Case) -> tuple[str, str]:
    return case.write(folder)


@pytest.fixture(scope="module")
def model(files: tuple[str, str]) -> Model:
    return load_model(*files)


@pytest.fixture(scope="module")
def node(folder: Path, files: tuple[str, str]) -> Iterator[Process]:
    parameters = {
        **dict(zip(("model", "mechanisms"), files, strict=True)),
        **{"acceleration_source": "zero", "marker_rate": 0.0, "marker_reactions": True},
    }
    with start_dynamics_node(folder, parameters) as process:
        yield process


@pytest.fixture(scope="module")
def inputs(node: Process, model: Model) -> Iterator[Inputs]:
    with Checker((*TOPICS, "/tf_static", "markers", "/diagnostics")) as checker:
        inputs = Inputs(checker)
        inputs.connect({name: 0.0 for name in model.actuator_names}, TOPICS)
        yield inputs


def closed(model: Model, values: Mapping[str, float], rates: Mapping[str, float]) -> State:
    """Return the state of the closed robot for what its actuators do."""
    p, v = model.zero_position(), np.zeros(len(model.velocity_names))
    for name in model.actuator_names:
        p[model.position_names.index(name)] = values[name]
        v[model.velocity_names.index(name)] = rates[name]
    return model.compute(*model.assemble(p, v))


def test_efforts_joints_frames_and_markers_are_those_of_the_closed_loop(
    inputs: Inputs, model: Model, case: Case
) -> None:
    names = model.actuator_names
    scene = Scene(model, reactions=True)
    for place in case.places:
        values = dict(zip(names, place, strict=True))
        rates = {name: 0.3 - 0.2 * k for k, name in enumerate(names)}
        found = inputs.cycle(values, topics=(*TOPICS, "markers"), velocity=rates)
        state = closed(model, values, rates)
        efforts = named(found["actuator_efforts"])
        assert tuple(efforts) == names
        assert np.array(list(efforts.values())) == pytest.approx(state.actuator_effort, abs=1e-8)
        for field, expected in (
            ("position", state.joint_position),
            ("velocity", state.joint_velocity),
        ):
            joints = named(found["resolved_joint_states"], field)
            assert tuple(joints) == model.joint_names
            assert np.array(list(joints.values())) == pytest.approx(expected, abs=1e-8)
        force = found["base_wrench"].wrench.force
        assert force.z == pytest.approx(state.base_wrench[0][2], abs=1e-8)
        require_frames(inputs, model, found["/tf"], state)
        require_reactions(found["markers"], scene, state)


def require_reactions(markers: Any, scene: Scene, state: State) -> None:
    """Check that the arrows of the reactions are those of the state."""
    points = scene.update(state).points
    told = [m for m in markers.markers if m.ns == "reactions" and m.action == m.ADD]
    rows = [k for k, shape in enumerate(scene.shapes) if shape.namespace == "reactions"]
    expected = {
        tuple(np.round(points[scene.first_point[k] : scene.first_point[k] + 2], 6).ravel())
        for k in rows
    }
    arrows = [tuple(round(x, 6) + 0.0 for p in m.points for x in (p.x, p.y, p.z)) for m in told]
    assert arrows
    for arrow in arrows:
        assert min(np.abs(np.subtract(arrow, other)).max() for other in expected) < 2e-6


def require_frames(inputs: Inputs, model: Model, moving: Any, state: Any) -> None:
    """Check that all links are where the state has them."""
    inputs.checker.wait_for(lambda: inputs.checker.received["/tf_static"], "/tf_static")
    latched = inputs.checker.received["/tf_static"][-1].transforms
    parents = {t.child_frame_id: t for t in (*moving.transforms, *latched)}
    for link in model.frame_names:
        p, R = np.zeros(3), np.eye(3)
        frame = link
        while frame in parents:
            transform = parents[frame].transform
            t, q = transform.translation, transform.rotation
            own = rotation(q.x, q.y, q.z, q.w)
            p, R = own @ p + (t.x, t.y, t.z), own @ R
            frame = parents[frame].header.frame_id
        p_expected, R_expected = state.frame(link)
        assert frame == "odom"
        assert p == pytest.approx(p_expected, abs=1e-9), link
        assert R == pytest.approx(R_expected, abs=1e-9), link


def rotation(x: float, y: float, z: float, w: float) -> Any:
    return np.array(
        [
            (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        ]
    )


@pytest.mark.parametrize(
    "case", [name for name, each in CASES.items() if each.far], indirect=True, scope="module"
)
def test_loops_that_cannot_close_are_told_by_name_and_the_node_goes_on(
    inputs: Inputs, node: Process, model: Model, case: Case
) -> None:
    far = dict(zip(model.actuator_names, case.far, strict=True))

    def told(status: Any, values: Any) -> bool:
        words = ("cycle failed", f"'{case.opened}", "cannot be closed: it stays open by", " m ")
        return status.level == b"\x02" and all(word in status.message for word in words)

    inputs.checker.wait_for_status(
        ": cycle", told, "an error of the cycle", doing=lambda: inputs.send(far)
    )
    assert node.is_running()
    inputs.cycle({name: 0.05 for name in model.actuator_names}, topics=TOPICS)


def test_a_passive_joint_that_contradicts_the_loops_changes_no_effort(
    inputs: Inputs, model: Model
) -> None:
    values = {name: 0.04 for name in model.actuator_names}
    passive = model.mechanisms.passive_joints[0]
    alone = inputs.cycle(values, topics=TOPICS)
    both = inputs.cycle({**values, passive: 2.0}, topics=TOPICS)
    assert named(alone["actuator_efforts"]) == pytest.approx(named(both["actuator_efforts"]))


def test_an_undecided_assembly_is_logged_once(inputs: Inputs, node: Process, model: Model) -> None:
    passive = model.mechanisms.passive_joints
    is_decided = not model.mechanisms.rest_pose.keys().isdisjoint(passive)
    lines = [line for line in node.output().splitlines() if "assembly of the loops" in line]
    assert len(lines) == (0 if is_decided else 1)
    assert all("WARN" in line and passive[0] in line for line in lines)


def test_the_model_is_told_with_its_passive_joints(inputs: Inputs, model: Model) -> None:
    first = model.mechanisms.passive_joints[0]
    inputs.checker.wait_for_status(
        ": model",
        lambda status, values: values.get("passive joints", "").startswith(first),
        "the passive joints",
    )
