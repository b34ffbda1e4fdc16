# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""``python -m fuzz NAME SECONDS``: prepares the corpus, runs the harness, tells what it did."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import time
from pathlib import Path

from . import seeds

OUTPUT = Path(__file__).resolve().parents[1] / "build" / "fuzz"
LONGEST_INPUT = {  # bytes
    "urdf": 40_000, "mechanisms": 10_000, "messages": 8_000, "world": 4_000, "study": 4_000,
    "drives": 4_000,
}  # fmt: skip
MOST_MEMORY = 1024  # MiB
STATISTIC = re.compile(r"^stat::(\w+): +(\d+)$", re.MULTILINE)
COVERAGE = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)")


def write_corpus(name: str, folder: Path) -> None:
    """Write the seeds beside what earlier runs have found."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds.seeds(name):
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def run(name: str, seconds: int, folder: Path) -> int:
    """Run a harness; return its exit status."""
    (folder / "found").mkdir(parents=True, exist_ok=True)
    options = (
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST_INPUT[name]}",
        f"-rss_limit_mb={MOST_MEMORY}",
        "-timeout=20",
        "-len_control=0",
        "-print_final_stats=1",
        f"-artifact_prefix={folder / 'found'}/",
        str(folder / "corpus"),
    )
    with (folder / "log").open("wb") as log:
        return subprocess.run(
            [sys.executable, "-m", "fuzz.harness", name, *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        ).returncode


def main() -> int:
    """Run one harness; return 1 if it found something."""
    name, seconds = sys.argv[1], int(sys.argv[2])
    folder = OUTPUT / name
    write_corpus(name, folder / "corpus")
    start = time.monotonic()
    status = run(name, seconds, folder)
    text = (folder / "log").read_text(encoding="utf-8", errors="replace")
    statistics = dict(STATISTIC.findall(text))
    covered = COVERAGE.findall(text)
    edges, features, corpus = covered[-1] if covered else ("?", "?", "?")
    print(
        f"{name}: {time.monotonic() - start:.0f} s, "
        f"{statistics.get('number_of_executed_units', '?')} inputs, coverage {edges} edges and "
        f"{features} features, corpus of {corpus}, slowest input "
        f"{statistics.get('slowest_unit_time_sec', '?')} s, memory up to "
        f"{statistics.get('peak_rss_mb', '?')} MiB: "
        f"{'nothing found' if status == 0 else 'FOUND SOMETHING'}"
    )
    if status != 0:
        print(text[-4000:], file=sys.stderr)
    return int(status != 0)


if __name__ == "__main__":
    sys.exit(main())
