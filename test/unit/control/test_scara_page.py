# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The SCARA's path is the circle that its page tells of, and generated code tracks it alike."""

from __future__ import annotations

import re

import numpy as np
import pytest

from charmie_dynamics import Model
from charmie_dynamics.control import ComputedTorque
from charmie_dynamics.motions import SampledMotion
from validation.harness.pages import DOCS
from validation.scara import (
    CENTRE,
    DURATION,
    RADIUS,
    STEP,
    TILT,
    desired_motion,
    scaled_masses,
)


@pytest.fixture(scope="module")
def motion(scara: Model) -> SampledMotion:
    return desired_motion(scara)


def test_the_tool_goes_round_a_tilted_circle(scara: Model, motion: SampledMotion) -> None:
    tool = scara.kinematics(motion.position).frame("tool")[0] - CENTRE
    np.testing.assert_allclose(np.linalg.norm(tool, axis=1), RADIUS, atol=1e-12)
    np.testing.assert_allclose(tool @ [np.sin(TILT), 0.0, np.cos(TILT)], 0.0, atol=1e-12)
    assert motion.time[-1] == pytest.approx(DURATION)


def test_it_begins_and_ends_at_rest_and_moves_every_joint(motion: SampledMotion) -> None:
    for part in (motion.velocity, motion.acceleration):
        np.testing.assert_allclose(part[[0, -1]], 0.0, atol=1e-9)
    assert (np.abs(motion.velocity).max(axis=0) > 0.3).all()


def test_velocities_and_accelerations_are_derivatives(motion: SampledMotion) -> None:
    for values, rates in (
        (motion.position, motion.velocity),
        (motion.velocity, motion.acceleration),
    ):
        differences = (values[2:] - values[:-2]) / (2.0 * STEP)
        np.testing.assert_allclose(differences, rates[1:-1], atol=1e-3)


def test_all_joints_stay_within_their_ranges_and_rated_values(
    scara: Model, motion: SampledMotion
) -> None:
    limits = scara.actuator_limits()
    assert (motion.position > [limit.lower for limit in limits]).all()
    assert (motion.position < [limit.upper for limit in limits]).all()
    assert (np.abs(motion.velocity) < [limit.velocity for limit in limits]).all()
    effort = scara.compute(*motion[1:]).actuator_effort
    assert (np.abs(effort) < [limit.effort for limit in limits]).all()


def test_masses_a_tenth_too_small_give_efforts_a_tenth_too_small(
    scara: Model, motion: SampledMotion
) -> None:
    state = [part[1500] for part in motion[1:]]
    light = scaled_masses(scara, 0.9)
    expected = 0.9 * scara.compute(*state).actuator_effort
    np.testing.assert_allclose(light.compute(*state).actuator_effort, expected, atol=1e-12)
    assert light.total_mass == pytest.approx(0.9 * scara.total_mass)


def test_generated_code_tracks_as_the_kernels_do(scara: Model, motion: SampledMotion) -> None:
    pytest.importorskip("sympy")
    pytest.importorskip("scipy")
    from validation.control import KP, generated
    from validation.tracked_run import track

    time, *rows = (values[1500:1700] for values in motion)
    part = SampledMotion(time - time[0], *rows)
    numeric = track(ComputedTorque(scara, KP, motion=part), scara, part).run
    by_code = ComputedTorque(scara, KP, motion=part, inverse_dynamics=generated(scara))
    other = track(by_code, scara, part).run
    np.testing.assert_allclose(other.effort, numeric.effort, atol=1e-10)
    np.testing.assert_allclose(other.position, numeric.position, atol=1e-13)


def test_the_page_is_made_of_its_template() -> None:
    template, page = (
        (DOCS / n).read_text(encoding="utf-8") for n in ("control.in.md", "control.md")
    )
    parts = re.split(r"\{\{\w+\}\}", template)
    pattern = "(?s:.+?)".join(map(re.escape, parts))
    assert re.fullmatch(pattern, page), "run: python -m validation --only control"
