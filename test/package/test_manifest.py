# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""package.xml, setup.py and the change log say the same and what ROS 2 tools need."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from catkin_pkg.changelog import BulletList, Changelog, populate_changelog_from_rst
from catkin_pkg.package import Package, parse_package
from conftest import ROOT, without_ros

# rosdep keys of what the package uses at run time
WANTED = {
    *("rclpy", "python3-numpy", "python3-numba", "python3-yaml", "python3-jsonschema"),
    *("sensor_msgs", "geometry_msgs", "visualization_msgs", "tf2_msgs", "diagnostic_msgs"),
    *("std_msgs", "launch", "launch_ros"),
}


@pytest.fixture(scope="module")
def manifest() -> Package:
    package = parse_package(str(ROOT / "package.xml"))
    package.validate()
    return package


def setup_answer(option: str) -> str:
    done = subprocess.run(
        [sys.executable, "setup.py", "--quiet", option],
        cwd=ROOT,
        env=without_ros(PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_the_manifest_is_of_format_3_and_an_ament_python_package(manifest: Package) -> None:
    assert manifest.package_format == 3
    assert manifest.get_build_type() == "ament_python"


def test_the_manifest_depends_on_what_the_package_uses(manifest: Package) -> None:
    assert WANTED - {depend.name for depend in manifest.exec_depends} == set()


def test_the_manifest_depends_on_pytest_for_tests(manifest: Package) -> None:
    assert "python3-pytest" in {depend.name for depend in manifest.test_depends}


def test_the_licence_is_apache_and_its_text_is_there(manifest: Package) -> None:
    assert [str(text) for text in manifest.licenses] == ["Apache-2.0"]
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_versions_agree(manifest: Package) -> None:
    code = (ROOT / "charmie_dynamics" / "__init__.py").read_text(encoding="utf-8")
    (in_code,) = re.findall(r'__version__ = "([^"]+)"', code)
    assert {setup_answer("--version"), in_code} == {manifest.version}


@pytest.mark.filterwarnings("ignore:nodes.Node.traverse:DeprecationWarning")
def test_catkin_reads_the_change_log(manifest: Package) -> None:
    """Before a release its section is `Forthcoming`; catkin's tools omit it."""
    text = (ROOT / "CHANGELOG.rst").read_text(encoding="utf-8")
    released = re.sub(r"^Forthcoming\n-+$", "999.0.0 (2026-01-01)\n" + 20 * "-", text, flags=re.M)
    log = populate_changelog_from_rst(Changelog(manifest.name), released)
    newest, _, content = next(iter(log.foreach_version()))
    assert newest in ("999.0.0", manifest.version)
    assert any(isinstance(part, BulletList) for part in content)


def test_names_agree(manifest: Package) -> None:
    assert {manifest.name, setup_answer("--name")} == {"charmie_dynamics"}
    assert (ROOT / "resource" / "charmie_dynamics").is_file()
