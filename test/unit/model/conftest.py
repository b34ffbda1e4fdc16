# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the tests of mechanisms files share: the one of the crane, and what loads another."""

from __future__ import annotations

from pathlib import Path

import pytest

from charmie_dynamics import Model, load_model


@pytest.fixture(scope="module")
def text(data: Path) -> str:
    """The mechanisms file of the crane."""
    return (data / "crane.yaml").read_text(encoding="utf-8")


@pytest.fixture
def load(data: Path, tmp_path: Path):
    """Load the crane with another mechanisms file."""

    def load(mechanisms: str) -> Model:
        path = tmp_path / "loops.yaml"
        path.write_text(mechanisms, encoding="utf-8")
        return load_model(urdf=data / "crane.urdf", mechanisms=path)

    return load
