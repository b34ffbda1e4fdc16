# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""package.xml, setup.py, the citation, the change log and the code agree with each other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import charmie_dynamics

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
VERSIONED = ("package.xml", "CITATION.cff", "CHANGELOG.rst", "charmie_dynamics/__init__.py")


def metadata(folder: Path, *options: str) -> str:
    """Return what setup.py of a folder states."""
    pytest.importorskip("setuptools")
    command = [sys.executable, "-W", "ignore", "setup.py", "--quiet", *options]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with the files that state metadata."""
    for name in (*VERSIONED, "setup.py", "README.md", "scripts"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_citation_has_the_version_and_the_papers() -> None:
    assert CITATION["version"] == charmie_dynamics.__version__ == MANIFEST.findtext("version")
    assert CITATION["license"] == MANIFEST.findtext("license") == "Apache-2.0"
    assert CITATION["authors"][0]["name"] == MANIFEST.findtext("maintainer")
    dois = {"10.1007/s11044-023-09933-5", "10.3390/robotics11010015", None}
    assert {reference.get("doi") for reference in CITATION["references"]} == dois
    papers = (ROOT / "docs" / "method.md").read_text(encoding="utf-8").split("\n## Papers\n")[1]
    for reference in CITATION["references"]:
        assert all(reference[name] for name in ("type", "authors", "year"))
        assert reference["title"] in papers


def test_the_summary_is_one_line_of_at_most_512_characters() -> None:
    summary = metadata(ROOT, "--description")
    assert summary and "\n" not in summary and len(summary) <= 512
    assert summary in " ".join(str(MANIFEST.findtext("description")).split())
    assert summary in " ".join(CITATION["abstract"].split())


def relative_links(text: str) -> list[str]:
    return [link for link in re.findall(r"\]\(([^)\s]*)\)", text) if not re.match(r"\w+:|#", link)]


def test_the_long_description_has_no_link_to_a_file_that_an_index_lacks(copy: Path) -> None:
    assert relative_links((copy / "README.md").read_text(encoding="utf-8"))
    assert relative_links(metadata(copy, "--long-description")) == []
    manifest = (copy / "package.xml").read_text(encoding="utf-8")
    url = '<url type="repository">https://example.org/it</url>\n  <license'
    (copy / "package.xml").write_text(manifest.replace("<license", url), encoding="utf-8")
    long = metadata(copy, "--long-description")
    version = charmie_dynamics.__version__
    assert f"(https://example.org/it/blob/{version}/CONTRIBUTING.md)" in long
    assert relative_links(long) == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_one_command_sets_the_version_of_a_release(copy: Path) -> None:
    changelog = copy / "CHANGELOG.rst"
    newest = re.compile(r"^\S.*\n-{5,}$", re.MULTILINE)
    changelog.write_text(newest.sub("Forthcoming\n-----------", changelog.read_text(), count=1))
    subprocess.run(["bash", "scripts/release", "--set", "7.8.9"], cwd=copy, check=True, timeout=60)
    assert metadata(copy, "--version") == "7.8.9"
    for name in VERSIONED:
        assert (copy / name).read_text(encoding="utf-8").count("7.8.9") == 1
    date = r"\d{4}-\d\d-\d\d"
    title, line = re.search(rf"^(7\.8\.9 \({date}\))\n(-+)$", changelog.read_text(), re.M).groups()
    assert len(title) == len(line)
