# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The demo as a whole, and the check of its bag; `test/unit/demo` has what the check must find."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from graph import Checker
from node_process import child_environment
from robot_inputs import ACTUATORS
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import JointState

from charmie_dynamics import CharmieError
from charmie_dynamics.demo import check
from charmie_dynamics.demo.domain import select_domain

# low, and long enough for a start that stutters: a busy machine must be able to follow
RATE = 20.0
DURATION = 8.0
PNG = b"\x89PNG\r\n\x1a\n"


def run(
    *command: str, timeout: float = 550.0, domain: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a module of the demo to its end, on a domain that it selects itself."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        env=child_environment({"ROS_DOMAIN_ID": domain}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bag of an earlier demo, or what could be one."""
    folder = tmp_path_factory.mktemp("demo") / "made by the demo"
    (folder / "bag").mkdir(parents=True)
    (folder / "bag" / "old").touch()
    return folder


@pytest.fixture(scope="module")
def demo(output: Path) -> subprocess.CompletedProcess[str]:
    """With a simulated robot; `test_demo_on_a_busy_machine` has the demo with a motion player."""
    options = ("--simulate", "--duration", str(DURATION), "--rate", str(RATE))
    options += ("--output", str(output))
    return run("charmie_dynamics.demo.run", *options)


def test_the_demo_ends_with_status_0(demo: subprocess.CompletedProcess[str]) -> None:
    assert demo.returncode == 0, demo.stderr


@pytest.mark.parametrize("name", ["robot.png", "efforts.png"])
def test_the_demo_leaves_a_picture(
    demo: subprocess.CompletedProcess[str], output: Path, name: str
) -> None:
    data = (output / name).read_bytes()
    assert data.startswith(PNG)
    assert len(data) > 10_000


def test_the_demo_prints_a_row_for_each_actuator(demo: subprocess.CompletedProcess[str]) -> None:
    rows = [line.split() for line in demo.stdout.splitlines()]
    numbers = {row[0]: row[1:3] for row in rows if row and row[0] in ACTUATORS}
    assert tuple(numbers) == ACTUATORS
    assert all(abs(float(peak)) >= float(rms) >= 0.0 for peak, rms in numbers.values())


def test_the_bag_of_the_demo_lasts_as_long_as_was_asked(
    demo: subprocess.CompletedProcess[str], output: Path
) -> None:
    with AnyReader([output / "bag"]) as reader:
        (connection,) = [c for c in reader.connections if c.topic == "/actuator_efforts"]
        times = [time for _, time, _ in reader.messages(connections=[connection])]
    assert (times[-1] - times[0]) * 1e-9 == pytest.approx(DURATION, abs=0.5)


def test_the_bag_of_an_earlier_demo_is_replaced(
    demo: subprocess.CompletedProcess[str], output: Path
) -> None:
    assert (output / "bag" / "metadata.yaml").is_file()
    assert not (output / "bag" / "old").exists()


@pytest.mark.parametrize("options", [("--duration", "0"), ("--rate", "-1"), ("--motion", "x")])
def test_the_demo_refuses_options_that_mean_nothing(options: tuple[str, str]) -> None:
    done = run("charmie_dynamics.demo.run", *options)
    assert done.returncode == 2
    assert options[0] in done.stderr


def test_the_demo_names_the_node_that_publishes_on_its_domain(output: Path) -> None:
    with Checker(()) as checker:
        checker.node.create_publisher(JointState, "joint_states", 1)
        domain = os.environ.get("ROS_DOMAIN_ID", "0")
        done = run("charmie_dynamics.demo.run", "--output", str(output), domain=domain)
        name = checker.node.get_fully_qualified_name()
    assert done.returncode == 1
    assert f"{name} (/joint_states)" in done.stderr


@pytest.mark.parametrize("domain", ["abc", "-1", "233"])
def test_a_domain_that_ros_does_not_have_is_refused(
    monkeypatch: pytest.MonkeyPatch, domain: str
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", domain)
    with pytest.raises(CharmieError, match=f"ROS_DOMAIN_ID: expected .*, got '{domain}'"):
        select_domain()


def test_the_simulated_robot_measures_efforts(
    demo: subprocess.CompletedProcess[str], output: Path
) -> None:
    with AnyReader([output / "bag"]) as reader:
        for topic in ("/joint_states", "/actuator_lengths"):
            (connection,) = [c for c in reader.connections if c.topic == topic]
            for _, _, data in reader.messages(connections=[connection]):
                message = reader.deserialize(data, connection.msgtype)
                assert len(message.effort) == len(message.name) > 0


def test_the_demo_prints_the_topics_behind_the_actuators(
    demo: subprocess.CompletedProcess[str],
) -> None:
    rows = [line.split() for line in demo.stdout.splitlines()]
    first = [row[0] for row in rows if row]
    assert first.index("topic") > first.index(ACTUATORS[-1])
    counts = {row[0]: int(row[1]) for row in rows if len(row) == 4 and row[1].isdigit()}
    assert {"joint_states", "actuator_efforts", "/tf", "/tf_static", "markers"} <= set(counts)
    assert counts["actuator_efforts"] > 0.5 * RATE * DURATION


def test_the_check_as_a_command_tells_faults_and_ends_with_status_1(
    demo: subprocess.CompletedProcess[str], output: Path
) -> None:
    """There are not as many markers as that."""
    options = ("--rate", str(RATE), "--marker-rate", str(RATE / 4.0))
    done = run("charmie_dynamics.demo.check", str(output / "bag"), *options)
    assert done.returncode == 1
    assert "fault: markers: " in done.stdout


def test_the_check_as_a_command_ends_with_status_0_for_a_slower_player(
    demo: subprocess.CompletedProcess[str],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The node did what it should; that the player was to be twice as fast is a remark."""
    monkeypatch.setattr(sys, "argv", ["check", str(output / "bag"), "--rate", str(2.0 * RATE)])
    status, printed = check.main(), capsys.readouterr().out
    assert status == 0, printed
    assert f"instead of {2.0 * RATE:g}" in printed


def test_the_check_refuses_a_folder_without_bag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["check", str(tmp_path)])
    assert check.main() == 1
    assert str(tmp_path) in capsys.readouterr().out
