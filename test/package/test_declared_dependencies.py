# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""With the dependencies of package.xml and nothing else, the package builds and its nodes run."""

from __future__ import annotations

import ast
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from catkin_pkg.package import parse_package
from conftest import NEWEST, PYTHON_PACKAGES, ROOT, copy_source, make_venv, without_source

# ROS 2 from PyPI needs these itself, colcon those
OF_ROS = ("lark", "packaging", "psutil", "netifaces2")
OF_COLCON = ("setuptools<80", "colcon-core", "colcon-ros", "colcon-bash", "colcon-recursive-crawl")
NODES = (
    *("controller_node", "dynamics_node", "motion_player", "policy_node", "simulator_node"),
    "charmie_bridge",
)
# modules of a package whose rosdep key has another name
KEYS = {"yaml": "python3-yaml", **{n: f"python3-{n}" for n in ("jsonschema", "numba", "numpy")}}
OF_NUMBA = {"llvmlite"}
OPTIONAL = {
    *("SALib", "coal", "dask", "distributed", "gymnasium", "imageio_ffmpeg", "matplotlib"),
    *("rosbags", "scipy", "symengine", "sympy", "threadpoolctl", "tqdm", "viser", "xarray", "PIL"),
    *("mcap", "mujoco", "pyarrow", "tornado", "pandas", "trimesh", "zstandard"),
}
# the extra that a command needs, and a command line
EXTRA_OF = {
    "charmie_analyze": ("analysis", "bag"),
    "charmie_plot": ("pictures", "bag"),
    "charmie_render": ("pictures", "bag --gif"),
    "charmie_identify": ("studies", "bag --out results"),
    "charmie_size": ("studies", "--motion wave --table motors.yaml"),
    "charmie_export": ("mjcf", "scara --mjcf robot.xml"),
    "charmie_import": ("mjcf", "robot.xml --out robot"),
    "charmie_study": ("studies", "balancing"),
    "charmie_train": ("learning", "Reach-v0"),
    "charmie_demo": ("demo", ""),
    "charmie_view": ("view", ""),
    "recorder": ("analysis", ""),
}
# what each node imports at its start of that which this package imports by name
MECHANICS = {"charmie_dynamics", "jsonschema", "llvmlite", "numba", "numpy", "yaml"}
EVERY_NODE = {*MECHANICS, "ament_index_python", "builtin_interfaces", "rcl_interfaces", "rclpy"}
SOURCES = {*EVERY_NODE, "diagnostic_msgs", "sensor_msgs"}
STARTS: dict[str, set[str]] = {
    "ros.nodes.controller_node": SOURCES
    | {"control_msgs", "geometry_msgs", "std_srvs", "trajectory_msgs"},
    "ros.nodes.dynamics_node": SOURCES | {"geometry_msgs", "trajectory_msgs"},
    "ros.nodes.motion_player": EVERY_NODE | {"sensor_msgs"},
    "ros.nodes.simulator_node": SOURCES
    | {"geometry_msgs", "rosidl_runtime_py", "std_msgs", "std_srvs", "trajectory_msgs"},
    "ros.nodes.bridge_node": SOURCES | {"rosidl_runtime_py"},
    "ros.nodes.policy_node": SOURCES | {"std_msgs", "std_srvs", "tf2_msgs"},
    "view.node": EVERY_NODE | {"std_msgs"},
}
# what the simulator compiles, and the policy node for its world
KERNELS = (
    *("node", "forward", "simulation", "equations", "points"),
    *("distances", "contacts", "loops"),
)
LISTEN = """
import sys, time, rclpy
from sensor_msgs.msg import JointState
rclpy.init()
node, found = rclpy.create_node("listener"), []
node.create_subscription(JointState, "actuator_efforts", found.append, 10)
end = time.monotonic() + 120
while not found and time.monotonic() < end:
    rclpy.spin_once(node, timeout_sec=0.1)
print(len(found[0].effort) if found else "nothing")
rclpy.try_shutdown()
"""


def keys() -> set[str]:
    return {depend.name for depend in parse_package(str(ROOT / "package.xml")).exec_depends}


def imported(path: Path) -> Iterator[str]:
    """Yield the first part of the name of each module that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def test_every_imported_package_is_declared_or_an_extra() -> None:
    files = [*(ROOT / "charmie_dynamics").rglob("*.py"), *(ROOT / "launch").glob("*.py")]
    found = {name for path in files for name in imported(path)}
    found -= {*sys.stdlib_module_names, "charmie_dynamics", *OF_NUMBA, *OPTIONAL}
    assert not {name for name in found if KEYS.get(name, name) not in keys()}


def test_every_python_key_has_a_package_and_a_version() -> None:
    assert {key for key in keys() if key.startswith("python3-")} == set(PYTHON_PACKAGES)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace built with the newest versions of the declared dependencies alone."""
    folder = tmp_path_factory.mktemp("declared") / "workspace"
    venv = folder.with_name("venv")  # colcon looks for packages everywhere below the workspace
    make_venv(venv, [*NEWEST, *OF_ROS, *OF_COLCON])
    copy_source(folder / "src" / "charmie_dynamics")
    done = run(folder, "colcon", "build")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    # so that tests do not wait for the compiler while other programs keep the machine busy
    done = run(folder, executable(folder, "charmie_prepare"), "--only", *KERNELS)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def environment(workspace: Path) -> Mapping[str, str]:
    path = f"{workspace.with_name('venv') / 'bin'}:{os.environ['PATH']}"
    home = workspace / "home"
    home.mkdir(exist_ok=True)
    own = {"PATH": path, "HOME": str(home), "PYTHONUNBUFFERED": "1"}
    # the code that the source tree has compiled is not that of this environment
    return {k: v for k, v in without_source(**own).items() if k != "NUMBA_CACHE_DIR"}


