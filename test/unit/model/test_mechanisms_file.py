# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a mechanisms file says is read as it is written, and what it leaves open has defaults."""

from __future__ import annotations

import re

import pytest
from model_texts import changed

from charmie_dynamics.model.description.mechanisms import parse_mechanisms


@pytest.mark.parametrize(
    ("number", "value"),
    [("3e+2", 300.0), ("1e-3", 1e-3), ("1E3", 1000.0), (".5", 0.5), ("7", 7.0), ("2.5e2", 250.0)],
)
def test_numbers_are_read_as_such_however_they_are_written(
    text: str, number: str, value: float
) -> None:
    mechanisms = parse_mechanisms(changed(text, "stiffness: 300.0", f"stiffness: {number}"), "t")
    assert mechanisms.springs[0].stiffness == value


def test_key_in_quotes_that_looks_like_a_number_stays_text(text: str) -> None:
    named = changed(text, "robot: crane", 'robot: "1e3"')
    assert parse_mechanisms(named, "t").springs[0].stiffness == 300.0


def test_empty_file_attaches_nothing(load) -> None:
    assert load("# nothing yet\n").actuator_names == load("").joint_names


def test_defaults_of_optional_keys(text: str) -> None:
    short = re.sub(r"    (length|effort|velocity)_limits?: .*\n", "", text)
    actuator = parse_mechanisms(short, "t").linear_actuators[0]
    assert (actuator.limit.lower, actuator.limit.upper) == (0.0, float("inf"))
    assert (actuator.branch, actuator.reaction_share) == ("upright", 0.0)
    spring = parse_mechanisms(short, "t").springs[1]
    assert spring.pretension == 0.0


def test_names_that_older_yaml_takes_for_truth_or_numbers_are_names() -> None:
    read = parse_mechanisms("rest_pose: {on: 1, 7: 2, no: 3}", "t")
    assert list(read.rest_pose) == ["on", "7", "no"]
