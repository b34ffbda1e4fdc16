# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Files that other programs read: hooks of pre-commit, the workflow, templates, the citation."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import charmie_dynamics

ROOT = Path(__file__).resolve().parents[2]
FORMS = sorted(p for p in ROOT.glob(".github/ISSUE_TEMPLATE/*.yml") if p.name != "config.yml")
ENTRIES = {"textarea", "input", "dropdown", "checkboxes", "markdown"}


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_hooks_are_the_tools_of_the_project_and_need_no_network() -> None:
    (repository,) = loaded(".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    hooks = {hook["id"]: hook for hook in repository["hooks"]}
    assert {"ruff-check", "ruff-format", "mypy"} <= set(hooks)
    for hook in hooks.values():
        assert hook["language"] == "system"
        command = hook["entry"].split()[0]
        assert command == "git" or os.access(ROOT / command, os.X_OK)


def test_files_that_hooks_name_exist() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    paths = re.findall(r"\b(?:scripts|test)/[\w/.]+", text)
    assert paths and not [path for path in paths if not (ROOT / path).exists()]


def test_the_workflow_runs_on_both_distributions_and_without_ros() -> None:
    jobs = loaded(".github/workflows/tests.yml")["jobs"]
    assert jobs["ros"]["strategy"]["matrix"]["distribution"] == ["humble", "jazzy"]
    assert jobs["ros"]["container"] == "ros:${{ matrix.distribution }}"
    pip = jobs["pip"]
    assert "container" not in pip and "3.10" in pip["strategy"]["matrix"]["python"]
    commands = [step.get("run", "") for step in pip["steps"]]
    assert any(command.startswith("python -m pip install") for command in commands)


def test_the_workflow_runs_parts_that_the_test_script_has() -> None:
    usage = (ROOT / "scripts" / "test").read_text(encoding="utf-8")
    text = (ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8")
    parts = set(re.findall(r"(?:run: |^ +)scripts/test (\w+)", text, re.MULTILINE))
    assert {"lint", "bounds", "package"} <= parts
    assert not [part for part in parts if not re.search(rf"^  {part} ", usage, re.MULTILINE)]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_an_issue_form_has_what_the_site_expects(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(form) == {"name", "description", "labels", "body"}
    names = [entry["id"] for entry in form["body"]]
    assert len(set(names)) == len(names)
    for entry in form["body"]:
        assert entry["type"] in ENTRIES and entry["attributes"]["label"]


def test_the_citation_has_the_version_and_the_papers() -> None:
    citation = loaded("CITATION.cff")
    assert citation["version"] == charmie_dynamics.__version__
    assert citation["license"] == "Apache-2.0"
    dois = {"10.1007/s11044-023-09933-5", "10.3390/robotics11010015"}
    assert {reference["doi"] for reference in citation["references"]} == dois
