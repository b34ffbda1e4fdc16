# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every method of a model takes arrays with leading axes; results are those of single calls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from all_robots import robot
from random_states import random_state

from charmie_dynamics import InputError, Model, load_model
from charmie_dynamics.errors import CharmieError
from validation.scara import with_friction

Call = Callable[[Model, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
LOOPS = ["four_bar", "delta"]
TREES = ["charmie", "crane", "loaded tree", "rough scara"]

# of robots with loops as well
CALLS: dict[str, Call] = {
    "compute": lambda m, x, v, a: m.compute(x, v, a).actuator_effort,
    "compute without friction": lambda m, x, v, a: (
        m.compute(x, v, a, friction=False).actuator_effort
    ),
    "frame of compute": lambda m, x, v, a: m.compute(x, v, a).frame(m.frame_names[-1])[1],
    "base of compute": lambda m, x, v, a: np.concatenate(m.compute(x, v, a).base_wrench, axis=-1),
    "kinematics": lambda m, x, v, a: m.kinematics(x, v, a).motion(m.frame_names[-1]).acceleration,
    "mass matrix": lambda m, x, v, a: m.equations(x, v).mass_matrix,
    "friction of equations": lambda m, x, v, a: m.equations(x, v).friction_effort,
    "energy": lambda m, x, v, a: np.asarray(m.energy(x, v).total),
    "regressor": lambda m, x, v, a: m.regressor(x, v, a),
    "rotor effort": lambda m, x, v, a: m.rotor_effort(x, v, a),
    "friction effort": lambda m, x, v, a: m.friction_effort(v, x),
    "jacobian": lambda m, x, v, a: m.jacobian(x, m.frame_names[1], (0.1, 0.2, 0.3)),
    "forward": lambda m, x, v, a: m.forward(x, v, v[..., m.actuator_index]).acceleration,
    "efforts of forward": lambda m, x, v, a: m.forward(x, v).generalized_force,
    "assemble": lambda m, x, v, a: m.assemble(x, v, a).acceleration,
    "project": lambda m, x, v, a: m.project(x, v)[0],
    "position rate": lambda m, x, v, a: m.position_rate(x, v),
    "normalised position": lambda m, x, v, a: m.normalised_position(x),
}
OF_TREES: dict[str, Call] = {
    "derivatives": lambda m, x, v, a: m.derivatives(x, v, a).effort_by_position,
    "derivatives by a parameter": lambda m, x, v, a: (
        m.derivatives(x, v, a, parameters=list(m.parameters)[:2]).effort_by_parameter
    ),
    "forward derivatives": lambda m, x, v, a: (
        m.forward_derivatives(x, v, a[..., m.actuator_index]).acceleration_by_velocity
    ),
    "contributions": lambda m, x, v, a: m.contributions(x, v).coriolis_effort,
    "centrifugal contributions": lambda m, x, v, a: m.contributions(x, v).centrifugal_effort,
}


def model_named(name: str) -> Model:
    if name == "rough scara":
        return with_friction(load_model("scara"))
    return load_model(name) if name in LOOPS else robot(name)


def states(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return position (2, 3, p), velocity (3, v) and acceleration (2, 1, v): axes (2, 3)."""
    rng = np.random.default_rng(11)
    if not model.mechanisms.loop_joints:
        position = [random_state(model, rng)[0] for _ in range(6)]
        velocity, acceleration = (random_state(model, rng)[k] for k in (1, 2))
        speeds = [velocity * factor for factor in (0.0, 0.5, 1.0)]
        faster = [[acceleration], [-acceleration]]
        return np.reshape(position, (2, 3, -1)), np.array(speeds), np.array(faster)
    rows = np.tile(model.zero_position(), (6, 1))
    rows[:, model.actuator_index] += rng.uniform(-0.1, 0.1, (6, len(model.actuator_index)))
    moving = rng.uniform(-0.5, 0.5, (6, len(model.velocity_names)))
    motion = model.assemble(rows, moving, -moving)
    position, velocity, acceleration = (array.reshape(2, 3, -1) for array in motion)
    return position, velocity, acceleration


@pytest.mark.parametrize(
    ("name", "call"),
    [
        *((name, call) for name in [*TREES, *LOOPS] for call in CALLS),
        *((name, call) for name in TREES for call in OF_TREES),
    ],
)
def test_results_have_the_leading_axes_and_equal_single_calls_bit_for_bit(
    name: str, call: str
) -> None:
    model = model_named(name)
    compute = {**CALLS, **OF_TREES}[call]
    given = states(model)
    whole = [np.broadcast_to(array, (2, 3, array.shape[-1])) for array in given]
    found = compute(model, *given)
    assert found.shape[:2] == (2, 3)
    for place in np.ndindex(2, 3):
        single = compute(model, *(array[place].copy() for array in whole))
        np.testing.assert_array_equal(found[place], single, err_msg=str(place))


@pytest.mark.parametrize("call", [*CALLS, *OF_TREES])
def test_no_states_have_empty_results(charmie: Model, call: str) -> None:
    empty = np.zeros((0, 21))
    found = {**CALLS, **OF_TREES}[call](charmie, empty, empty, empty)
    single = {**CALLS, **OF_TREES}[call](charmie, charmie.zero_position(), *np.zeros((2, 21)))
    assert found.shape == (0, *np.shape(single))


@pytest.mark.parametrize("call", ["assemble", "rotor effort", "contributions"])
def test_a_fault_of_a_single_state_names_no_sample(charmie: Model, call: str) -> None:
    position = charmie.zero_position()
    position[4] = np.nan
    with pytest.raises(InputError, match=r"^position: .*'torso_actuator'"):
        {**CALLS, **OF_TREES}[call](charmie, position, np.zeros(21), np.zeros(21))


def test_an_open_loop_is_named_with_its_state() -> None:
    model = load_model("four_bar")
    position = np.tile(model.zero_position(), (3, 1))
    position[2, 1] += 0.1
    for compute in (model.compute, model.equations, model.forward, model.regressor):
        with pytest.raises(CharmieError, match=r"^sample 2: .*'pin'"):
            compute(position)


def test_tables_are_those_of_one_state(charmie: Model) -> None:
    contributions = charmie.contributions(np.tile(charmie.zero_position(), (2, 1)))
    with pytest.raises(InputError, match=r"^table: expected one state, got \(2,\)"):
        contributions.table("lift_actuator")
