# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every command of the package parses its options first and never shows a traceback."""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from charmie_dynamics import __version__
from charmie_dynamics.command_line import EXTRAS, REQUIRED, advice, run_program
from charmie_dynamics.demo import run as demo
from charmie_dynamics.model.description.package_robots import PACKAGE_STUDIES
from charmie_dynamics.motions import MOTION_NAMES
from charmie_dynamics.motions.named import _MAKERS
from charmie_dynamics.prepare import command as prepare
from charmie_dynamics.prepare.tasks import TASKS
from charmie_dynamics.recordings.commands import options, plot_options, render_options
from charmie_dynamics.recordings.compute.analysis import METHODS
from charmie_dynamics.recordings.write.bag_writer import PLUGINS
from charmie_dynamics.studies import ExcitationSettings
from charmie_dynamics.studies.commands import identify_options, size_options, study_options
from charmie_dynamics.studies.identification.identify import PARTS, PERIOD
from charmie_dynamics.studies.identification.samples import CUTOFFS
from charmie_dynamics.studies.sizing.drive_table import SMALLEST_BY
from charmie_dynamics.visual.pictures.chart import FORMATS
from charmie_dynamics.visual.pictures.robot import ELEVATION, FRONT_LEFT
from charmie_dynamics.visual.pictures.themes import THEMES
from charmie_dynamics.visual.scene import Style

ROOT = Path(__file__).resolve().parents[2]
SETUP = (ROOT / "setup.py").read_text(encoding="utf-8")
# name, module and function of each entry point
ENTRIES = re.findall(r'"(?:\{PREFIX\})?(\w+) = ([\w.]+):(\w+)"', SETUP)
NAMES = [name for name, *_ in ENTRIES]
NODES = [name for name, module, _ in ENTRIES if module.endswith(".entry")]
# modules of distributions with another name
IMPORTED = {"pillow": "PIL", "pyyaml": "yaml", "salib": "SALib"}
EXTRA_OF = {
    "charmie_demo": "demo",
    "charmie_analyze": "analysis",
    "charmie_plot": "pictures",
    "charmie_render": "pictures",
    "charmie_identify": "studies",
    "charmie_size": "studies",
    "charmie_export": "mjcf",
    "charmie_import": "mjcf",
    "charmie_study": "studies",
    "charmie_train": "learning",
}


