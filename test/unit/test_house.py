# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rules of the code structure besides those on imports: unique names, lists of modules.

That the name of a topic stands once is tested with the table of outputs.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import charmie_dynamics
from charmie_dynamics.live.settings import LiveSettings

PACKAGE = Path(charmie_dynamics.__file__).resolve().parent
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted({path.parent for path in MODULES} - {PACKAGE})
LICENCE = (
    "SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers",
    "SPDX-License-Identifier: Apache-2.0",
)
HEAD = 6  # lines in which it stands: after what a system or a parser wants to read first
# files whose comments begin with a hash, and those of XML
SOURCES = {".py", ".sh", ".yaml", ".yml", ".rviz", ".toml", ".cfg", ".cff", ".txt", ".xml", ".urdf"}
# reference data, documents, and what examples print
DATA = {ROOT / "test" / "reference", ROOT / "docs", ROOT / "examples" / "output"}
# the only files that may use names which libraries keep for themselves, each with its reason
PRIVATE = {
    "numerics/numba_private.py": "numba: parts of kernels, and the cache of compiled code",
    "symbolic/code.py": "SymPy: what a printer prints for each kind of expression",
    "ros/process/executors.py": "rclpy: the base class of an executor for Humble",
    "ros/process/wait_sets.py": "rclpy: kinds of callbacks, and wait sets that are kept",
    "ros/process/declaring.py": "rclpy: overrides that a node was given",
    "ros/inputs/message_types.py": "rosidl: whether the support of a type is loaded",
}
# private names that are public by their documentation, or this package's own
KNOWN = {"_replace", "_fields", "_exit", "_asdict", "_make", "_array", "_named", "_row"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def sources() -> Iterator[Path]:
    """Yield the source files under version control; outside of git those of the package."""
    command = ["git", "-C", str(ROOT), "ls-files"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        yield from MODULES
        return
    for path in (ROOT / name for name in listed.splitlines()):
        if path.is_file() and not DATA & set(path.parents):
            is_script = not path.suffix and path.read_bytes()[:2] == b"#!"
            if is_script or path.suffix in SOURCES:
                yield path


def named(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in ast.walk(parsed(path)) if isinstance(node, FUNCTIONS))


def test_each_source_file_names_its_licence_and_whose_it_is() -> None:
    without = []
    for path in sources():
        head = "\n".join(path.read_text(encoding="utf-8").splitlines()[:HEAD])
        if not all(line in head for line in LICENCE):
            without.append(str(path.relative_to(ROOT)))
    assert not without


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_a_folder_lists_its_modules_in_reading_order(folder: Path) -> None:
    text = ast.get_docstring(parsed(folder / "__init__.py")) or ""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert not {name for name in modules | folders if f"``{name}``" not in text}


def test_a_public_class_name_stands_once() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(named(path))
    assert not {name: found for name, found in places.items() if len(found) > 1}


def defaults(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names and default values of fields and parameters."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value
        elif isinstance(node, FUNCTIONS):
            a = node.args
            given = [*a.posonlyargs, *a.args]
            last = given[len(given) - len(a.defaults) :]
            pairs = [*zip(last, a.defaults, strict=True)]
            pairs += [*zip(a.kwonlyargs, a.kw_defaults, strict=True)]
            yield from ((p.arg, value) for p, value in pairs if value is not None)


def test_a_default_of_the_settings_stands_once() -> None:
    numbers = {name for name in LiveSettings.__dataclass_fields__ if name.count("_")}
    numbers -= {"compute_dynamics", "frame_prefix"}
    found = {
        named(path): own
        for path in MODULES
        if (own := {n for n, v in defaults(path) if isinstance(v, ast.Constant)} & numbers)
    }
    assert set(found) == {"live/settings.py"}, found


def is_set(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)


# what the classes of this package call their own
OWN = {node.attr for path in MODULES for node in ast.walk(parsed(path)) if is_set(node)}
OWN |= {function.name for path in MODULES for function in functions(path)}


def private_names(path: Path) -> Iterator[str]:
    """Yield private names of other objects than a method's own, also those of base classes."""
    tree = parsed(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match(r"_[a-zA-Z]", node.attr):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if node.attr not in (OWN if is_own else KNOWN):
                yield node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            name = node.args[1]
            if isinstance(name, ast.Constant) and re.match(r"_[a-z]", str(name.value)):
                yield str(name.value)


def test_private_names_of_libraries_are_used_where_it_is_said() -> None:
    found = {named(path): names for path in MODULES if (names := set(private_names(path)))}
    assert set(found) == set(PRIVATE), found


def test_type_checkers_see_which_names_a_package_does_not_have() -> None:
    """With a ``__getattr__`` of a module they take any name for one of it."""
    for path in MODULES:
        targets = [t for n in parsed(path).body if isinstance(n, ast.Assign) for t in n.targets]
        assert "__getattr__" not in map(ast.unparse, targets), path


def test_source_files_contain_no_timings() -> None:
    timing = re.compile(r"\d (?:us|microseconds?)\b")
    assert not [path for path in MODULES if timing.search(path.read_text(encoding="utf-8"))]