def run(workspace: Path, *command: str) -> subprocess.CompletedProcess[str]:
    sourced = "if [ -f install/setup.bash ]; then source install/setup.bash; fi; exec "
    return subprocess.run(
        ["bash", "-c", sourced + shlex.join(command)],
        cwd=workspace,
        env=environment(workspace),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )


def executable(workspace: Path, name: str) -> str:
    return str(workspace / "install" / "charmie_dynamics" / "lib" / "charmie_dynamics" / name)


class Background:
    """A program of the workspace that runs until the end of a block."""

    def __init__(self, workspace: Path, *command: str) -> None:
        self.log = workspace / f"{Path(command[0]).name}.log"
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                ["bash", "-c", f"source install/setup.bash; exec {shlex.join(command)}"],
                cwd=workspace,
                env=environment(workspace),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> Background:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30.0)

    def wait_for(self, pattern: str) -> str:
        """Return the output once it has a text."""
        deadline = time.monotonic() + 180.0
        while True:
            output = self.log.read_text(errors="replace")
            if re.search(pattern, output):
                return output
            assert self.process.poll() is None, output
            assert time.monotonic() < deadline, output
            time.sleep(0.05)


@pytest.mark.parametrize("name", NODES)
def test_a_node_starts_and_ends_on_an_interrupt(workspace: Path, name: str) -> None:
    with Background(workspace, executable(workspace, name)) as node:
        output = node.wait_for(r"' ready: |playing|retrying every")
        assert "Traceback" not in output
        assert node.interrupt() == 0


@pytest.mark.parametrize("file", ["demo.launch.py", "simulation.launch.py"])
def test_a_launch_file_leads_to_efforts(workspace: Path, file: str) -> None:
    share = workspace / "install" / "charmie_dynamics" / "share" / "charmie_dynamics"
    launch = ("python3", "-m", "charmie_dynamics.demo.launch_file", str(share / "launch" / file))
    with Background(workspace, *launch) as launched:
        done = run(workspace, "python3", "-c", LISTEN)
        assert done.stdout.strip() == "21", done.stderr + launched.log.read_text()
        assert "Traceback" not in launched.log.read_text()


@pytest.mark.parametrize(
    ("file", "pattern"), [("charmie.launch.py", "' ready: "), ("robot.launch.py", "retrying every")]
)
def test_a_launch_file_for_the_robot_starts(workspace: Path, file: str, pattern: str) -> None:
    share = workspace / "install" / "charmie_dynamics" / "share" / "charmie_dynamics"
    launch = ("python3", "-m", "charmie_dynamics.demo.launch_file", str(share / "launch" / file))
    with Background(workspace, *launch) as launched:
        assert "Traceback" not in launched.wait_for(pattern)


@pytest.mark.parametrize("name", EXTRA_OF)
def test_a_command_names_the_extra_that_it_needs(workspace: Path, name: str) -> None:
    done = run(workspace, executable(workspace, name), *EXTRA_OF[name][1].split())
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{name}: ")
    assert line.endswith(f'needs: pip install "charmie_dynamics[{EXTRA_OF[name][0]}]"')


@pytest.mark.parametrize(("module", "names"), STARTS.items())
def test_a_node_imports_at_its_start_what_is_pinned(
    workspace: Path, module: str, names: set[str]
) -> None:
    files = (ROOT / "charmie_dynamics").rglob("*.py")
    direct = {name for path in files for name in imported(path)} - {*sys.stdlib_module_names}
    code = f"import sys, charmie_dynamics.{module}; print(*{direct} & {{*sys.modules}})"
    found = run(workspace, "python3", "-c", code).stdout.split()
    assert set(found) == names


@pytest.fixture
def read_only(workspace: Path) -> Iterator[Path]:
    """The workspace, whose installation and environment nobody may write to."""
    files = [
        path
        for folder in ("install", "src", "build")
        for path in (workspace / folder, *(workspace / folder).rglob("*"))
        if not path.is_symlink()
    ]
    modes = [(path, path.stat().st_mode) for path in files]
    for path, mode in modes:
        path.chmod(mode & ~0o222)
    yield workspace
    for path, mode in modes:
        path.chmod(mode)


def test_a_user_without_write_access_to_the_installation_runs_a_node(read_only: Path) -> None:
    # permissions hold for root, too, without these capabilities
    limits = "--bounding-set=-dac_override,-dac_read_search,-fowner"
    as_user = ("setpriv", limits) if os.geteuid() == 0 else ()
    with Background(read_only, *as_user, executable(read_only, "dynamics_node")) as node:
        output = node.wait_for("' ready: ")
        assert "Traceback" not in output
        assert node.interrupt() == 0