def run(name: str, *arguments: str, without: tuple[str, ...] = ()) -> Any:
    """Run a command without some modules; if none are named, without all third-party modules."""
    ((module, function),) = [(m, f) for n, m, f in ENTRIES if n == name]
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        f"sys.modules.update(dict.fromkeys({without}))\n"
        f"from {module} import {function}\n"
        f"sys.argv = {[name, *arguments]}\n"
        f"sys.exit({function}())"
    )
    isolated = () if without else ("-I", "-S")
    command = [sys.executable, *isolated, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def example_of(name: str) -> list[str]:
    """Return the options in the example of a command's help."""
    words = shlex.split(run(name, "--help").stdout.splitlines()[-1])
    return words[words.index(name) + 1 :]


def test_there_are_commands_and_nodes() -> None:
    assert {"charmie_analyze", "charmie_demo", "charmie_prepare"} <= set(NAMES) - set(NODES)
    assert {"dynamics_node", "charmie_view"} <= set(NODES)


@pytest.mark.parametrize("name", NAMES)
def test_help_and_version_need_the_standard_library_only(name: str) -> None:
    """So neither waits for numba, which takes most of a second to import."""
    assert run(name, "--version").stdout == f"{name} {__version__}\n"
    done = run(name, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines()[-2] == "example:"


@pytest.mark.parametrize("name", NAMES)
def test_options_are_checked_before_anything_is_imported(name: str) -> None:
    done = run(name, "--no-such-option")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"{name}: error: ")


@pytest.mark.parametrize("name", NAMES)
def test_without_third_party_modules_the_example_ends_with_one_line(name: str) -> None:
    done = run(name, *example_of(name))
    assert done.returncode == 2 and done.stdout == ""
    remedy = "source ROS 2 first|needs: pip install charmie_dynamics"
    assert re.fullmatch(f"{name}: \\w+ is not installed; ({remedy})\n", done.stderr)


@pytest.mark.parametrize(("name", "extra"), EXTRA_OF.items())
def test_a_command_names_the_extra_that_it_needs(name: str, extra: str) -> None:
    done = run(name, *example_of(name), without=EXTRAS[extra])
    assert done.returncode == 2 and done.stdout == ""
    remedy = re.escape(f'needs: pip install "charmie_dynamics[{extra}]"')
    assert re.fullmatch(f"{name}: \\w+ is not installed; {remedy}\n", done.stderr)


def test_plots_of_a_command_without_matplotlib_need_the_extra_of_pictures() -> None:
    text = advice(ModuleNotFoundError(name="matplotlib"), "analysis")
    assert text.endswith('"charmie_dynamics[pictures]"')


@pytest.mark.parametrize("name", [*NODES, "charmie_demo"])
def test_what_needs_ros_says_so_without_it(name: str) -> None:
    ros = ("rclpy", "rcl_interfaces", "std_msgs", "sensor_msgs", "diagnostic_msgs")
    done = run(name, *example_of(name), without=ros)
    assert done.returncode == 2 and done.stdout == ""
    assert re.fullmatch(f"{name}: \\w+ is not installed; source ROS 2 first\n", done.stderr)


def test_an_unexpected_error_leaves_its_traceback_in_a_file(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # a module without a function `run`
    assert run_program("charmie_plot", "json", argparse.Namespace()) == 1
    (line,) = capsys.readouterr().err.splitlines()
    (log,) = tmp_path.iterdir()
    assert line.startswith("charmie_plot: internal error, AttributeError: ")
    assert line.endswith(f"; report it with {log}")
    assert log.read_text().startswith("Traceback")


def test_an_interrupt_of_a_program_has_the_status_of_shells(monkeypatch) -> None:
    def run(_: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "interrupted", SimpleNamespace(run=run))
    assert run_program("charmie_plot", "interrupted", argparse.Namespace()) == 130


@pytest.mark.parametrize(("given", "expected"), [(None, "1"), ("3", "3")])
def test_openblas_has_one_thread_unless_the_user_says_otherwise(
    given: str | None, expected: str, monkeypatch
) -> None:
    name, threads = "OPENBLAS_NUM_THREADS", []
    monkeypatch.setenv(name, "")  # restored afterwards
    if given is None:
        monkeypatch.delenv(name)
    else:
        monkeypatch.setenv(name, given)
    program = SimpleNamespace(run=lambda _: threads.append(os.environ[name]) or 0)
    monkeypatch.setitem(sys.modules, "program", program)
    assert run_program("charmie_plot", "program", argparse.Namespace()) == 0
    assert threads == [expected]


def installed_by(requirements: list[str]) -> set[str]:
    names = [re.split("[<>=]", text)[0].lower().replace("-", "_") for text in requirements]
    return {IMPORTED.get(name, name) for name in names}


def test_the_modules_of_the_extras_are_those_of_setup_py() -> None:
    (call,) = [
        node
        for node in ast.walk(ast.parse(SETUP))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "setup"
    ]
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    extras = eval(ast.unparse(given["extras_require"]))
    del extras["test"]
    assert {n: installed_by(r) for n, r in extras.items()} == {n: {*m} for n, m in EXTRAS.items()}
    assert installed_by(ast.literal_eval(given["install_requires"])) == set(REQUIRED)


def choices(module: Any, option: str) -> tuple[str, ...]:
    actions = module.make_parser()._actions
    (found,) = [action.choices for action in actions if option in action.option_strings]
    return tuple(found)


@pytest.mark.parametrize(
    ("offered", "known"),
    [
        (choices(options, "--smoothing"), tuple(METHODS)),
        (choices(options, "--storage"), tuple(PLUGINS)),
        (choices(plot_options, "--format"), FORMATS),
        (choices(plot_options, "--theme"), tuple(THEMES)),
        (choices(render_options, "--theme"), tuple(THEMES)),
        (choices(render_options, "--style"), get_args(Style)),
        (choices(identify_options, "--theme"), tuple(THEMES)),
        (choices(study_options, "--theme"), tuple(THEMES)),
        (choices(size_options, "--smallest"), SMALLEST_BY),
        (choices(prepare, "--only"), tuple(TASKS)),
        (choices(demo, "--motion"), tuple(_MAKERS)),
        (MOTION_NAMES, tuple(_MAKERS)),
        (study_options.PACKAGE_STUDIES, PACKAGE_STUDIES),
        (render_options.VIEWS["front-left"], (FRONT_LEFT, ELEVATION)),
    ],
)
def test_parsers_offer_what_the_package_has(offered: Any, known: Any) -> None:
    assert offered == known


def test_defaults_of_charmie_identify_are_those_of_python() -> None:
    parser = identify_options.make_parser()
    settings = ExcitationSettings()
    names = ("duration", "harmonics", "cycle", "margin", "rounds", "seed")
    assert [parser.get_default(n) for n in names] == [getattr(settings, n) for n in names]
    assert (parser.get_default("period"), parser.get_default("parts")) == (PERIOD, PARTS)
    assert f"{CUTOFFS[0]:g} to {CUTOFFS[-1]:g}" in " ".join(parser.format_help().split())
