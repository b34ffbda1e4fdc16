# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Generators renew their parts of a page and keep the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import loops, performance
from validation import report
from validation.equations import code_of_equations
from validation.harness import pages
from validation.harness.pages import places, renew


def test_the_report_fills_all_places_but_those_of_equations() -> None:
    sections = [report.Section(name, reason="absent") for name in report.MODULES]
    text = report.page(sections, "sources", "versions")
    assert text.count("Not run:") == len(sections)
    assert all(link in text for link in code_of_equations().values())
    assert "{{" not in text


def test_page_of_performance_has_the_text_of_its_template() -> None:
    page = (pages.DOCS / "performance.md").read_text(encoding="utf-8")
    assert renew("performance", {}) == page


OF_LOOPS = {name for name in places("performance") if name.startswith("loop_")}


def test_the_benchmark_of_loops_keeps_all_other_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    sections = {name.removeprefix("loop_"): "new" for name in OF_LOOPS - {"loop_machine"}}
    monkeypatch.setattr(loops, "measure", lambda _: ({**sections, "runs": "all runs"}, ["absent"]))
    found = loops.make(rounds=1)
    text = found.pages["performance.md"]
    assert_only_these_changed(text, OF_LOOPS)
    assert text.count("\n\nnew\n\n") == 4 and found.faults == ["absent"]
    assert "all runs" in found.details["loops.md"] and "all runs" not in text


def test_the_other_benchmarks_keep_the_tables_of_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, names in {
        performance.cycles: ("comparison", "arms", "bodies"),
        performance.equations: ("measure",),
        performance.simulation: ("measure",),
        performance.contacts: ("speed_table",),
        performance.environments: ("measure",),
    }.items():
        for name in names:
            monkeypatch.setattr(module, name, lambda *_: ("new", ["fault"]))
    for module, names in {
        performance: ("first_start_table",),
        performance.contacts: ("steps_table", "batches_table"),
        performance.heaps: ("table",),
        performance.papers: ("measure",),
        performance.node_tables: ("ratio_table",),
    }.items():
        for name in names:
            monkeypatch.setattr(module, name, lambda *_: "new")
    found = performance.make(rounds=1, missing="not measured")
    assert_only_these_changed(found.pages["performance.md"], places("performance") - OF_LOOPS)
    assert len(found.faults) == 7


def assert_only_these_changed(text: str, names: set[str]) -> None:
    """Check that the page equals the present one with other contents of some places."""
    page = (pages.DOCS / "performance.md").read_text(encoding="utf-8")
    for name in names:
        assert f"<!-- {name} -->" in page
        text, page = (
            re.sub(rf"(?s)<!-- {name} -->.*<!-- end of {name} -->", "", x) for x in (text, page)
        )
    assert text == page


def test_a_page_without_text_for_a_place_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pages, "DOCS", tmp_path)
    (tmp_path / "page.in.md").write_text("# Page\n\n{{a}}\n\n{{b}}\n", encoding="utf-8")
    (tmp_path / "page.md").write_text("# Old\n\n<!-- b -->\n\nkept\n\n<!-- end of b -->\n")
    text = renew("page", {"a": "new"})
    assert text == (
        "# Page\n\n<!-- a -->\n\nnew\n\n<!-- end of a -->\n\n"
        "<!-- b -->\n\nkept\n\n<!-- end of b -->\n"
    )
    for sections in ({"b": "new"}, {"a": "new", "c": "unknown"}):
        with pytest.raises(ValueError, match="differ"):
            renew("page", sections)
