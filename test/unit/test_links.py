# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Links between the pages, to their parts and to files of the repository lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from charmie_dynamics.live import topics
from charmie_dynamics.live.outputs import output_topics
from charmie_dynamics.live.topics import Topic
from charmie_dynamics.ros.controller import topics as controller
from charmie_dynamics.ros.simulator.reference import SERVICES
from charmie_dynamics.simulation.session import topics as simulated

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "QUALITY_DECLARATION.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def links(text: str) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if not re.match(r"\w+:", target):
            yield unquote(target)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub and the site make of the headings of a page."""
    if named(page) == "docs/contributing.md":
        page = ROOT / "CONTRIBUTING.md"
    found = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in links(text_of(page)):
        path, _, part = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        is_line = re.fullmatch(r"L\d+", part)
        if not file.exists() or (part and not is_line and part not in anchors(file)):
            broken.append(target)
    assert broken == []


def test_every_page_can_be_reached_from_the_front() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^[\w/]+$", index, re.MULTILINE))
    pages = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    expected = {page.removesuffix(".md") for page in pages if not page.endswith(".in.md")}
    assert listed == expected - {"index"}


def nodes_of_the_graph() -> dict[str, list[set[str]]]:
    """Return by node what the table has: subscribed, published, services and actions."""
    text = text_of(ROOT / "docs/tutorials/run.md").split("## Nodes and topics")[1]
    rows = [row.strip("| ").split(" | ") for row in text.splitlines() if row.startswith("| `")]
    return {row[0].strip("`"): [set(re.findall(r"`([^`]+)`", c)) for c in row[1:]] for row in rows}


def names_of(*every: Topic) -> set[str]:
    return {topic.name for topic in every}


def test_the_graph_has_the_topics_and_services_of_the_code() -> None:
    samples, loads = topics.INPUTS, (topics.payload("NAME"), topics.EXTERNAL_WRENCH)
    requests, answers = topics.requests(["NAME"]), topics.answers(["NAME"])
    made = *output_topics(["POINT"]), *answers, topics.CLEARANCE, topics.MARKERS
    followed = topics.assumed_payload("NAME"), controller.trajectory_topic("GROUP")
    log, frames = topics.DIAGNOSTICS, (topics.TF, topics.TF_STATIC)
    published = names_of(*samples, log)
    read = *simulated.READ, topics.EXTERNAL_WRENCH
    switches = {"~/start", "~/stop"}
    commands = names_of(simulated.EFFORT_COMMANDS, log)
    nodes = nodes_of_the_graph()
    expected = {
        "dynamics_node": [
            names_of(*samples, *requests),
            names_of(*made, log, topics.ROBOT_DESCRIPTION),
            {"set_payloads"},
        ],
        "controller_node": [
            names_of(*samples, *loads, topics.IMU, *followed),
            commands,
            {name for name, _, _ in controller.ACTIONS},
        ],
        "simulator_node": [names_of(*read), names_of(*simulated.PUBLISHED, log), {*SERVICES}],
        "policy_node": [
            names_of(*samples, *frames),
            {*names_of(simulated.JOINT_COMMANDS, log), "~/success"},
            switches,
        ],
        "charmie_bridge": [set(), published, set()],
        "motion_player": [set(), names_of(*samples), set()],
    }
    assert {name: nodes[name] for name in expected} == expected
    assert {*nodes} - {*expected} == {"recorder", "charmie_view"}
