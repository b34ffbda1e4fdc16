# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The citation file agrees with the package."""

from __future__ import annotations

from pathlib import Path

import yaml

import charmie_dynamics

ROOT = Path(__file__).resolve().parents[2]


def test_the_citation_has_the_version_and_the_papers() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == charmie_dynamics.__version__
    assert citation["license"] == "Apache-2.0"
    dois = {"10.1007/s11044-023-09933-5", "10.3390/robotics11010015"}
    assert {reference["doi"] for reference in citation["references"]} == dois
