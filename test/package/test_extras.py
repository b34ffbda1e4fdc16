# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The wheel with each extra and nothing else: a command works, or names what it needs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ENTRIES, NEWEST, UBUNTU, make_venv, python_of_ubuntu, without_ros

# names of the commands after `pip install`
COMMANDS = [f"charmie_{name}" if prefix else name for prefix, name, _ in ENTRIES]
NODES = [
    f"charmie_{name}" if prefix else name for prefix, name, place in ENTRIES if ".entry:" in place
]
# a command line, and what it says with its extra: that an input is missing, or ROS 2
CASES = {
    "charmie_analyze": ("analysis", "no_bag", "no_bag"),
    "charmie_demo": ("demo", "", "source ROS 2 first"),
    "charmie_plot": ("pictures", "no_bag", "no_bag"),
    "charmie_render": ("pictures", "no_bag --at 1", "no_bag"),
    "charmie_identify": ("studies", "no_bag --out results", "no_bag"),
    "charmie_size": ("studies", "--motion wave --table no_table.yaml", "no_table.yaml"),
    "charmie_study": ("studies", "no_study.yaml", "no_study.yaml"),
    "charmie_export": ("mjcf", "no_robot --mjcf robot.xml", "no_robot"),
    "charmie_import": ("mjcf", "no_robot.xml --out robot", "no_robot.xml"),
    "charmie_train": ("learning", "no_task", "task 'no_task' is unknown"),
}
MODULES = {
    "meshes": "coal",
    "parquet": "pyarrow.parquet",
    "simulation": "charmie_dynamics.simulation, scipy.integrate",
    "symbolic": "charmie_dynamics.symbolic, symengine, sympy",
    "video": "imageio_ffmpeg",
    "view": "viser",
}
LOAD = """
import charmie_dynamics
model = charmie_dynamics.load_model()
state = model.compute(model.zero_position())
print(state.base_wrench[0][2] / (9.81 * model.total_mass))
"""


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "wheel", *options, "-w", str(folder), str(source)]
    done = subprocess.run(command, env=without_ros(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module", params=["newest", "Ubuntu 22.04"])
def plain(request, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel and the declared dependencies."""
    folder = tmp_path_factory.mktemp("plain") / "venv"
    if request.param == "newest":
        return make_venv(folder, [str(wheel), *NEWEST])
    python = python_of_ubuntu()
    if python is None:
        pytest.skip("Python 3.10 is not installed")
    return make_venv(folder, [str(wheel), *UBUNTU], python)


def run(python: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(python.with_name(name)), *arguments],
        cwd=python.parents[2],
        env=without_ros(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_declared_dependencies_are_enough_to_compute(plain: Path) -> None:
    done = run(plain, "python", "-c", LOAD)
    assert float(done.stdout) == pytest.approx(1.0), done.stderr


@pytest.mark.parametrize("name", CASES)
def test_without_its_extra_a_command_names_it(plain: Path, name: str) -> None:
    extra, arguments, _ = CASES[name]
    done = run(plain, name, *arguments.split())
    assert done.returncode == 2 and done.stdout == ""
    remedy = rf'needs: pip install "charmie_dynamics\[{extra}\]"'
    assert re.fullmatch(rf"{name}: \w+ is not installed; {remedy}\n", done.stderr)


@pytest.mark.parametrize("name", NODES)
def test_without_ros_a_node_says_so(plain: Path, name: str) -> None:
    done = run(plain, name)
    assert done.returncode == 2 and done.stdout == ""
    assert re.fullmatch(r"\w+: \w+ is not installed; source ROS 2 first\n", done.stderr)


def test_every_command_is_tested_or_needs_no_extra() -> None:
    assert {*COMMANDS} == {*CASES, *NODES, "charmie_evaluate", "charmie_prepare"}


@pytest.mark.parametrize("extra", sorted({case[0] for case in CASES.values()} | {*MODULES}))
def test_an_extra_is_enough_for_its_commands(extra: str, wheel: Path, tmp_path: Path) -> None:
    python = make_venv(tmp_path / "venv", [f"charmie_dynamics[{extra}] @ {wheel.as_uri()}"])
    for name, (needs, arguments, text) in CASES.items():
        if needs == extra:
            done = run(python, name, *arguments.split())
            (line,) = done.stderr.splitlines()
            assert line.startswith(f"{name}: ") and text in line
            assert done.returncode in (1, 2)
    if extra in MODULES:
        done = run(python, "python", "-c", f"import {MODULES[extra]}")
        assert done.returncode == 0, done.stderr
