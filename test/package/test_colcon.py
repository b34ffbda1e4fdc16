# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The package in a colcon workspace: build, install, run, test."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import copy_source, without_source

PATIENCE = 180.0  # s: the first start compiles the kernels


def colcon(workspace: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    executable = shutil.which("colcon", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert executable is not None, "colcon is not installed"
    return subprocess.run(
        [executable, *arguments],
        cwd=workspace,
        env=without_source(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which the package has been built; test_declared_dependencies makes copies."""
    folder = tmp_path_factory.mktemp("symlink")
    copy_source(folder / "src" / "charmie_dynamics")
    done = colcon(folder, "build", "--symlink-install")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def sourced(workspace: Path, *command: str) -> list[str]:
    """Return a command that runs in the sourced workspace."""
    return ["bash", "-c", f"source install/setup.bash && exec {shlex.join(command)}"]


def run(workspace: Path, *command: str, cwd: str = ".") -> str:
    """Run a command in the sourced workspace and return what it prints."""
    done = subprocess.run(
        ["bash", "-c", f"source install/setup.bash && cd {cwd} && exec {shlex.join(command)}"],
        cwd=workspace,
        env=without_source(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_until(workspace: Path, text: str, *command: str) -> tuple[int, str]:
    """Run until `text` is printed, interrupt, and return status and output."""
    log = workspace / "process.log"
    with log.open("wb") as out:
        child = subprocess.Popen(
            sourced(workspace, *command),
            cwd=workspace,
            env=without_source(PYTHONUNBUFFERED="1"),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + PATIENCE
        while text not in log.read_text():
            assert child.poll() is None, f"ended with {child.returncode}: {log.read_text()}"
            assert time.monotonic() < deadline, f"did not say '{text}': {log.read_text()}"
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        return child.wait(30.0), log.read_text()
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()


def test_colcon_takes_the_package_for_an_ament_python_one(workspace: Path) -> None:
    """An invalid manifest silently makes it a plain Python package."""
    (line,) = colcon(workspace, "list").stdout.splitlines()
    name, _, kind = line.split("\t")
    assert (name, kind) == ("charmie_dynamics", "(ros.ament_python)")


def test_the_package_is_in_the_ament_index(workspace: Path) -> None:
    code = "from ament_index_python import get_package_prefix as p; print(p('charmie_dynamics'))"
    prefix = run(workspace, "python3", "-c", code).strip()
    assert Path(prefix).resolve() == (workspace / "install" / "charmie_dynamics").resolve()


@pytest.mark.parametrize("name", ["dynamics_node", "motion_player", "recorder"])
def test_nodes_are_executables_of_the_package(workspace: Path, name: str) -> None:
    file = workspace / "install" / "charmie_dynamics" / "lib" / "charmie_dynamics" / name
    assert os.access(file, os.X_OK)


def test_all_commands_are_run_by_ros2_run(workspace: Path) -> None:
    """They lie where it looks for them, under the names that users know, and not on PATH."""
    folder = workspace / "install" / "charmie_dynamics"
    names = {path.name for path in (folder / "lib" / "charmie_dynamics").iterdir()}
    assert {"dynamics_node", "motion_player", "recorder", "charmie_analyze"} <= names
    assert not {name for name in names if name.startswith("charmie_dynamics_")}
    assert not (folder / "bin").exists()


def test_load_model_finds_the_files_of_the_workspace(workspace: Path) -> None:
    code = (
        "import charmie_dynamics; from charmie_dynamics.model.description.files import share_file; "
        "print(len(charmie_dynamics.load_model().actuator_names)); "
        "print(share_file('urdf', 'charmie.urdf'))"
    )
    count, path = run(workspace, "python3", "-c", code, cwd="/").splitlines()
    assert int(count) == 21
    assert workspace.resolve() in Path(path).resolve().parents


@pytest.mark.parametrize("name", ["charmie.launch.py", "demo.launch.py"])
def test_launch_files_are_installed(workspace: Path, name: str) -> None:
    share = workspace / "install" / "charmie_dynamics" / "share" / "charmie_dynamics"
    assert (share / "launch" / name).is_file()


def test_the_installed_node_starts_and_ends_on_an_interrupt(workspace: Path) -> None:
    file = workspace / "install" / "charmie_dynamics" / "lib" / "charmie_dynamics" / "dynamics_node"
    status, output = run_until(workspace, "' ready: ", str(file))
    assert status == 0, output
    assert "Traceback" not in output


def test_the_installed_launch_file_runs_the_installed_node(workspace: Path) -> None:
    share = workspace / "install" / "charmie_dynamics" / "share" / "charmie_dynamics"
    status, output = run_until(
        workspace,
        "' ready: ",
        *("python3", "-m", "charmie_dynamics.demo.launch_file"),
        str(share / "launch" / "charmie.launch.py"),
    )
    assert "Traceback" not in output
    assert status in (0, 1), output  # launch itself answers an interrupt with 1 on some versions


def test_colcon_test_runs_the_tests_of_the_package(workspace: Path) -> None:
    """Some quick ones; that all of them pass is what the other parts of the suite say."""
    selected = ("--pytest-args", "test/unit/core/test_edges.py", "-q")
    done = colcon(workspace, "test", "--event-handlers", "console_direct+", *selected)
    assert done.returncode == 0, done.stdout + done.stderr
    result = colcon(workspace, "test-result", "--all")
    summary = result.stdout.splitlines()[-1]
    assert result.returncode == 0, result.stdout
    assert not summary.startswith("Summary: 0 tests"), summary
