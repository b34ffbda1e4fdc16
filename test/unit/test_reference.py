# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The reference is that of the code, and says something about everything that a user meets."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import charmie_dynamics
from charmie_dynamics.demo import run as demo
from charmie_dynamics.live.findings import (
    CONTROLLER,
    FINDINGS,
    POLICY,
    SIMULATOR,
    SOURCE,
    STATUSES,
)
from charmie_dynamics.live.wire.samples import REFUSAL_CAUSES
from charmie_dynamics.recordings.commands import options, plot_options, render_options
from charmie_dynamics.studies.commands import identify_options
from validation.harness.pages import REFERENCE, between
from validation.interface.sections import SECTIONS, Section

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(charmie_dynamics.__file__).resolve().parent
NEED_NO_ROS = [section for section in SECTIONS if not section.needs_ros]
# where levels may be named: the table of findings, and verdicts on trajectories
LEVELS = {"ros/outputs/diagnostics.py", "ros/inputs/trajectory_check.py"}


@pytest.mark.parametrize("section", NEED_NO_ROS, ids=lambda section: section.name)
def test_the_page_holds_the_table_as_it_is(section: Section) -> None:
    text = section.path.read_text(encoding="utf-8")
    assert between(text, section.name, section.make()) == text, "scripts/docs --write makes it anew"


def test_every_place_on_a_page_has_its_table() -> None:
    for page in REFERENCE.glob("*.md"):
        places = re.findall(r"<!-- (.*): validation/interface", page.read_text(encoding="utf-8"))
        assert places == [section.name for section in SECTIONS if section.page == page.name]


def names(tree: ast.AST) -> Iterator[str]:
    """Yield what a module names with a dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield ast.unparse(node)


def parsed() -> Iterator[tuple[str, ast.Module]]:
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def test_warnings_and_errors_come_from_the_table_of_findings() -> None:
    levels = {"DiagnosticStatus.WARN", "DiagnosticStatus.ERROR"}
    assert {name for name, tree in parsed() if levels & set(names(tree))} == LEVELS


def test_every_finding_is_of_a_status_and_says_what_to_do() -> None:
    assert {finding.status for finding in FINDINGS} <= {
        *(*STATUSES, SOURCE, SIMULATOR, POLICY, CONTROLLER)
    }
    assert len({finding.text for finding in FINDINGS}) == len(FINDINGS)
    assert all(finding.meaning and finding.remedy for finding in FINDINGS)


def causes(tree: ast.AST) -> Iterator[str]:
    """Yield patterns of the causes of the refusals that a module raises."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "RefusedSampleError":
            cause = node.args[0]
            parts = cause.values if isinstance(cause, ast.JoinedStr) else [cause]
            yield "".join(
                re.escape(part.value) if isinstance(part, ast.Constant) else ".+" for part in parts
            )


def test_every_cause_of_a_refusal_is_in_the_table() -> None:
    patterns = {pattern for _, tree in parsed() for pattern in causes(tree)}
    known = {p: {c for c in REFUSAL_CAUSES if re.fullmatch(p, c)} for p in patterns}
    assert all(known.values())
    assert set().union(*known.values()) == set(REFUSAL_CAUSES)


def test_every_command_stands_in_the_reference() -> None:
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    commands = re.findall(r'"(\w+) = charmie_dynamics\.', setup)
    page = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    assert commands and not [name for name in commands if f"`{name}`" not in page
                             and f"## {name}\n" not in page]  # fmt: skip


@pytest.mark.parametrize(
    "make_parser",
    [
        *(options.make_parser, plot_options.make_parser, render_options.make_parser),
        *(identify_options.make_parser, demo.make_parser),
    ],
)
def test_every_option_says_what_it_is_for(make_parser: Callable[[], argparse.ArgumentParser]):
    assert all(action.help for action in make_parser()._actions)


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_readme_has_the_times_of_the_page_of_performance() -> None:
    readme, page = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/performance.md")
    )
    rows = dict(
        re.findall(r"^\| (.*?) \|.*\| (?:open tree|whole cycle) \| ([\d.]+) \|", page, re.M)
    )
    names = ("`Model.compute`, URDF alone", *(n for n in rows if re.match("Pinoc|MuJoCo|Drake", n)))
    tree = re.search(r"^\| efforts of CHARMIE's tree \(us\) \|(.*)\|$", readme, re.M)[1]
    assert re.findall(r"[\d.]+", tree) == [rows[name] for name in names]
    whole = re.search(r"^\| the same with loops and springs \(us\) \|(.*)\|$", readme, re.M)[1]
    assert re.findall(r"[\d.]+", whole) == [rows["`Model.compute`"]]
    arm = re.search(r"^\| efforts of an open arm of 6 links \(us\) \|(.*)\|$", readme, re.M)[1]
    theirs, ours = re.search(r"^\| 6 \| ([\d.]+) \| ([\d.]+) \|", page, re.M).groups()
    assert re.findall(r"[\d.]+", arm) == [ours, theirs]
    first = re.search(r"A single call is faster from (\d+) links on", page)[1]
    assert f"faster than Pinocchio from {first} links on" in " ".join(readme.split())
