# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The mechanics know no name of CHARMIE: README promises that the robot is data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import charmie_dynamics
from charmie_dynamics import Model, load_model

PACKAGE = Path(charmie_dynamics.__file__).resolve().parent
MECHANICS = (
    "numerics",
    "core",
    "model",
    "symbolic",
    "control",
    "simulation",
    "studies",
    "visual/scene",
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def names_of(model: Model) -> set[str]:
    """Return the names of a robot that no other robot has by chance: those of several words."""
    flat = model.flat
    names = {*flat.frame_names, *flat.joint_names, *model.actuator_names, *flat.spring_names}
    return {name for name in names if "_" in name} - {"base_link", "base_footprint"}


def texts(path: Path) -> Iterator[str]:
    """Yield all texts of a module but its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, DOCUMENTED) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in documents:
                yield node.value


def test_no_name_of_charmie_is_in_the_mechanics() -> None:
    names = names_of(load_model())
    assert len(names) > 50
    found = {
        f"{path.relative_to(PACKAGE)}: {word}"
        for folder in MECHANICS
        for path in (PACKAGE / folder).rglob("*.py")
        for text in texts(path)
        for word in re.findall(r"\w+", text)
        if word in names
    }
    assert not found
