# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Public classes and functions have a section Examples; all examples print what they show."""

from __future__ import annotations

from pathlib import Path

import pytest
from public_names import Documented, documented, run_examples


@pytest.mark.parametrize("item", documented(of_recordings=False), ids=lambda item: item.name)
def test_the_examples_of_a_docstring_hold(
    item: Documented, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    run_examples(item)
