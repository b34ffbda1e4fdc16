# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of the reference that only ROS 2 can tell are those of the code."""

from __future__ import annotations

import pytest
from rcl_interfaces.srv import SetParametersAtomically

from charmie_dynamics.ros.inputs import payload_service
from charmie_dynamics.ros.nodes.launching import NODE_ARGUMENTS
from validation.harness.pages import between
from validation.interface.launch_arguments import declared
from validation.interface.parameters import written
from validation.interface.sections import SECTIONS, Section

NEED_ROS = [section for section in SECTIONS if section.needs_ros]


@pytest.mark.parametrize("section", NEED_ROS, ids=lambda section: section.name)
def test_the_page_holds_the_table_as_it_is(section: Section) -> None:
    text = section.path.read_text(encoding="utf-8")
    assert between(text, section.name, section.make()) == text, "scripts/docs --write makes it anew"


def test_the_service_is_of_the_type_that_is_said() -> None:
    package, kind, name = payload_service.TYPE.split("/")
    assert SetParametersAtomically.__module__.startswith(f"{package}.{kind}.")
    assert SetParametersAtomically.__name__ == name


@pytest.mark.parametrize("file", ["charmie.launch.py", "demo.launch.py", "robot.launch.py"])
def test_every_parameter_is_a_launch_argument(file: str) -> None:
    assert not {spec.name for spec in NODE_ARGUMENTS} - set(declared(file))


def test_launch_arguments_have_the_defaults_of_the_parameters() -> None:
    expected = {spec.name: written(spec.default).strip('"') for spec in NODE_ARGUMENTS}
    arguments = declared("charmie.launch.py")
    assert {name: arguments[name][0] for name in expected} == expected
