# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the unit tests share: the robots, the reference data, repeatable random cases."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from charmie_dynamics import Model, load_model

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of the reference data."""
    return REPOSITORY / "test" / "reference"


@pytest.fixture(scope="session")
def charmie() -> Model:
    return load_model()


@pytest.fixture(scope="session")
def lar() -> Model:
    return load_model("charmie_lar")


@pytest.fixture(scope="session")
def scara() -> Model:
    return load_model("scara")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the crane, a robot with everything that CHARMIE has not: skew axes, a loop
    that is not planar, pins on brackets, chains of mimics, tilted gravity, uneven shares."""
    return HERE / "model" / "data"


@pytest.fixture(scope="session")
def crane(data: Path) -> Model:
    return load_model(urdf=data / "crane.urdf", mechanisms=data / "crane.yaml")


@pytest.fixture
def run_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[dict[str, Any], str]]:
    """A function that runs an example with arguments; returns its variables and what it prints."""

    def run(name: str, *arguments: str) -> tuple[dict[str, Any], str]:
        path = str(REPOSITORY / "examples" / name)
        monkeypatch.setattr(sys, "argv", [path, *arguments])
        variables = runpy.run_path(path, run_name="__main__")
        return variables, capsys.readouterr().out

    return run
