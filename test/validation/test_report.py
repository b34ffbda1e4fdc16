# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from charmie_dynamics import load_model
from validation.__main__ import main
from validation.check import Check
from validation.report import MODULES, Section, make_report, number, run_modules
from validation.sources import source_table

GOOD = Check("good", "a", "b", 1e-7, "m", 1e-6)
BAD = Check("bad", "a", "b", 2e-6, "m", 1e-6, "too far\n\n| x |\n| --- |", ("bad.png",))


def test_every_listed_module_is_in_the_folder() -> None:
    folder = Path(__file__).resolve().parents[2] / "validation"
    assert [name for name in MODULES if not (folder / f"{name}.py").is_file()] == []


def test_a_missing_program_is_named_and_counts_as_failure() -> None:
    (section,) = run_modules(["module_that_is_not_there"], Path("unused"))
    assert not section.holds
    assert "Not run: the Python module `validation.module_that_is_not_there`" in make_report(
        [section]
    )


def test_a_check_that_does_not_hold_stands_out() -> None:
    section = Section("sanity", (GOOD, BAD))
    assert not section.holds
    report = make_report([section])
    assert "| good | a | b | 1e-07 m | 1e-06 | yes |  |" in report
    assert "| bad | a | b | 2e-06 m | 1e-06 | **no** |  |" in report
    assert "**bad.** too far\n\n| x |" in report
    assert "![bad](images/bad.png)" in report
    assert f"| {MODULES['sanity']} | 2 | 1 |" in report


def test_a_difference_that_is_no_number_does_not_hold() -> None:
    assert not Section("sanity", (Check("nan", "a", "b", math.nan, "m", 1.0),)).holds


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "< 1e-12"),
        (3.2e-14, "< 1e-12"),
        (3.2e-11, "< 1e-10"),
        (3.21e-8, "3.2e-08"),
        (0.0123, "0.012"),
        (1.04567, "1.05"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_numbers_hide_round_off_only(value: float, shown: str) -> None:
    assert number(value) == shown


def test_running_twice_gives_the_same_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = []
    for _ in range(2):
        assert main(["--only", "paper_motions", "--output", str(tmp_path)]) == 0
        reports.append(capsys.readouterr().out)
    assert reports[0] == reports[1]
    linked = re.findall(r"\]\(images/([a-z0-9_]+\.png)\)", reports[0])
    assert sorted(linked) == sorted(path.name for path in (tmp_path / "images").iterdir())


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "paper_motion"])
    assert "paper_motions" in capsys.readouterr().err


def test_the_table_of_sources_tells_published_from_estimated() -> None:
    table = source_table(load_model())
    for line in (
        "| types, axes and origins of the joints | published (27 of 27 bodies) |",
        "| tool point `left_tool` | published |",
        "| tool point `right_tool` | estimated |",
        "| pins of `torso_actuator` | published |",
        "| all of `torso_spring` | estimated |",
        "| limits of position, effort and velocity | estimated |",
    ):
        assert line in table
