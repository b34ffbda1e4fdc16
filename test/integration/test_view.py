# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The live view, seen by a real browser on a real graph."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import BLOCK, COMMAND, SIZE, Viewer, changed, differing, open_browser
from graph import Checker
from node_process import Process, start_dynamics_node, start_node
from numpy.lib.stride_tricks import sliding_window_view
from view_process import free_port, start_view

pytestmark = pytest.mark.skipif(
    not COMMAND, reason="no browser: CHARMIE_BROWSER names the command of a Chromium"
)

NAMESPACE = "seen"
PARAMETERS = {"frame_prefix": "seen/"}
GROUPS = ("bodies", "springs", "actuators", "balance", "efforts", "stability")
LINEAR = ("lift_actuator", "torso_actuator")
SCREENSHOT = os.environ.get("CHARMIE_SCREENSHOT", "")


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[Process]:
    with start_dynamics_node(folder, PARAMETERS, namespace=NAMESPACE) as process:
        yield process


@pytest.fixture(scope="module")
def player(folder: Path, node: Process) -> Iterator[Process]:
    """A motion that ends after 5 s; the robot stays in its last pose and is still published."""
    motion = {"motion": "paper_5s", "loop": False, "rate": 50.0}
    with start_node("motion_player", folder, motion, namespace=NAMESPACE) as process:
        process.wait_for_output("playing")
        yield process


@pytest.fixture(scope="module")
def port(folder: Path, player: Process) -> Iterator[int]:
    number = free_port()
    with start_view(folder, "--port", str(number), namespace=NAMESPACE):
        yield number


@pytest.fixture(scope="module")
def checker(port: int) -> Iterator[Checker]:
    with Checker(("actuator_efforts",), namespace=NAMESPACE, name="view_checker") as checker:
        yield checker


@pytest.fixture(scope="module")
def subscribers_before(checker: Checker) -> int:
    """How many listen to the markers before a browser comes."""
    checker.wait_for(lambda: "charmie_view" in checker.node.get_node_names(), "the view")
    return int(checker.node.count_subscribers("markers"))


@pytest.fixture(scope="module")
def viewer(port: int, checker: Checker, subscribers_before: int) -> Iterator[Viewer]:
    """The page, with the robot at rest in its last pose and without shadows, to be quick.

    It is opened while the robot raises itself, and must come to show all of it.
    """
    with open_browser() as browser:
        viewer = Viewer(browser, port)
        viewer.wait_for_text("live")
        viewer.dismiss_notes()
        viewer.switch("shadows")
        efforts = checker.received["actuator_efforts"]
        checker.wait_for(
            lambda: len(efforts) > 1 and efforts[-1].position == efforts[-2].position,
            "the last pose",
        )
        yield viewer


@pytest.fixture(scope="module")
def shown(viewer: Viewer) -> np.ndarray:
    """The scene with everything in it."""
    return viewer.steady_scene()


@pytest.fixture(scope="module")
def empty(viewer: Viewer, shown: np.ndarray) -> np.ndarray:
    """The scene with all groups hidden."""
    viewer.switch(*GROUPS)
    return viewer.steady_scene()


def test_nothing_is_subscribed_to_before_a_browser_comes(subscribers_before: int) -> None:
    assert subscribers_before == 0


def test_the_robot_fills_a_good_part_of_the_picture(shown: np.ndarray, empty: np.ndarray) -> None:
    height, width, _ = shown.shape
    assert differing(shown, empty) > 0.03 * height * width


def test_the_robot_has_many_shades(shown: np.ndarray, empty: np.ndarray) -> None:
    robot = shown[changed(shown, empty)]
    assert len(np.unique(robot.round(), axis=0)) > 100


def test_the_robot_stands_wholly_in_the_picture(shown: np.ndarray, empty: np.ndarray) -> None:
    # blocks amid changed blocks: single ones may be shades of the floor's lines
    inner = sliding_window_view(changed(shown, empty), (3, 3)).all(axis=(2, 3))
    rows, columns = (np.flatnonzero(inner.any(axis=axis)) for axis in (1, 0))
    assert 0 < rows[0] <= rows[-1] < len(inner) - 1
    assert 0 < columns[0] <= columns[-1] < len(inner[0]) - 1


