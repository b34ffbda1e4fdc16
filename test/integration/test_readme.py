"""README and code say the same about parameters and topics."""

import re
from dataclasses import asdict
from pathlib import Path

from charmie_dynamics.ros.parameters import Settings
from charmie_dynamics.ros.topics import INPUTS, OUTPUTS

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def table_rows(heading):
    """Return the cells of the table whose first column has that heading."""
    lines = README[README.index(f"| {heading} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_readme_lists_every_parameter_with_its_default():
    documented = {}
    for names, default, _ in table_rows("parameter"):
        text = default.split()[0].strip("`")
        for name in re.findall(r"`(\w+)`", names):
            documented[name] = text
    actual = {
        name: '""' if value == "" else str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in asdict(Settings()).items()
    }
    assert documented == actual


def test_readme_lists_every_topic_with_its_type():
    documented = {}
    for names, message_type, _ in table_rows("topic"):
        for name in re.findall(r"`([\w/]+)`", names):
            documented[name] = message_type
    actual = {
        topic.name: f"{topic.type.__module__.split('.')[0]}/{topic.type.__name__}"
        for topic in (*INPUTS, *OUTPUTS)
    }
    assert {name: kind.replace("/msg/", "/") for name, kind in documented.items()} == actual
