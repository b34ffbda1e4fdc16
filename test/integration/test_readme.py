"""README and code say the same about parameters and topics."""

import re
from dataclasses import asdict
from pathlib import Path

import pytest
from launch import LaunchContext
from launch.utilities import perform_substitutions
from launch_descriptions import describe
from rcl_interfaces.srv import SetParametersAtomically

from charmie_dynamics.live.outputs import every_topic
from charmie_dynamics.ros.inputs import payload_service
from charmie_dynamics.ros.process.parameters import Settings

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def table_rows(heading):
    """Return the cells of the table whose first column has that heading."""
    lines = README[README.index(f"| {heading} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def defaults_in(heading):
    """Return the default of each name in the table whose first column has that heading."""
    return {
        name: default.split()[0].strip("`")
        for names, default, _ in table_rows(heading)
        for name in re.findall(r"`(\w+)`", names)
    }


def written(value):
    if isinstance(value, tuple):
        return str(list(value))
    return '""' if value == "" else str(value).lower() if isinstance(value, bool) else str(value)


def types_in(heading):
    """Return the type of each name in the table whose first column has that heading."""
    return {
        name: kind
        for names, kind, _ in table_rows(heading)
        for name in re.findall(r"`([\w/]+)`", names)
    }


def type_name(kind):
    return f"{kind.__module__.split('.')[0]}/{kind.__name__}"


def test_readme_lists_every_parameter_with_its_default():
    documented = defaults_in("parameter")
    actual = {name: written(value) for name, value in asdict(Settings()).items()}
    assert documented == actual


def test_readme_lists_every_topic_with_its_type():
    actual = {name: topic.type.replace("/msg/", "/") for name, topic in every_topic().items()}
    assert types_in("topic") == actual


def test_readme_lists_the_service_with_its_type():
    assert types_in("service") == {payload_service.NAME: type_name(SetParametersAtomically)}


@pytest.mark.parametrize(
    "file, headings",
    [
        ("charmie.launch.py", ("launch argument", "parameter")),
        ("demo.launch.py", ("launch argument", "parameter", "argument of the demo")),
    ],
)
def test_readme_lists_every_launch_argument_with_its_default(file, headings):
    documented = {k: v for heading in headings for k, v in defaults_in(heading).items()}
    actual = {
        argument.name: perform_substitutions(LaunchContext(), argument.default_value) or '""'
        for argument in describe(file).get_launch_arguments()
    }
    assert documented == actual
