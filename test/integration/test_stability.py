# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The zero-moment point on the wire, and what diagnostics say about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph import ANY_ROBOT, EACH_CYCLE, Checker, stamp_of
from node_process import start_dynamics_node
from ordinary_messages import after_step
from robot_inputs import ACTUATORS, Inputs, pose
from small_robots import write_slide

from charmie_dynamics import Model
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.model.stability import Support, centre_of_mass, stability_of
from charmie_dynamics.model.state import State
from charmie_dynamics.ros.outputs.diagnostics import SMALL_MARGIN, stability_status
from charmie_dynamics.ros.outputs.publishers import Outputs
from charmie_dynamics.ros.process.parameters import Settings

OK, WARN, ERROR = b"\x00", b"\x01", b"\x02"
FLOOR = -0.0368  # m, z of the wheel contacts in the base frame
GRAVITY = 9.81
HALF_WIDTH = 0.25  # m, of the square of the wheel contacts


@pytest.fixture(scope="module")
def checker(folder: Path) -> Iterator[Checker]:
    with start_dynamics_node(folder, {"frame_prefix": "c/"}):
        with Checker((*EACH_CYCLE, "/diagnostics")) as checker:
            yield checker


@pytest.fixture(scope="module")
def inputs(checker: Checker) -> Inputs:
    inputs = Inputs(checker)
    inputs.connect(pose(), EACH_CYCLE)
    return inputs


def in_pose(model: Model, number: int, acceleration: dict[str, float] | None = None) -> State:
    values = [pose(number)[name] for name in ACTUATORS]
    rates = [(acceleration or {}).get(name, 0.0) for name in ACTUATORS]
    return model.compute(values, np.zeros(len(values)), rates)


def centre_in_base(model: Model, state: State) -> Any:
    p_world_base, R_world_base = state.frame("base")
    return (centre_of_mass(state) - p_world_base) @ R_world_base


def driven_to(model: Model, margin: float) -> State:
    """Return a state whose tip-over margin is this, to the left of the wheels.

    In the first pose the base has no yaw. Driven at an acceleration a along its x axis, a robot
    with its centre of mass at height h has its zero-moment point a h / g behind.
    """
    x, _, z = centre_in_base(model, in_pose(model, 0)).tolist()
    way = x + HALF_WIDTH - margin
    return in_pose(model, 0, {"base_x_joint": way * GRAVITY / (z - FLOOR)})


@pytest.mark.parametrize("number", [1, 2, 3])
def test_at_rest_the_point_is_below_the_centre_of_mass(
    checker: Checker, inputs: Inputs, model: Model, number: int
) -> None:
    point = inputs.cycle(pose(number))["stability"].point
    x, y, _ = centre_in_base(model, in_pose(model, number))
    assert [point.x, point.y, point.z] == pytest.approx([x, y, FLOOR], abs=1e-9)


def test_the_point_is_in_the_frame_of_the_base(checker: Checker, inputs: Inputs) -> None:
    assert inputs.cycle(pose())["stability"].header.frame_id == "c/base"


@pytest.fixture
def published() -> Iterator[tuple[Outputs, Checker]]:
    """Outputs without a node process, and who listens to them."""
    with Checker(("stability",), namespace="own") as checker, Checker(namespace="own") as other:
        outputs = Outputs(other.node)
        checker.wait_for(lambda: checker.node.count_publishers("stability"), "the publisher")
        checker.wait_for(lambda: other.node.count_subscribers("stability"), "the subscription")
        yield outputs, checker


PERIOD = 10_000_000  # ns
SETTINGS = Settings(publish_tf=False, publish_markers=False, publish_robot_description=False)


