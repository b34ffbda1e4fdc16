# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The examples: what each shows, and its code."""

from __future__ import annotations

import ast

from .document import REFERENCE

EXAMPLES = REFERENCE.parents[1] / "examples"


def listed() -> str:
    """Return a passage for each example; the site shows the code, GitHub has the link."""
    return "\n\n".join(
        f"## {path.name}\n\n{_first_line(path.read_text(encoding='utf-8'))}\n"
        f"([examples/{path.name}](../../examples/{path.name}))\n\n"
        f"```{{literalinclude}} ../../examples/{path.name}\n:language: python\n```"
        for path in sorted(EXAMPLES.glob("*.py"))
    )


def _first_line(source: str) -> str:
    text = ast.get_docstring(ast.parse(source)) or ""
    return text.partition("\n")[0]
