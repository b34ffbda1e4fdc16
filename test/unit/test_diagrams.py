# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The diagrams of the documentation are those of their source, and readable."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
LETTER = 0.68  # units of the width of a letter, at most


def source() -> Any:
    spec = importlib.util.spec_from_file_location("diagrams", DOCS / "diagrams.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOURCE = source()


@pytest.mark.parametrize("name", SOURCE.DIAGRAMS)
def test_picture_is_that_of_its_source(name: str) -> None:
    written = (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")
    assert written == SOURCE.drawn(SOURCE.DIAGRAMS[name])


@pytest.mark.parametrize("name", SOURCE.DIAGRAMS)
def test_texts_lie_within_their_boxes_and_boxes_apart(name: str) -> None:
    diagram = SOURCE.DIAGRAMS[name]
    for k, box in enumerate(diagram.boxes):
        lines = box.text.split("\n")
        assert LETTER * max(map(len, lines)) < box.width, box.text
        assert SOURCE.LINE / SOURCE.UNIT * len(lines) < box.height, box.text
        assert 0.0 < box.x < box.x + box.width < diagram.width
        assert 0.0 < box.y < box.y + box.height < diagram.height
        for other in diagram.boxes[:k]:
            apart_x = box.x >= other.x + other.width or other.x >= box.x + box.width
            apart_y = box.y >= other.y + other.height or other.y >= box.y + box.height
            assert apart_x or apart_y, (box.text, other.text)


def test_names_in_the_graph_are_those_of_its_table() -> None:
    table = (DOCS / "tutorials/run.md").read_text(encoding="utf-8")
    texts = [part.text for part in (*SOURCE.GRAPH.boxes, *SOURCE.GRAPH.arrows)]
    names = set(re.findall(r"/?\w+_\w+|/\w+", " ".join(texts)))
    assert len(names) > 12
    assert {name for name in names if name not in table} == set()
