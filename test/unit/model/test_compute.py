# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from charmie_dynamics import (
    CharmieError,
    InputError,
    Model,
    OutOfReachError,
    State,
    UnknownNameError,
    load_model,
)
from charmie_dynamics.live.pipeline import Pipeline


@pytest.fixture
def rest(charmie: Model) -> np.ndarray:
    """A pose with both linear actuators within reach."""
    position = np.zeros(21)
    position[3:5] = 0.4
    return position


def everything(state: State) -> list[np.ndarray]:
    parts = [state.position, state.velocity, state.acceleration, *state.kinematics]
    return [*parts, *(state.dynamics or ())]


def test_zero_position_puts_every_joint_at_zero(charmie: Model) -> None:
    position = charmie.zero_position()
    np.testing.assert_allclose(charmie.compute(position).joint_position, 0.0, atol=1e-12)
    # the reference gives the lift's length at zero
    assert position[3] == pytest.approx(0.5813, abs=1e-4)


def test_result_cannot_be_written_to(charmie: Model, rest: np.ndarray) -> None:
    state = charmie.compute(rest)
    arrays = [*everything(state), *state.frame("head"), *state.base_wrench]
    assert not any(array.flags.writeable for array in arrays)
    with pytest.raises(ValueError, match="read-only"):
        state.actuator_effort[0] = 1.0


def test_tab_completion_lists_the_raw_arrays(charmie: Model, rest: np.ndarray) -> None:
    state = charmie.compute(rest)
    batch = charmie.compute(rest[None])
    for found in (state, batch):
        assert {"p_world_frame", "balance_tip"} <= set(dir(found.kinematics))
        names = {"joint_force", "joint_torque", "balance_pivot_force", "loop_force"}
        assert names <= set(dir(found.dynamics))
        public = [name for name in dir(found.dynamics) if not name.startswith("_")]
        assert len(public) == len(list(found.dynamics))
        assert all(getattr(found.dynamics, name) is not None for name in public)


@pytest.mark.parametrize("name", ["acceleration", "R_parent_frame", "actuator_effort"])
def test_the_plan_tells_where_an_array_stands_in_the_block(
    charmie: Model, rest: np.ndarray, name: str
) -> None:
    state = charmie.compute(rest, 0.1 * rest, rest)
    index = charmie.layout.index(name)
    expected = state._array(name)
    assert index.shape == expected.shape
    np.testing.assert_array_equal(state.block[index], expected)


def test_the_block_of_a_state_cannot_be_written_to(charmie: Model, rest: np.ndarray) -> None:
    with pytest.raises(ValueError, match="read-only"):
        charmie.compute(rest).block[0] = 1.0


def test_a_batch_has_no_block(charmie: Model, rest: np.ndarray) -> None:
    with pytest.raises(CharmieError, match="expected the state of one cycle"):
        _ = charmie.compute([rest]).block


def test_state_without_dynamics_knows_places_but_no_loads(charmie: Model, rest: np.ndarray) -> None:
    full, state = charmie.compute(rest), charmie.kinematics(rest)
    np.testing.assert_array_equal(state.frame("left_tool")[0], full.frame("left_tool")[0])
    assert state.spring_length == full.spring_length
    for what in ("actuator_effort", "generalized_force", "base_wrench", "spring_tension"):
        with pytest.raises(CharmieError, match=r"holds kinematics only.*Model.compute"):
            getattr(state, what)


@pytest.mark.parametrize(
    ("actuator", "length", "reach"),
    [
        ("lift_actuator", 0.0949, "more than 0.298994 m and less than 0.69007 m"),
        ("torso_actuator", 0.29, "more than 0.297979 m and less than 0.500535 m"),
        ("torso_actuator", 0.51, "more than 0.297979 m and less than 0.500535 m"),
    ],
)
def test_length_out_of_reach_is_refused_with_actuator_value_and_reach(
    charmie: Model, rest: np.ndarray, actuator: str, length: float, reach: str
) -> None:
    rest[charmie.actuator_names.index(actuator)] = length
    with pytest.raises(OutOfReachError) as caught:
        charmie.compute(rest)
    assert caught.value.name == actuator
    for words in (f"'{actuator}'", f"{length:.6g} m", reach):
        assert words in str(caught.value)


def test_lift_beyond_its_balance_mechanisms_is_refused_with_their_name(
    charmie: Model, rest: np.ndarray
) -> None:
    rest[3] = charmie.actuator_from_joint("lift_joint", 0.291)[0]
    with pytest.raises(OutOfReachError, match=r"0\.69007 m; the bar of 'lift_balance_left'"):
        charmie.compute(rest)


