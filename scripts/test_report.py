# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Print the parts that scripts/test ran and their results, and exit with the overall status.

The records are lines of five columns, separated by tabs: the name of the part, its versions, the
exit status or ``none``, the junit file or ``none``, the reason why it could not run.
"""

from __future__ import annotations

import argparse
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

PYTEST_NO_TESTS_COLLECTED = 5


@dataclass
class Part:
    """One part of the tests and its outcome.

    Attributes
    ----------
    name, what, result : str
        Name of the part, its versions, and its result in words.
    passed, failed, skipped : int
        Number of tests; a check without tests of its own counts as one.
    left_out : bool
        True if it could not run.
    skip_reasons : Counter of str
        How often each reason was given for a skipped test.
    """

    name: str
    what: str
    result: str = "passed"
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    left_out: bool = False
    skip_reasons: Counter[str] = field(default_factory=Counter)


def read_junit(part: Part, path: Path) -> None:
    """Count the tests of a junit file into `part`."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            part.failed += 1
        elif skipped is not None:
            part.skipped += 1
            part.skip_reasons[skipped.get("message") or "no reason given"] += 1
        else:
            part.passed += 1


def read_part(line: str) -> Part:
    """Return the part of one record."""
    name, what, status_text, junit, reason = line.split("\t")
    part = Part(name, what)
    if status_text == "none":
        part.left_out = True
        part.result = f"could not run: {reason}"
        return part
    status = int(status_text)
    if junit == "none":
        part.passed, part.failed = int(status == 0), int(status != 0)
    elif Path(junit).is_file():
        try:
            read_junit(part, Path(junit))
        except ElementTree.ParseError as error:
            part.failed += 1
            part.result = f"failed: its results cannot be read ({error})"
    if status == PYTEST_NO_TESTS_COLLECTED and junit != "none":
        part.result = "no test selected"
    elif status != 0 and part.failed == 0:
        part.failed = 1
        part.result = f"failed: ended with status {status}, no test failed"
    elif part.failed and part.result == "passed":
        part.result = "failed"
    return part


def main() -> int:
    """Print the table and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", type=Path)
    parser.add_argument("--optional", action="append", default=[], help="may be left out")
    options = parser.parse_args()
    lines = options.records.read_text(encoding="utf-8").splitlines()
    parts = [read_part(line) for line in lines]

    width = max(len(part.name) for part in parts)
    print("\n=== Summary ===")
    for part in parts:
        numbers = f"{part.passed} passed, {part.failed} failed, {part.skipped} skipped"
        print(f"{part.name:<{width}}  {part.result if part.left_out else numbers}")
        if not part.left_out:
            print(f"{'':<{width}}  {part.what}")
            if part.result not in ("passed", "failed"):
                print(f"{'':<{width}}  {part.result}")
        for reason, times in part.skip_reasons.items():
            print(f"{'':<{width}}  skipped {times}: {reason}")

    passed, failed, skipped = (
        sum(getattr(part, outcome) for part in parts) for outcome in ("passed", "failed", "skipped")
    )
    left_out = [part.name for part in parts if part.left_out and part.name not in options.optional]
    if left_out:
        print(f"Left out, so this run does not count as passed: {', '.join(left_out)}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return int(bool(failed or left_out or not passed))


if __name__ == "__main__":
    sys.exit(main())
