# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Each folder of the package imports what the table below allows, and nothing else."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import charmie_dynamics

PACKAGE = Path(charmie_dynamics.__file__).resolve().parent
NAME = PACKAGE.name
MESSAGES = "*_msgs"  # stands for all packages of ROS 2 messages
INTERFACES = ("rcl_interfaces", "builtin_interfaces")

NUMERICS = {"numerics.compiled_types", "numerics"}
CYCLE = {*NUMERICS, "core", "core.mechanisms", "core.inverse"}
MECHANICS = {"errors", *CYCLE, "core.equations", "core.forward", "core.contact"}
DESCRIPTION = {
    "model.description",
    "model.description.meshes",
    "model.description.mechanisms",
    "model.description.world",
}
FACADE = {"model.flat", "model.equations", "model"}
MODEL = {*MECHANICS, *DESCRIPTION, *FACADE}
LIVE = {"live", "live.wire", "live.estimation"}
SCENE = {"visual.shapes", "visual.scene.mechanisms", "visual.scene"}
PICTURES = {*SCENE, "visual.pictures"}
SIMULATION = {
    "collision",
    "simulation",
    "simulation.contact",
    "simulation.integrators",
    "simulation.worlds",
}
# folder: folders of this package that it may import besides itself, and packages of others
TABLE: dict[str, tuple[set[str], set[str]]] = {
    "": ({"errors", "numerics", "model", "lazy_names", "__version__"}, set()),
    "numerics.compiled_types": (set(), {"numba", "llvmlite"}),
    "numerics": ({"numerics.compiled_types"}, {"numpy", "numba", "llvmlite"}),
    "core": ({"numerics"}, {"numpy"}),
    "core.mechanisms": ({"numerics", "core"}, set()),
    "core.inverse": ({"numerics", "core", "core.mechanisms"}, {"numpy"}),
    "core.equations": (CYCLE, {"numpy"}),
    "core.forward": ({*CYCLE, "core.equations"}, {"numpy"}),
    "core.contact": (
        {*CYCLE, "errors", "core.equations", "core.contact.detection"},
        {"numpy"},
    ),
    "core.contact.detection": ({"numerics", "core"}, {"numpy"}),
    "core.integration": ({*CYCLE, "core.equations", "core.forward", "core.contact"}, set()),
    "model.description": (
        {"errors", "numerics"},
        {"numpy", "yaml", "jsonschema"},
    ),
    "model.description.meshes": ({"errors", "numerics", "model.description"}, {"numpy"}),
    "model.description.mechanisms": (
        {"errors", "numerics", "core", "core.mechanisms", "model.description"},
        {"numpy", "jsonschema"},
    ),
    "model.description.world": (
        {
            *("errors", "numerics", "core.contact"),
            *("model.description", "model.description.mechanisms", "model.description.meshes"),
        },
        {"numpy", "jsonschema"},
    ),
    "model.flat": ({*MECHANICS, *DESCRIPTION}, {"numpy"}),
    "model.equations": ({*MECHANICS, *DESCRIPTION, "model.flat"}, {"numpy"}),
    "model": (MODEL, {"numpy"}),
    "collision": ({*MODEL, "core.contact.detection"}, {"numpy"}),
    "control": (
        {
            *("errors", "numerics", "core.contact", "model.description.world", "model.flat"),
            *("model", "motions"),
        },
        {"numpy"},
    ),
    "kitchen": ({*MODEL, "motions", "simulation", "simulation.session"}, {"numpy"}),
    "learning": (
        {
            *("lazy_names", *MODEL, "control", "kitchen", "simulation", "simulation.session"),
            *PICTURES,
        },
        {"gymnasium", "numpy"},
    ),
    "learning.commands": (
        {"command_line", "errors", "learning", "recordings.read", "tasks", "visual.study_charts"},
        {"numpy"},
    ),
    "simulation": (
        {"collision", "simulation.contact", "simulation.integrators", "simulation.worlds"},
        set(),
    ),
    "simulation.contact": ({*MODEL, "core.contact.detection", "collision"}, {"numpy"}),
    "simulation.contact.meshes": (
        {"errors", "numerics", "core.contact.detection", "model.description.meshes"},
        {"numpy", "coal"},
    ),
    "simulation.integrators": (
        {*MODEL, "core.integration", "control", "simulation.contact"},
        {"numpy", "scipy"},
    ),
    "simulation.worlds": (
        {*MODEL, "collision", "simulation.contact", "simulation.integrators"},
        {"numpy"},
    ),
    "execution": ({*MODEL, "collision", "control", "motions", "live.wire"}, {"numpy"}),
    "simulation.session": (
        {*MODEL, "control", "execution", "motions", *LIVE, *SIMULATION},
        {"numpy"},
    ),
    "studies": (
        {
            *("lazy_names", "studies.robot_parameters", "studies.design", "studies.search"),
            *("studies.identification", "studies.excitation", "studies.sizing"),
            "studies.rollouts",
        },
        set(),
    ),
    "studies.robot_parameters": ({*MODEL, "live.estimation"}, {"numpy", "yaml"}),
    "studies.design": (
        {
            *(*MODEL, "motions", "live.estimation", "recordings.read", "recordings.compute"),
            *("simulation", "simulation.session"),
        },
        {"numpy", "jsonschema"},
    ),
    "studies.search": ({*MODEL, "studies.design", "tasks"}, {"numpy", "scipy"}),
    "tasks": ({"errors"}, {"numpy", "cloudpickle", "dask", "distributed", "tqdm"}),
    "studies.engine": (
        {*MODEL, "studies.design", "studies.search", "tasks"},
        {"numpy", "scipy", "threadpoolctl"},
    ),
    "studies.results": (
        {
            *(*MODEL, *PICTURES, "visual.study_charts"),
            *("studies.robot_parameters", "studies.design", "studies.search", "studies.engine"),
            "tasks",
        },
        {"numpy", "pyarrow", "xarray"},
    ),
    "studies.identification": (
        {
            *(*MODEL, *LIVE, *PICTURES, "visual.study_charts", "motions"),
            *("recordings.read", "recordings.compute", "recordings.write"),
            "studies.robot_parameters",
        },
        {"numpy", "scipy", "yaml"},
    ),
    "studies.excitation": (
        {*MODEL, "motions", "studies.robot_parameters", "studies.identification"},
        {"numpy", "scipy"},
    ),
    "studies.rollouts": (
        {*MODEL, "simulation", "simulation.integrators", "tasks"},
        {"numpy"},
    ),
    "studies.sizing": ({*MODEL, "studies.design"}, {"numpy", "jsonschema"}),
    "studies.commands": (
        {
            "command_line",
            *(*MODEL, *LIVE, *PICTURES, "motions", "recordings.read", "recordings.compute"),
            *("studies.design", "studies.engine", "studies.results", "studies.sizing"),
            *("studies.identification", "studies.excitation", "visual.study_charts", "tasks"),
        },
        {"numpy"},
    ),
    "conversion": ({*MODEL, "command_line"}, {"numpy", "scipy", "yaml", "mujoco"}),
    "symbolic": ({*MODEL, "lazy_names"}, {"numpy", "sympy", "symengine"}),
    "motions": (
        {"collision", "core", "errors", "lazy_names", "numerics", "model.description", "model"},
        {"numpy"},
    ),
    "live.wire": (MECHANICS, {"numpy"}),
    "live.estimation": ({*MODEL, "live.wire"}, {"numpy"}),
    "live": ({*MODEL, *LIVE}, {"numpy"}),
    "live.bridge": (MODEL, {"jsonschema"}),
    "visual": (set(), set()),
    "visual.shapes": (MODEL, {"numpy"}),
    "visual.scene.mechanisms": ({*MODEL, "visual.shapes"}, {"numpy"}),
    "visual.scene": ({*MODEL, *SCENE}, {"numpy"}),
    "visual.pictures": ({*MODEL, *SCENE}, {"numpy", "matplotlib", "PIL"}),
    "visual.study_charts": ({*MODEL, *PICTURES}, {"numpy", "matplotlib"}),
    "recordings": (
        {"lazy_names", "recordings.read", "recordings.compute", "recordings.write"},
        set(),
    ),
    "recordings.read": ({*MODEL, *LIVE}, {"numpy", "mcap", "rosbags", "zstandard"}),
    "recordings.compute": ({*MODEL, *LIVE, "recordings.read"}, {"numpy", "tqdm"}),
    "recordings.write": (
        {*MODEL, *LIVE, *PICTURES, "recordings.read", "recordings.compute"},
        {"numpy", "rosbags", "yaml"},
    ),
    "recordings.commands": (
        {
            *("command_line", *MODEL, *LIVE, *PICTURES, "tasks"),
            *("recordings.read", "recordings.compute", "recordings.write"),
        },
        {"numpy", "tqdm"},
    ),
    "ros": (set(), set()),
    "ros.process": (
        {"command_line", *MODEL, *LIVE, *SCENE},
        {"rclpy", MESSAGES},
    ),
    "ros.outputs": (
        {*MODEL, "collision", *LIVE, *SCENE, "ros.process"},
        {"numpy", "rclpy", MESSAGES},
    ),
    "ros.inputs": (
        {*MODEL, "collision", *LIVE, "live.bridge", "motions", "ros.process", "ros.outputs"},
        {"numpy", "rclpy", "rosidl_runtime_py", MESSAGES},
    ),
    "prepare": (
        {
            *(
                "command_line",
                *MODEL,
                "core.contact.detection",
                "core.integration",
                *LIVE,
                *PICTURES,
            ),
            "ros.outputs",
        },
        {"llvmlite", "numpy"},
    ),
    "ros.controller": (
        {
            *(*MODEL, *LIVE, "collision", "execution", "motions", "simulation.session"),
            *("ros.process", "ros.outputs", "ros.inputs"),
        },
        {"rclpy", MESSAGES},
    ),
    "ros.simulator": (
        {
            *(*MODEL, *LIVE, "live.bridge", "motions", "simulation", "simulation.session"),
            *("ros.process", "ros.outputs", "ros.inputs", *SCENE),
        },
        {"numpy", "rclpy", "simulation_interfaces", "std_srvs", MESSAGES},
    ),
    "ros.watch": (
        {*MODEL, "collision", *LIVE, "ros.process", "ros.outputs", "ros.inputs"},
        {"numpy", "rclpy", MESSAGES},
    ),
    "ros.nodes": (
        {
            *(*MODEL, "collision", *LIVE, "live.bridge", "motions", *SCENE),
            *("ros.process", "ros.outputs", "ros.inputs", "ros.watch", "ros.simulator"),
            *("ros.controller", "execution"),
            *("simulation", "simulation.session", "learning", "recordings.write", "prepare"),
        },
        {
            *("ament_index_python", "launch", "launch_ros", "numpy", "rclpy", "std_srvs", "yaml"),
            MESSAGES,
        },
    ),
    "view": (
        {
            *("command_line", "errors", "numerics", "model.description", "live", "live.wire"),
            *(*SCENE, "ros.process", "ros.outputs"),
        },
        {"numpy", "rclpy", "viser", "trimesh", "ament_index_python", MESSAGES},
    ),
    "demo": (
        {
            *("command_line", *MODEL, "live", "live.wire", "motions", *PICTURES),
            *("recordings.read", "recordings.compute", "recordings.write"),
        },
        {"numpy", "rclpy", "launch", "tqdm"},
    ),
}


