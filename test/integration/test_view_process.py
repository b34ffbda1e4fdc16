# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How the view starts, refuses to start, and ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import COMMAND, Viewer, open_browser
from graph import Checker
from node_process import Process, child_environment
from small_robots import HOLLOW_LINK, HOLLOW_URDF
from std_msgs.msg import String
from view_process import free_port, start_view
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics.live import topics
from charmie_dynamics.ros.outputs.profiles import make_publisher

SIGNALS = [signal.SIGINT, signal.SIGTERM]
WITHOUT_VISER = """
import sys
sys.modules["viser"] = None
from charmie_dynamics.ros.process.entry import charmie_view
charmie_view()
"""
needs_browser = pytest.mark.skipif(
    not COMMAND, reason="no browser: CHARMIE_BROWSER names the command of a Chromium"
)


def assert_ends_cleanly(process: Process, number: signal.Signals) -> None:
    process.send_signal(number)
    assert process.wait() == 0, process.output()
    assert "Traceback" not in process.output()
    assert "Error" not in process.output()


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_an_idle_view_ends_cleanly(folder: Path, number: signal.Signals) -> None:
    with start_view(folder, "--port", str(free_port())) as view:
        assert_ends_cleanly(view, number)


def test_a_link_that_no_body_can_be_is_in_the_log_of_the_view(folder: Path) -> None:
    with start_view(folder, "--port", str(free_port())) as view, Checker() as checker:
        publisher = make_publisher(checker.node, topics.ROBOT_DESCRIPTION)
        publisher.publish(String(data=HOLLOW_URDF))
        words = f"robot_description, line 4: link '{HOLLOW_LINK}': no body has these"
        checker.wait_for(lambda: words in view.output(), "a line of the log")


def test_a_port_that_is_taken_is_named_with_what_to_do(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with start_view(folder, "--port", str(port), wait=False) as view:
            assert view.wait() == 1
    assert f"port {port} of 'localhost': expected a free port" in view.output()
    assert "--port" in view.output() and "Traceback" not in view.output()


def test_a_host_that_is_not_this_machine_is_refused(folder: Path) -> None:
    address = "192.0.2.1"  # reserved for documentation
    options = ("--host", address, "--port", str(free_port()))
    with start_view(folder, *options, wait=False) as view:
        assert view.wait() == 1
    assert f"host '{address}': expected an address of this machine" in view.output()
    assert "Traceback" not in view.output()


def test_a_number_that_is_no_port_is_refused(folder: Path) -> None:
    with start_view(folder, "--port", "70000", wait=False) as view:
        assert view.wait() == 2
    assert "expected a port from 1 to 65535, got 70000" in view.output()


def test_without_viser_the_command_that_installs_it_is_named() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_VISER],
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith('needs: pip install "charmie_dynamics[view]"')


class Painter:
    """Publishes boxes of one namespace each."""

    def __init__(self, checker: Checker) -> None:
        self._publisher = checker.node.create_publisher(MarkerArray, "markers", 5)
        self._checker = checker

    def paint(self, *namespaces: str) -> None:
        markers = [Marker(ns=name, type=Marker.CUBE) for name in namespaces]
        for marker in markers:
            marker.header.frame_id = "somewhere"
            marker.color.a = marker.scale.x = marker.scale.y = marker.scale.z = 1.0
            marker.lifetime.sec = 1
        self._publisher.publish(MarkerArray(markers=markers))
        self._checker.spin(0.05)


@pytest.fixture(scope="module")
def view_port(folder: Path) -> Iterator[tuple[Process, int]]:
    port = free_port()
    with start_view(folder, "--port", str(port), namespace="painted") as view:
        yield view, port


@pytest.fixture(scope="module")
def viewer(view_port: tuple[Process, int]) -> Iterator[Viewer]:
    with open_browser() as browser:
        viewer = Viewer(browser, view_port[1], (480, 400))
        viewer.wait_for_text("waiting for markers on /painted/markers")
        yield viewer


@pytest.fixture(scope="module")
def painter() -> Iterator[Painter]:
    with Checker(namespace="painted", name="painter") as checker:
        yield Painter(checker)


def paint_until(viewer: Viewer, painter: Painter, names: set[str], absent: set[str]) -> None:
    def is_so() -> bool:
        painter.paint(*sorted(names))
        words = set(viewer.text().split())
        return names <= words and not absent & words

    viewer.wait_for(is_so, f"boxes for {sorted(names)} and none for {sorted(absent)}")


@needs_browser
def test_other_markers_bring_other_groups(viewer: Viewer, painter: Painter) -> None:
    paint_until(viewer, painter, {"first", "second"}, set())
    paint_until(viewer, painter, {"first", "third"}, {"second"})


@needs_browser
def test_a_hidden_group_stays_hidden_when_it_comes_back(viewer: Viewer, painter: Painter) -> None:
    paint_until(viewer, painter, {"first", "third"}, {"second"})
    viewer.switch("third")
    paint_until(viewer, painter, {"first", "second"}, {"third"})
    paint_until(viewer, painter, {"first", "third"}, {"second"})
    assert not viewer.box("third").is_checked()


@needs_browser
@pytest.mark.parametrize("number", [signal.SIGINT], ids=lambda number: number.name)
def test_a_view_with_a_browser_ends_cleanly(
    viewer: Viewer, view_port: tuple[Process, int], number: signal.Signals
) -> None:
    assert_ends_cleanly(view_port[0], number)
