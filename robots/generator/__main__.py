# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Write the URDF files: ``python -m robots.generator``."""

from __future__ import annotations

from pathlib import Path

from . import arm_6r, athena, quadruped

FOLDER = Path(__file__).resolve().parents[1]
TEXTS = {"athena": athena.text, "quadruped": quadruped.text, "arm_6r": arm_6r.text}


def main() -> None:
    """Write a file for each robot."""
    for name, text in TEXTS.items():
        (FOLDER / f"{name}.urdf").write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
