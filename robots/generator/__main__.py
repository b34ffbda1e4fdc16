# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Write URDF and mechanisms files: ``python -m robots.generator``."""

from __future__ import annotations

from pathlib import Path

from . import arm_6r, athena, machines, quadruped

FOLDER = Path(__file__).resolve().parents[1]
TEXTS = {
    "athena.urdf": athena.text,
    "quadruped.urdf": quadruped.text,
    "arm_6r.urdf": arm_6r.text,
    **machines.texts(),
}


def main() -> None:
    """Write the files of each robot."""
    for name, text in TEXTS.items():
        (FOLDER / name).write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