def folder_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).parent.parts)


def modules(folder: str) -> list[Path]:
    return sorted(PACKAGE.joinpath(*folder.split(".") if folder else ()).glob("*.py"))


def statements(node: ast.AST, in_functions: bool) -> Iterator[ast.AST]:
    """Yield a node and all nodes in it, optionally without the bodies of functions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if in_functions or not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from statements(child, in_functions)


def imported(path: Path, in_functions: bool = True) -> Iterator[str]:
    """Yield the absolute names that a file imports."""
    package = [NAME, *path.parent.relative_to(PACKAGE).parts]
    for node in statements(ast.parse(path.read_text(encoding="utf-8")), in_functions):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{stem}.{alias.name}" for alias in node.names)


def own_folder(name: str) -> str:
    """Return the folder of this package that an absolute name of a module lies in."""
    parts = name.split(".")[1:]
    while parts and not PACKAGE.joinpath(*parts).is_dir():
        parts.pop()
    return ".".join(parts) or name.split(".")[1]


def test_every_folder_is_in_the_table() -> None:
    found = {folder_of(path) for path in PACKAGE.rglob("*.py")}
    assert found == set(TABLE)


def test_modules_have_no_import_cycle_not_even_for_types() -> None:
    """Imports within functions do not count: they run after both modules exist."""
    files = {".".join([NAME, *path.relative_to(PACKAGE).with_suffix("").parts]): path
             for path in PACKAGE.rglob("*.py")}  # fmt: skip
    left: dict[str, set[str]] = {}
    for module, path in files.items():
        names = set(imported(path, in_functions=False))
        targets = {name if name in files else name.rpartition(".")[0] for name in names}
        targets |= {f"{name}.__init__" for name in targets}
        left[module] = (targets & files.keys()) - {module}
    while ready := {module for module, needs in left.items() if not needs & left.keys()}:
        left = {module: needs for module, needs in left.items() if module not in ready}
    assert not left


def test_the_table_has_no_circle() -> None:
    done: set[str] = {"errors", "command_line", "lazy_names", "__version__"}
    left = {folder: needs - {folder} for folder, (needs, _) in TABLE.items()}
    while ready := {folder for folder, needs in left.items() if needs <= done}:
        done |= ready
        left = {folder: needs for folder, needs in left.items() if folder not in ready}
    assert not left


@pytest.mark.parametrize(
    ("library", "places"),
    [
        ("rclpy", ("ros", "view", "demo")),
        (MESSAGES, ("ros", "view", "demo")),
        ("rosbags", ("recordings", "demo")),
        ("mcap", ("recordings",)),
        ("matplotlib", ("visual",)),
        ("scipy", ("conversion", "simulation", "studies")),
        ("coal", ("simulation",)),
        ("sympy", ("symbolic",)),
        ("symengine", ("symbolic",)),
    ],
)
def test_the_table_keeps_a_library_in_its_places(library: str, places: tuple[str, ...]) -> None:
    found = {folder.split(".")[0] for folder, (_, others) in TABLE.items() if library in others}
    assert found and found <= set(places)


@pytest.mark.parametrize("folder", ["recordings.commands", "ros.nodes", "demo"])
def test_the_table_lets_nobody_import_what_is_started_by_people(folder: str) -> None:
    assert not [other for other, (own, _) in TABLE.items() if folder in own]


@pytest.mark.parametrize("folder", TABLE)
def test_folder_imports_only_what_the_table_allows(folder: str) -> None:
    own, others = TABLE[folder]
    for path in modules(folder):
        for name in imported(path):
            top = name.split(".")[0]
            if top == NAME:
                assert own_folder(name) in {*own, folder}, f"{path} imports {name}"
            elif top not in sys.stdlib_module_names:
                is_message = top.endswith("_msgs") or top in INTERFACES
                kind = MESSAGES if is_message else top
                assert kind in others, f"{path} imports {name}"
