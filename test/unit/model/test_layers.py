"""Imports run one way: ros -> signals, scene -> model -> core."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import charmie_dynamics

PACKAGE = Path(charmie_dynamics.__file__).resolve().parent
NAME = PACKAGE.name
ROS = {"rclpy", "launch", "launch_ros", "tf2_ros", "ament_index_python", "rosbags", "rosbag2_py"}
MESSAGES = ("_msgs", "_interfaces", "_srvs")
# folder: what it may import of this package, and of others
LAYERS = {
    "core": ({"core"}, {"numpy", "numba", "llvmlite"}),
    "model": ({"core", "model"}, {"numpy", "yaml", "jsonschema", "urdf_parser_py"}),
    "signals": ({"core", "model", "signals"}, {"numpy"}),
    "scene": ({"core", "model", "scene"}, {"numpy"}),
    "bridge": ({"core", "model", "bridge"}, {"jsonschema"}),
}


def modules(layer: str) -> list[Path]:
    return sorted((PACKAGE / layer).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """Yield the absolute names of all modules that a file imports, wherever in it."""
    package = [NAME, *path.parent.relative_to(PACKAGE).parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{stem}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_has_modules(layer: str) -> None:
    assert len(modules(layer)) >= 3


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_imports_only_layers_below_it(layer: str) -> None:
    allowed, _ = LAYERS[layer]
    for path in modules(layer):
        for name in imported(path):
            parts = name.split(".")
            if parts[0] == NAME:
                assert parts[1] in allowed, f"{path} imports {name}"


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_imports_no_other_packages_than_it_needs(layer: str) -> None:
    _, allowed = LAYERS[layer]
    for path in modules(layer):
        for name in imported(path):
            top = name.split(".")[0]
            if top != NAME and top not in sys.stdlib_module_names:
                assert top in allowed, f"{path} imports {name}"


@pytest.mark.parametrize("layer", [*LAYERS, "pictures"])
def test_layer_knows_no_ros(layer: str) -> None:
    for path in modules(layer):
        for name in imported(path):
            top = name.split(".")[0]
            assert top not in ROS and not top.endswith(MESSAGES), f"{path} imports {name}"
            assert not name.startswith(f"{NAME}.ros"), f"{path} imports {name}"


def test_package_itself_loads_no_ros() -> None:
    names = set(imported(PACKAGE / "__init__.py"))
    others = {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}
    assert others and all(name.startswith(f"{NAME}.model.") for name in others)


def test_core_has_no_sight_of_charmie() -> None:
    # the robot is data: no name of its bodies stands in the code below the facade
    bodies = {"lower_body", "upper_body", "lift_joint", "torso_joint", "lift_actuator"}
    for layer in ("core", "model", "scene"):
        for path in modules(layer):
            text = path.read_text(encoding="utf-8")
            assert not [name for name in bodies if name in text], path
