# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import charmie_dynamics
from charmie_dynamics import ModelFileError, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.description.package_robots import (
    PACKAGE_ROBOTS,
    PACKAGE_STUDIES,
    PACKAGE_WORLDS,
)
from charmie_dynamics.model.model import DEFAULT_MECHANISMS, DEFAULT_URDF

SHARED = [DEFAULT_URDF, DEFAULT_MECHANISMS, PACKAGE_ROBOTS["scara"].urdf]
LOAD = "import charmie_dynamics as c; print(c.__file__); print(len(c.load_model().actuator_names))"


@pytest.mark.parametrize("parts", SHARED)
def test_files_of_the_package_are_found(parts: tuple[str, str], repository: Path) -> None:
    found = share_file(*parts)
    assert found.read_bytes() == repository.joinpath(*parts).read_bytes()


@pytest.fixture
def install(tmp_path: Path) -> Path:
    """A prefix as pip or colcon fills it, without the shared files."""
    package = tmp_path / "lib" / "python3" / "site-packages" / "charmie_dynamics"
    source = Path(charmie_dynamics.__file__).parent
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__", "*.nb[ci]"))
    return tmp_path


@pytest.fixture
def run(install: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Run Python code on the installed package, far from the source tree."""

    def run(code: str) -> subprocess.CompletedProcess[str]:
        path = [str(install / "lib/python3/site-packages"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=install,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def test_installed_package_finds_its_files_under_its_prefix(
    install: Path, run: Callable[[str], subprocess.CompletedProcess[str]], repository: Path
) -> None:
    for parts in SHARED:
        target = install.joinpath("share", "charmie_dynamics", *parts)
        target.parent.mkdir(parents=True)
        shutil.copy(repository.joinpath(*parts), target)
    result = run(LOAD)
    assert result.returncode == 0, result.stderr
    where, count = result.stdout.split()
    assert Path(where).is_relative_to(install)
    assert count == "21"


def test_incomplete_installation_is_reported(
    run: Callable[[str], subprocess.CompletedProcess[str]],
) -> None:
    result = run(LOAD)
    assert result.returncode != 0
    last = result.stderr.strip().splitlines()[-1]
    for words in ("ModelFileError", "urdf/charmie.urdf", "share/charmie_dynamics", "complete"):
        assert words in last


def test_a_misspelt_robot_of_the_package_is_named() -> None:
    with pytest.raises(ModelFileError, match=r"robot 'athea' is unknown; did you mean 'athena'\?"):
        load_model("athea")


def test_a_path_that_does_not_exist_is_no_name_of_a_robot() -> None:
    for path in ("athea.urdf", "./athea"):
        with pytest.raises(ModelFileError, match="cannot be read"):
            load_model(path)


def test_all_robots_worlds_and_studies_in_the_folders_have_names(repository: Path) -> None:
    robots = {
        (folder, path.name)
        for folder in ("robots", "urdf")
        for path in repository.glob(f"{folder}/*.urdf")
    }
    assert robots == {robot.urdf for robot in PACKAGE_ROBOTS.values()}
    for folder, names in (("worlds", PACKAGE_WORLDS), ("studies", PACKAGE_STUDIES)):
        assert sorted(path.stem for path in repository.glob(f"{folder}/*.yaml")) == sorted(names)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("charmie", "degrees of freedom 21, actuators 21, bodies 32, loops 4, base 'base'"),
        ("four_bar", "coordinates 3, actuators 1, bodies 4, loops 1, base 'ground'"),
        ("athena", "degrees of freedom 24, actuators 18, bodies 26, loops 0, base 'base_link'"),
    ],
)
def test_the_representation_of_a_model_counts_its_parts(name: str, expected: str) -> None:
    assert repr(load_model(name)) == f"<Model '{name}': {expected}>"
