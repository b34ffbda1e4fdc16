# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A copy of the repository's own files, and clean environments for tools that are run on it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROS_VARIABLES = (
    *("PYTHONPATH", "LD_LIBRARY_PATH", "AMENT_PREFIX_PATH", "COLCON_PREFIX_PATH"),
    *("ROS_DISTRO", "ROS_VERSION", "ROS_PYTHON_VERSION", "CMAKE_PREFIX_PATH"),
)
GENERATED = ("build", "install", "log", "*.egg-info", "__pycache__", ".*_cache", ".venv*", ".git")


def own_files() -> list[str] | None:
    """Return the files under version control or on their way there; None outside of git."""
    if shutil.which("git") is None:
        return None
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else None


def copy_source(target: Path) -> Path:
    """Copy the sources of the package to a folder."""
    files = own_files()
    if files is None:
        shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*GENERATED, "demo_output"))
        return target
    for name in files:
        source = ROOT / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)
    return target


def without_ros(**extra: str) -> dict[str, str]:
    """Return the environment of a user who has no ROS 2."""
    environment = {key: value for key, value in os.environ.items() if key not in ROS_VARIABLES}
    return {**environment, **extra}


def without_source(**extra: str) -> dict[str, str]:
    """Return the environment with ROS 2, but without the source tree on the path."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = [path for path in paths if path and Path(path).resolve() != ROOT]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(kept), **extra}


# rosdep keys: the package on PyPI, and its version on Ubuntu 22.04
PYTHON_PACKAGES = {
    "python3-jsonschema": ("jsonschema", "3.2.0"),
    "python3-numba": ("numba", "0.55.1"),
    "python3-numpy": ("numpy", "1.21.5"),
    "python3-yaml": ("PyYAML", "5.4.1"),
}
NEWEST = [name for name, _ in PYTHON_PACKAGES.values()]
# numba 0.55 imports pkg_resources, which Ubuntu installs with it
UBUNTU = [*("==".join(package) for package in PYTHON_PACKAGES.values()), "setuptools<80"]
SETUP = (ROOT / "setup.py").read_text(encoding="utf-8")
# name and place of each command, without a prefix
ENTRIES = re.findall(r'"(\{PREFIX\})?(\w+) = ([\w.:]+)"', SETUP)


def make_venv(folder: Path, packages: Sequence[str], python: str = sys.executable) -> Path:
    """Make a virtual environment with packages from PyPI; return its interpreter."""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert uv is not None, "uv is not installed"
    result = folder / "bin" / "python"
    # PyYAML 5.4 is built, which needs an old Cython
    constraints = folder.with_suffix(".txt")
    constraints.write_text("cython<3\n")
    install = ("pip", "install", "--quiet", "--build-constraints", str(constraints))
    for command in (
        ["venv", "--quiet", "--python", python, str(folder)],
        [*install, "--python", str(result), *packages],
    ):
        done = subprocess.run(
            [uv, *command], env=without_ros(), capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return result


def python_of_ubuntu() -> str | None:
    """Return an interpreter of Python 3.10; each candidate is started, since a shim may refuse."""
    own = [shutil.which("python3.10"), shutil.which("python3")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for candidate in [*own, *map(str, pyenv.glob("versions/3.10.*/bin/python3.10"))]:
        command = [candidate or "", "-c", "import sys; print(sys.version_info[:2] == (3, 10))"]
        if candidate and subprocess.run(command, capture_output=True).stdout == b"True\n":
            return candidate
    return None


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, from which nothing leads back to the repository."""
    return copy_source(tmp_path_factory.mktemp("source") / "charmie_dynamics")
