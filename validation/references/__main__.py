# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Write test/reference/problems.json anew: ``python -m validation.references [NAME ...]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .solutions import SOLUTIONS

FILE = Path(__file__).resolve().parents[2] / "test" / "reference" / "problems.json"


def main(names: list[str]) -> None:
    """Solve the problems that are named, or all, and keep the others of the file."""
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    for name in names or SOLUTIONS:
        print(f"references: {name} ...", file=sys.stderr, flush=True)
        kept[name] = SOLUTIONS[name]()
    lines = ",\n".join(f'"{name}": {json.dumps(kept[name])}' for name in SOLUTIONS if name in kept)
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