def test_a_group_comes_back_alone_and_can_be_clicked(viewer: Viewer, empty: np.ndarray) -> None:
    """Shows the actuators alone, then clicks one of them."""
    viewer.choose("neck_pan_joint")
    viewer.switch("actuators")
    alone = viewer.steady_scene()
    rows, columns = np.nonzero(changed(alone, empty))
    assert 5 < len(rows) < 0.03 * empty.shape[0] * empty.shape[1]
    k = int(np.argsort(rows)[len(rows) * 4 // 5])  # low: on the lift's actuator
    middle = int(np.median(columns[rows == rows[k]]))
    viewer.page.mouse.click(BLOCK * (middle + 0.5), BLOCK * (int(rows[k]) + 0.5))
    viewer.wait_for(lambda: viewer.chosen() in LINEAR, "the choice of an actuator")
    viewer.switch("actuators")


@pytest.mark.parametrize(
    ("actuator", "unit"), [("torso_actuator", "N"), ("left_arm_joint_2", "N m")]
)
def test_a_chosen_actuator_shows_its_effort(
    viewer: Viewer, checker: Checker, empty: np.ndarray, actuator: str, unit: str
) -> None:
    viewer.choose(actuator)
    messages = checker.received["actuator_efforts"]
    messages.clear()
    checker.spin(1.0)  # through what has queued up
    effort = messages[-1].effort[messages[-1].name.index(actuator)]

    def reads_so() -> bool:
        found = re.search(r"^(\S+) (N|N m)$", viewer.text(), flags=re.MULTILINE)
        value = float(found[1].replace("\N{MINUS SIGN}", "-")) if found else 0.0
        near = abs(value - effort) <= max(0.006, 0.006 * abs(effort))
        return found is not None and found[2] == unit and near

    viewer.wait_for(reads_so, f"{effort} {unit}")


def test_the_effort_is_plotted(viewer: Viewer, empty: np.ndarray) -> None:
    """The curve has pixels of its colour across the plot."""
    script = """() => {
        const plot = document.querySelector('.u-wrap canvas');
        const data = plot.getContext('2d').getImageData(0, 0, plot.width, plot.height).data;
        const columns = new Set();
        for (let k = 0; k < data.length; k += 4)
            if (data[k + 3] > 200 && data[k] < 60 && data[k + 2] > 150)
                columns.add((k / 4) % plot.width);
        return columns.size / plot.width;
    }"""
    viewer.wait_for(lambda: viewer.page.evaluate(script) > 0.5, "a curve")


def test_the_groups_come_back(viewer: Viewer, shown: np.ndarray, empty: np.ndarray) -> None:
    viewer.switch(*GROUPS)
    again = viewer.steady_scene()
    # not colour by colour: the page may draw with more or fewer pixels than before
    before, after = changed(shown, empty), changed(again, empty)
    assert (before & after).sum() > 0.8 * (before | after).sum()


def test_all_text_is_readable_and_in_the_page(viewer: Viewer, empty: np.ndarray) -> None:
    viewer.resize(1280, 800)
    script = """() => {
        const found = [];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const text = walker.currentNode.textContent.trim();
            const parent = walker.currentNode.parentElement;
            if (!text || ['STYLE', 'SCRIPT', 'NOSCRIPT'].includes(parent.tagName)) continue;
            if (!parent.checkVisibility()) continue;
            const range = document.createRange();
            range.selectNodeContents(walker.currentNode);
            const box = range.getBoundingClientRect();
            const size = parseFloat(getComputedStyle(parent).fontSize);
            found.push([text, size, box.left, box.top, box.right, box.bottom]);
        }
        return found;
    }"""
    viewer.wait_for(lambda: viewer.page.evaluate("innerWidth") == 1280, "the size")
    viewer.page.wait_for_timeout(1000)
    texts = viewer.page.evaluate(script)
    if SCREENSHOT:
        Path(SCREENSHOT).write_bytes(viewer.screenshot())
    viewer.resize(*SIZE)
    assert {"bodies", "Actuator", "centre of mass"} <= {text for text, *_ in texts}
    small = [text for text, size, *_ in texts if size < 11.0]
    outside = [t for t, _, left, top, right, low in texts if not inside(left, top, right, low)]
    assert (small, outside) == ([], [])


def inside(left: float, top: float, right: float, bottom: float) -> bool:
    return left >= 0.0 and top >= 0.0 and right <= 1280.0 and bottom <= 800.0


def test_shapes_vanish_when_the_inputs_stop(
    viewer: Viewer, player: Process, shown: np.ndarray, empty: np.ndarray
) -> None:
    player.end()
    viewer.wait_for_text("no markers for")
    limit = 0.05 * differing(shown, empty)
    viewer.wait_for(lambda: differing(viewer.scene(), empty) < limit, "an empty scene")


def test_the_page_has_no_errors(viewer: Viewer) -> None:
    assert viewer.errors == []


def test_nothing_is_subscribed_to_after_the_browser_has_gone(
    viewer: Viewer, checker: Checker
) -> None:
    assert checker.node.count_subscribers("markers") == 1
    viewer.close()
    checker.wait_for(lambda: checker.node.count_subscribers("markers") == 0, "the view to leave")


def test_only_this_machine_can_connect(port: int) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=5.0).close()
