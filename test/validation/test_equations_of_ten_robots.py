# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion of ten robots and of CHARMIE's open tree agree with Pinocchio."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from test_ten_robots import ROBOTS, TEN

from charmie_dynamics import Model, load_model
from charmie_dynamics.errors import MassMatrixError
from validation.pinocchio_equations import (
    FORWARD_TOLERANCE,
    TOLERANCE,
    compare_equations,
    compare_forward,
)
from validation.pinocchio_reference import Reference, random_states

CHARMIE = "CHARMIE without its loops"
# its joint LHand moves a link without mass
MASSLESS = "humanoid whose fingers follow a joint beside them"
# the condition of its mass matrix is 2e4: round-off in efforts counts so many times
ILL_CONDITIONED = "humanoid with skew axes"


# elements of simulators that the package does not read
pytestmark = pytest.mark.filterwarnings("ignore::charmie_dynamics.ModelFileWarning")


def pair(kind: str) -> tuple[Model, Reference]:
    """Return a robot, and the same as Pinocchio has it."""
    if kind == CHARMIE:
        model = load_model().open_tree()
        return model, Reference(model.tree.urdf)
    path = ROBOTS[TEN[kind]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_model(urdf=path), Reference(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", [*TEN, CHARMIE])
def test_equations_and_their_derivatives_agree_with_pinocchio(kind: str) -> None:
    assert not compare_equations(*pair(kind)).beyond(TOLERANCE)


@pytest.mark.parametrize("kind", [kind for kind in [*TEN, CHARMIE] if kind != MASSLESS])
def test_accelerations_and_their_derivatives_agree_with_pinocchio(kind: str) -> None:
    assert not compare_forward(*pair(kind)).beyond(FORWARD_TOLERANCE)


@pytest.mark.parametrize("kind", [kind for kind in [*TEN, CHARMIE] if kind != MASSLESS])
def test_accelerations_agree_with_articulated_bodies_of_pinocchio(kind: str) -> None:
    """Mimic joints are free there: under these efforts they move as their leaders want it."""
    model, reference = pair(kind)
    model = model.without_friction()
    fixed = reference.with_fixed_root()
    for state in random_states(len(model.joint_names)):
        q, v, a, fold = fixed.arrays(model.joint_names, state)
        effort = pin.rnea(fixed.model, fixed.data, q, v, a)
        free = pin.aba(fixed.model, fixed.data, q, v, effort)
        found = model.forward(state[0], state[1], fold @ effort).acceleration
        # the same for the joints that lead
        share = fold @ free / (fold**2).sum(axis=1)
        digits = 1e-10 if kind == ILL_CONDITIONED else 1e-11
        np.testing.assert_allclose(found, share, rtol=0.0, atol=digits * np.abs(free).max())


def test_joint_without_mass_behind_it_is_named() -> None:
    with pytest.raises(MassMatrixError, match="'LHand' adds no mass of its own"):
        compare_forward(*pair(MASSLESS))


# A small change in the file of the Panda arm: what, where, and in which quantity it shows.
CHANGES = {
    "mass": ('<mass value="3.587895"/>', '<mass value="3.587896"/>', "mass_matrix"),
    "moment of inertia": ('ixx="0.012516"', 'ixx="0.012517"', "coriolis_effort"),
    "product of inertia": ('ixz="-0.001196"', 'ixz="-0.001197"', "by_position"),
    "place of a joint": ('xyz="0 -0.316 0"', 'xyz="0 -0.316001 0"', "jacobian"),
    "centre of mass": ("1.0517e-02 -4.252e-03", "1.0517e-02 -4.253e-03", "gravity_effort"),
    "axis of a mimic joint": ('<axis xyz="0 -1 0"/>', '<axis xyz="0.000001 -1 0"/>', "regressor"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_change_of_a_millionth_is_noticed(change: str, tmp_path: Path) -> None:
    old, new, quantity = CHANGES[change]
    text = ROBOTS[TEN["arm with a gripper of mimic joints"]].read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = tmp_path / "changed.urdf"
    path.write_text(text.replace(old, new), encoding="utf-8")
    found = compare_equations(load_model(urdf=path), Reference(text))
    assert quantity in found.beyond(TOLERANCE)