def send_until_received(
    outputs: Outputs, checker: Checker, model: Model, *states: State
) -> list[int]:
    """Publish states, 10 ms apart, again and again until the last one is received.

    Returns the numbers of those received, from 1.
    """
    stepped = [after_step(model, SETTINGS, state) for state in states]
    cycles = [Cycle(k * PERIOD, state) for k, state in enumerate(stepped, 1)]

    def send() -> None:
        for cycle in cycles:
            outputs.filler.fill(cycle.stamp, cycle.state.block)
            outputs.publish_cycle(cycle)

    def stamps() -> list[int]:
        return sorted({stamp_of(m) // PERIOD for m in checker.received["stability"]})

    checker.wait_for(lambda: len(states) in stamps(), "the last state", doing=send, rate=5.0)
    return stamps()


def test_in_motion_it_is_the_point_of_the_model(
    published: tuple[Outputs, Checker], model: Model
) -> None:
    outputs, checker = published
    outputs.configure(model, SETTINGS)
    rng = np.random.default_rng(5)
    values = [pose(4)[name] for name in ACTUATORS]
    state = model.compute(values, *rng.uniform(-0.5, 0.5, (2, len(values))))
    send_until_received(outputs, checker, model, state)
    found = checker.received["stability"][-1].point
    expected = stability_of(model, Support.of(model), state).zero_moment_point
    assert [found.x, found.y, found.z] == pytest.approx(expected.tolist(), abs=1e-12)


def test_of_a_thousand_cycles_a_second_two_hundred_are_published(
    published: tuple[Outputs, Checker], model: Model
) -> None:
    outputs, checker = published
    outputs.configure(model, SETTINGS)
    state = after_step(model, SETTINGS, in_pose(model, 1))
    for millisecond in range(50):
        outputs.filler.fill(millisecond * 1_000_000, state.block)
        outputs.publish_cycle(Cycle(millisecond * 1_000_000, state))
    checker.wait_for(lambda: len(checker.received["stability"]) == 10, "ten points")
    stamps = [stamp_of(message) // 1_000_000 for message in checker.received["stability"]]
    assert stamps == list(range(0, 50, 5))


def test_nothing_is_published_while_the_floor_would_have_to_pull(
    published: tuple[Outputs, Checker], model: Model
) -> None:
    outputs, checker = published
    outputs.configure(model, SETTINGS)
    falling = in_pose(model, 1, {"lift_actuator": -40.0})
    assert falling.base_wrench[0][2] < 0.0
    assert send_until_received(outputs, checker, model, falling, in_pose(model, 1)) == [2]


def test_nothing_is_published_where_the_wheel_contacts_are_unknown(
    folder: Path, tmp_path: Path
) -> None:
    urdf, mechanisms = write_slide(tmp_path)
    parameters = {"model": urdf, "mechanisms": mechanisms}
    with start_dynamics_node(folder, parameters, namespace="slide"):
        with Checker((*EACH_CYCLE, "/diagnostics"), namespace="slide") as checker:
            inputs = Inputs(checker)
            inputs.connect({"slide_joint": 0.3}, ANY_ROBOT)
            for _ in range(10):
                inputs.cycle({"slide_joint": 0.3}, topics=ANY_ROBOT)
            checker.wait_for_status(
                "slide/charmie_dynamics: stability",
                lambda status, _: (
                    status.level == OK
                    and status.message == "unknown: the model has no wheel contacts"
                ),
                "a status of settled estimates",
                doing=lambda: inputs.send({"slide_joint": 0.3}),
            )
            assert checker.received["stability"] == []


@pytest.mark.parametrize(
    "margin, level",
    [
        (SMALL_MARGIN + 0.001, OK),
        (SMALL_MARGIN - 0.001, WARN),
        (0.001, WARN),
        (-0.001, ERROR),
        (-0.5, ERROR),
    ],
)
def test_the_level_follows_the_margin(model: Model, margin: float, level: bytes) -> None:
    status = stability_status("stability", model, driven_to(model, margin))
    values = {item.key: item.value for item in status.values}
    assert (status.level, values["tip-over margin (m)"]) == (level, f"{margin:.3f}")


def test_the_status_names_point_and_edge_in_the_frame_of_the_base(model: Model) -> None:
    state = driven_to(model, 0.03)
    _, y, _ = centre_in_base(model, state)
    status = stability_status("stability", model, state)
    values = {item.key: item.value for item in status.values}
    assert values == {
        "tip-over margin (m)": "0.030",
        "zero-moment point (m)": f"-0.220 {y:.3f}",
        "nearest point of the edge (m)": f"-0.250 {y:.3f}",
        "frame": "base",
    }


def test_a_floor_that_would_have_to_pull_is_an_error(model: Model) -> None:
    state = in_pose(model, 1, {"lift_actuator": -40.0})
    status = stability_status("stability", model, state)
    assert (status.level, status.message) == (ERROR, "the floor would have to pull")


def test_kinematics_alone_say_nothing_about_stability(model: Model) -> None:
    state = model.kinematics([pose(1)[name] for name in ACTUATORS])
    for known in (state, None):
        status = stability_status("stability", model, known)
        assert (status.level, status.message) == (OK, "no loads computed yet")


def test_the_node_reports_the_margin(checker: Checker, inputs: Inputs, model: Model) -> None:
    expected = stability_of(model, Support.of(model), in_pose(model, 2)).margin
    checker.wait_for_status(
        ": stability",
        lambda status, values: values.get("tip-over margin (m)") == f"{expected:.3f}",
        "the margin of the pose",
        doing=lambda: inputs.send(pose(2)),
    )
