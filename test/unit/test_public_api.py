# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Public names: the packages that export them, and one import path for each."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec

import pytest
from public_names import PACKAGE, imported, programs

PUBLIC = (
    PACKAGE,
    *(
        f"{PACKAGE}.{name}"
        for name in (
            *("control", "learning", "motions", "recordings", "simulation", "studies"),
            "symbolic",
        )
    ),
)
# extras without which a package cannot be imported, or some of its names
EXTRAS = {f"{PACKAGE}.recordings": "rosbags", f"{PACKAGE}.symbolic": "sympy"}
EXTRAS[f"{PACKAGE}.studies"] = "rosbags"


def exported(package: str) -> list[str]:
    """Return the names in `__all__`, without an import of what they need."""
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    with open(spec.origin, encoding="utf-8") as source:
        for node in ast.parse(source.read()).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                return list(ast.literal_eval(node.value))
    raise AssertionError(f"{package} has no __all__")


@pytest.mark.parametrize("package", PUBLIC)
def test_every_exported_name_can_be_imported(package: str) -> None:
    if package in EXTRAS:
        pytest.importorskip(EXTRAS[package])
    module = import_module(package)
    assert [name for name in exported(package) if getattr(module, name, None) is None] == []


def test_a_name_is_exported_by_one_package() -> None:
    names = [name for package in PUBLIC for name in exported(package)]
    assert sorted(names) == sorted(set(names))


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    for package in PUBLIC[:1] + tuple(p for p in PUBLIC if p.endswith(("recordings", "studies"))):
        with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
            import_module(package).no_such_name  # noqa: B018


def test_documents_and_examples_import_names_from_where_they_are_exported() -> None:
    home = {name: package for package in PUBLIC for name in exported(package)}
    assert len(list(programs())) > 10
    elsewhere = {(module, name) for module, name in imported() if home.get(name, module) != module}
    assert not elsewhere


def test_documents_and_examples_import_no_private_module_of_a_public_package() -> None:
    inner = {
        (module, name)
        for module, name in imported()
        for package in PUBLIC[1:]
        if module.startswith(f"{package}.")
    }
    assert not inner