def test_model_computes_on_after_a_refused_input(charmie: Model, rest: np.ndarray) -> None:
    expected = charmie.compute(rest).actuator_effort
    with pytest.raises(OutOfReachError):
        charmie.compute(np.zeros(21))
    assert charmie.compute(rest).actuator_effort.tolist() == expected.tolist()


def test_unknown_frame_is_refused_with_the_nearest_name(charmie: Model, rest: np.ndarray) -> None:
    with pytest.raises(UnknownNameError, match=r"'left_tol' is unknown; did you mean 'left_tool'"):
        charmie.compute(rest).frame("left_tol")


@pytest.mark.parametrize("name", ["charmie", "crane"])
@given(share=st.floats(0.0, 1.0), velocity=st.floats(-1, 1), acceleration=st.floats(-2, 2))
def test_actuator_from_joint_is_undone_by_compute(
    charmie: Model, crane: Model, name: str, share: float, velocity: float, acceleration: float
) -> None:
    model = {"charmie": charmie, "crane": crane}[name]
    inputs = [
        model.zero_position(),
        np.zeros(len(model.joint_names)),
        np.zeros(len(model.joint_names)),
    ]
    for actuator in model.mechanisms.linear_actuators:
        limit = next(j.limit for j in model.tree.joints if j.name == actuator.joint)
        joint = (limit.lower + share * (limit.upper - limit.lower), velocity, acceleration)
        given_actuator = model.actuator_from_joint(actuator.joint, *joint)
        k = model.joint_names.index(actuator.joint)
        for values, value in zip(inputs, given_actuator, strict=True):
            values[k] = value
        state = model.compute(*inputs)
        got = [x[k] for x in (state.joint_position, state.joint_velocity, state.joint_acceleration)]
        np.testing.assert_allclose(got, joint, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("position", [1.36, -1.79, 3.0])
def test_joint_at_or_beyond_a_dead_centre_has_no_actuator_length(
    charmie: Model, position: float
) -> None:
    with pytest.raises(OutOfReachError, match=r"'torso_joint' at .* dead centre") as caught:
        charmie.actuator_from_joint("torso_joint", position)
    assert caught.value.name == "torso_actuator"


def test_the_zero_position_of_an_inverted_actuator_has_the_length_of_joint_zero(
    charmie: Model,
) -> None:
    actuators = tuple(
        replace(each, branch="inverted") if each.name == "torso_actuator" else each
        for each in charmie.mechanisms.linear_actuators
    )
    inverted = Model(charmie.tree, replace(charmie.mechanisms, linear_actuators=actuators))
    zero = inverted.zero_position()
    np.testing.assert_array_equal(zero, charmie.zero_position())
    state = inverted.compute(zero)
    torso = inverted.joint_names.index("torso_joint")
    assert abs(state.joint_position[torso]) > 0.5
    Pipeline(inverted).warm_up()  # as the node does


def test_joint_without_linear_actuator_is_refused(charmie: Model) -> None:
    with pytest.raises(UnknownNameError, match=r"'torso_jint' .*did you mean 'torso_joint'"):
        charmie.actuator_from_joint("torso_jint", 0.0)


def test_reach_of_an_unknown_actuator_is_refused(charmie: Model) -> None:
    with pytest.raises(UnknownNameError, match=r"'lift' is unknown.*lift_actuator"):
        charmie.reach("lift")


def test_base_wrench_is_that_on_the_root_where_no_base_is_named(data: Path) -> None:
    model = load_model(urdf=data / "crane.urdf")
    force, _ = model.compute(np.zeros(6)).base_wrench
    assert force[2] == pytest.approx(9.81 * model.total_mass, rel=1e-12)


@pytest.mark.parametrize("actuator", ["lift_actuator", "torso_actuator"])
def test_reach_is_where_the_loop_closes(charmie: Model, rest: np.ndarray, actuator: str) -> None:
    k = charmie.actuator_names.index(actuator)
    for end, inwards in zip(charmie.reach(actuator), (1e-9, -1e-9), strict=True):
        rest[k] = end + inwards
        charmie.compute(rest)
        rest[k] = end - inwards
        with pytest.raises(OutOfReachError, match=actuator):
            charmie.compute(rest)


@pytest.mark.parametrize("shape", [(), (2,)])
def test_complex_inputs_are_refused(scara: Model, shape: tuple[int, ...]) -> None:
    given = np.full((*shape, len(scara.position_names)), 1.0 + 5.0j)
    for position, velocity in ((given, None), (given.real, given)):
        with pytest.raises(InputError, match=r"expected real numbers of shape .*, got complex"):
            scara.compute(position, velocity)
