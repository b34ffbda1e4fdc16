# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from charmie_dynamics import Model


@pytest.fixture(scope="session")
def bag(charmie: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of CHARMIE without the topic `stability`."""
    from recordings import write_recording

    return write_recording(tmp_path_factory.mktemp("recording") / "bag", charmie)
