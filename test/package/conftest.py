# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A copy of the repository's own files, and clean environments for tools that are run on it."""

from __future__ import annotations

import os
import shutil
import subprocess
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


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, from which nothing leads back to the repository."""
    return copy_source(tmp_path_factory.mktemp("source") / "charmie_dynamics")
