# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""`pip install .` into a fresh environment gives a package that works anywhere, without ROS 2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import without_ros

LOAD = """
import json, numpy, charmie_dynamics
model = charmie_dynamics.load_model()
state = model.compute(model.zero_position())
print(json.dumps({
    "file": charmie_dynamics.__file__,
    "actuators": list(model.actuator_names),
    "finite": bool(numpy.isfinite(state.actuator_effort).all()),
    "weight": float(state.base_wrench[0][2]),
    "mass": model.total_mass,
}))
"""


@pytest.fixture(scope="module")
def installed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment, on top of this one, with the package installed."""
    folder = tmp_path_factory.mktemp("pip") / "venv"
    run(sys.executable, "-m", "venv", "--system-site-packages", str(folder))
    python = folder / "bin" / "python"
    # the environment that runs the tests has what the package needs: nothing is downloaded
    (outer,) = Path(sys.prefix).glob("lib/python*/site-packages") if in_venv() else [None]
    if outer is not None:
        (inner,) = folder.glob("lib/python*/site-packages")
        (inner / "outer.pth").write_text(f"{outer}\n")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    run(str(python), "-m", "pip", "install", "--quiet", *options, str(source))
    return python


def in_venv() -> bool:
    return sys.prefix != sys.base_prefix


def run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        command, env=without_ros(), cwd=cwd, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def loaded(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What the installed package says in an empty folder."""
    return json.loads(run(str(installed), "-c", LOAD, cwd=tmp_path_factory.mktemp("empty")))


def test_the_installed_package_is_the_one_that_is_imported(loaded: dict, installed: Path) -> None:
    assert str(installed.parents[1]) in loaded["file"]


def test_load_model_finds_the_installed_files(loaded: dict) -> None:
    assert len(loaded["actuators"]) == 21


def test_the_installed_package_computes(loaded: dict) -> None:
    assert loaded["finite"]
    assert loaded["weight"] == pytest.approx(9.81 * loaded["mass"])


@pytest.mark.parametrize(
    "name",
    [
        *("urdf/charmie.urdf", "robots/scara.urdf", "robots/athena.urdf"),
        *("worlds/charmie_wheeled.yaml", "worlds/athena.yaml", "studies/balancing.yaml"),
        *("robots/quadruped_mechanisms.yaml", "robots/arm_6r_mechanisms.yaml"),
        *("config/charmie_mechanisms.yaml", "config/charmie.rviz"),
        *("launch/charmie.launch.py", "launch/demo.launch.py", "package.xml"),
    ],
)
def test_data_files_are_installed(installed: Path, name: str) -> None:
    assert (installed.parents[1] / "share" / "charmie_dynamics" / name).is_file()


def test_the_commands_carry_the_name_of_the_package(installed: Path) -> None:
    code = (
        "from importlib.metadata import distribution as d; "
        "print(*(p.name for p in d('charmie_dynamics').entry_points))"
    )
    names = run(str(installed), "-c", code).split()
    assert {"charmie_analyze", "charmie_dynamics_node", "charmie_recorder"} <= set(names)
    assert [name for name in names if not name.startswith("charmie_")] == []
    assert [name for name in names if not (installed.parent / name).is_file()] == []


@pytest.mark.parametrize(
    "module",
    [
        "charmie_dynamics",
        "charmie_dynamics.core",
        "charmie_dynamics.model",
        "charmie_dynamics.live",
        "charmie_dynamics.visual.scene",
    ],
)
def test_layers_below_ros_are_imported_without_ros(installed: Path, module: str) -> None:
    found = run(
        str(installed),
        "-c",
        f"import sys, {module}; print([m for m in sys.modules if m.split('.')[0] == 'rclpy'])",
    )
    assert found.strip() == "[]"
