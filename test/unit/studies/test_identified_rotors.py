# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification of rotors and joint springs, and the files that have them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from driven_arms import CYLINDER_ROTOR, JOINT_SPRINGS, TRANSMISSION, arm
from identified_robots import other_robot, recorded, with_noise

from charmie_dynamics import Model
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.studies import (
    IdentificationResult,
    IdentificationSettings,
    Unknowns,
    identify,
    samples_of_motion,
)
from charmie_dynamics.studies.identification.written_files import (
    identified_mechanisms,
    identified_urdf,
)
from charmie_dynamics.studies.robot_parameters.robot_files import rewritten_mechanisms

NOISE = 0.01  # of the usual efforts
TRUE = {
    "to_upper": {"inertia": 2e-4, "gear_ratio": 50},
    "to_lower": {"inertia": 0.25},
    "to_slider": {"inertia": 2.5},
    "to_finger": {"inertia": 0.04},
    "to_thumb": {"inertia": 0.03},
    "to_visor": {"inertia": 1.5},
}


def motion_of(model: Model, seed: int) -> Any:
    """Return a motion about the zero position, as a function of times."""
    rng = np.random.default_rng(seed)
    rest = model.zero_position()
    count = len(rest)
    is_length = np.array([name == "cylinder" for name in model.actuator_names])
    size = np.where(is_length, 0.02, 0.25)
    frequencies = 2.0 * np.pi * rng.uniform(0.1, 0.7, (4, count))
    phases = rng.uniform(0.0, 2.0 * np.pi, (4, count))

    def motion(time: np.ndarray) -> tuple[np.ndarray, ...]:
        angle = frequencies * time[:, None, None] + phases
        sine, cosine = np.sin(angle), np.cos(angle)
        return (
            rest + size * sine.sum(axis=1),
            size * (frequencies * cosine).sum(axis=1),
            -size * (frequencies**2 * sine).sum(axis=1),
        )

    return motion


def identified(described: Model, true: Model, unknowns: Unknowns) -> IdentificationResult:
    data = recorded(true, motion_of(true, 3), 40.0)
    effort = with_noise(data.effort, NOISE, np.random.default_rng(7))
    motion = data.position, data.velocity, data.acceleration
    samples = samples_of_motion(described, data.time, motion, effort)
    return identify(described, [samples], IdentificationSettings(unknowns=unknowns))


@pytest.fixture(scope="module")
def found() -> IdentificationResult:
    """An arm that is described without rotors."""
    return identified(arm(), arm(rotors=TRUE), Unknowns())


def test_rotors_that_are_not_described_are_found(found: IdentificationResult) -> None:
    for name, entry in TRUE.items():
        reflected = entry["inertia"] * entry.get("gear_ratio", 1) ** 2
        assert found.rotors[name].reflected == pytest.approx(reflected, rel=0.05), name


def test_the_rotor_of_the_first_joint_is_not_attributed_to_its_link(
    found: IdentificationResult,
) -> None:
    described = arm().tree.links["upper"].inertial
    assert described is not None
    np.testing.assert_allclose(
        found.inertials["upper"].inertia, described.inertia, atol=0.1 * described.inertia.max()
    )


def test_a_robot_without_rotors_has_none_afterwards() -> None:
    true = other_robot(arm(), np.random.default_rng(5), viscous=0.3, coulomb=0.1)
    result = identified(arm(), true, Unknowns())
    assert result.rotors == {}
    assert not any("rotor" in name for name in result.columns.names)


def test_rotors_of_linear_actuators_keep_their_gear_ratio() -> None:
    described = arm(rotors={"cylinder": {**CYLINDER_ROTOR, "inertia": 1e-5}}, has_cylinder=True)
    true = arm(rotors={"cylinder": CYLINDER_ROTOR}, has_cylinder=True)
    result = identified(described, true, Unknowns(inertials=False, friction=False))
    rotor = result.rotors["cylinder"]
    assert rotor.gear_ratio == CYLINDER_ROTOR["gear_ratio"]
    assert rotor.inertia == pytest.approx(CYLINDER_ROTOR["inertia"], rel=0.05)


def test_joint_springs_are_found() -> None:
    softer = {
        name: {**entry, "stiffness": 0.8 * entry["stiffness"], "rest": 0.0}
        for name, entry in JOINT_SPRINGS.items()
    }
    described, true = arm(joint_springs=softer), arm(joint_springs=JOINT_SPRINGS)
    result = identified(described, true, Unknowns(inertials=False))
    for name, entry in JOINT_SPRINGS.items():
        stiffness, rest = result.joint_springs[name]
        assert stiffness == pytest.approx(entry["stiffness"], rel=0.02), name
        assert rest == pytest.approx(entry.get("rest", 0.0), abs=0.02), name
    text = identified_mechanisms(result, "joint_springs:\n" + "".join(
        f"  {name}: {{joint: {entry['joint']}, stiffness: 1.0}}\n"
        for name, entry in softer.items()
    ), "a test")  # fmt: skip
    written = parse_mechanisms(text, "written.yaml")
    stiffness = {part.name: part.stiffness for part in written.joint_springs}
    for name, (expected, _) in result.joint_springs.items():
        assert stiffness[name] == pytest.approx(expected, rel=1e-5)


def test_written_files_are_the_identified_robot(found: IdentificationResult) -> None:
    text = identified_mechanisms(found, "", "a test")
    model = Model(
        parse_urdf(identified_urdf(found, "a test"), "written.urdf"),
        parse_mechanisms(text, "written.yaml"),
    )
    true = arm(rotors=TRUE)
    q, v, a = (each[-1] for each in motion_of(true, 11)(np.array([0.0, 0.4])))
    expected = true.compute(q, v, a).actuator_effort
    np.testing.assert_allclose(
        model.compute(q, v, a).actuator_effort, expected, atol=0.02 * abs(expected).max()
    )
    assert set(model.mechanisms.rotors) == set(TRUE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gravity: [0, 0, -9.81]\n",
        "rotors:\n  to_lower: {inertia: 1.0}\n",
        "rotors: {to_upper: {inertia: 7.0}}\n",
    ],
)
def test_rotors_of_transmissions_become_entries_when_they_change(text: str) -> None:
    tree = arm(extra=TRANSMISSION).tree
    written = rewritten_mechanisms(text, {"rotors.to_upper.inertia": 0.25}, tree=tree)
    rotors = parse_mechanisms(written, "written.yaml").rotors
    gear_ratio = 1.0 if "to_upper" in text else tree.rotors["to_upper"].gear_ratio
    assert rotors["to_upper"] == replace(
        tree.rotors["to_upper"], inertia=0.25, gear_ratio=gear_ratio
    )
    assert len(rotors) == 1 + ("to_lower" in text)
