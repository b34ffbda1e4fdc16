# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The diagrams of the documentation: boxes and arrows as data, written as SVG.

Run after a change: ``python docs/diagrams.py``.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

IMAGES = Path(__file__).parent / "images"
UNIT = 10.0  # px, of all coordinates below
LINE = 15.0  # px between two lines of text
# fill and outline by the kind of box
COLOURS = {
    "own": ("#dbe9f9", "#2b6cb0"),  # of this package
    "data": ("#fdf1d3", "#b7791f"),  # files and messages
    "other": ("#eeeeee", "#666666"),  # of other packages and hardware
}
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" \
font-family="sans-serif" font-size="12" text-anchor="middle" role="img">
<title>{title}</title>
<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" \
orient="auto"><path d="M0 0 8 4 0 8z" fill="#444"/></marker></defs>
<rect width="{width:g}" height="{height:g}" fill="white"/>
"""


class Box(NamedTuple):
    """A box: place of its upper left corner, size (units), text, kind."""

    x: float
    y: float
    width: float
    height: float
    text: str
    kind: str = "own"


class Arrow(NamedTuple):
    """An arrow along points (units), with a text at a place."""

    points: tuple[tuple[float, float], ...]
    text: str = ""
    place: tuple[float, float] = (0.0, 0.0)


class Diagram(NamedTuple):
    """A picture of a size (units)."""

    title: str
    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def flow(title: str, rows: tuple[tuple[str, str, str, str], ...], width: float = 76.0) -> Diagram:
    """Return steps from top to bottom: input, step, output and its kind at the right."""
    boxes, arrows = [], []
    for k, (left, text, right, kind) in enumerate(rows):
        y = 2.0 + 8.0 * k
        boxes.append(Box(26.0, y, 24.0, 5.5, text))
        if left:
            boxes.append(Box(1.0, y, 19.0, 5.5, left, "data"))
            arrows.append(Arrow(((20.0, y + 2.75), (26.0, y + 2.75))))
        if right:
            boxes.append(Box(56.0, y, 19.0, 5.5, right, kind))
            arrows.append(Arrow(((50.0, y + 2.75), (56.0, y + 2.75))))
        if k:
            arrows.append(Arrow(((38.0, y - 2.5), (38.0, y))))
    return Diagram(title, width, 2.0 + 8.0 * len(rows), tuple(boxes), tuple(arrows))


STEPS = flow(
    "From measured lengths to efforts",
    (
        ("URDF: links, joints,\nmasses, limits", "1, 2: read the robot\nas flat arrays", "", ""),
        (
            "mechanisms file: linear\nactuators, springs, loops",
            "3: actuators to joints\nlength to angle, and rates",
            "joint positions",
            "data",
        ),
        (
            "joint_states,\nactuator_lengths",
            "4: forward kinematics\nfrom the root to the tips",
            "frames of all bodies\n(/tf)",
            "data",
        ),
        ("", "5: auxiliary bodies\nbarrels, rods, springs, bars", "markers", "data"),
        (
            "payloads, wrenches,\ncontact forces",
            "6: Newton-Euler\nfrom the tips to the root",
            "load on the base,\nzero-moment point",
            "data",
        ),
        (
            "springs, rotors,\nfriction",
            "7: loops\njoint efforts to actuator efforts",
            "actuator_efforts,\nspring_forces",
            "data",
        ),
    ),
)

TREE_AND_LOOPS = Diagram(
    "A tree with closed loops, and its coordinates",
    77.0,
    31.0,
    (
        Box(1, 2, 20, 7, "URDF tree\none parent for each link", "data"),
        Box(1, 12, 20, 7, "linear actuators,\nbalance mechanisms", "data"),
        Box(1, 22, 20, 7, "loop joints\nbetween any two links", "data"),
        Box(28, 2, 20, 7, "joint coordinates\nall positions of the tree"),
        Box(28, 12, 20, 7, "closed form\nlength = f(angle)"),
        Box(28, 22, 20, 7, "constraints\nJ v = 0, redundant rows kept"),
        Box(55, 2, 20, 7, "all coordinates (p, v)\nactuators and passive joints"),
        Box(55, 12, 20, 7, "actuator coordinates\nlengths, driven angles"),
        Box(55, 22, 20, 7, "passive coordinates\nfrom the loops"),
    ),
    (
        Arrow(((21, 5.5), (28, 5.5))),
        Arrow(((21, 15.5), (28, 15.5))),
        Arrow(((21, 25.5), (28, 25.5))),
        Arrow(((48, 5.5), (55, 5.5))),
        Arrow(((48, 15.5), (55, 15.5))),
        Arrow(((48, 25.5), (55, 25.5))),
        Arrow(((60, 12), (60, 9))),
        Arrow(((65, 19), (65, 22)), "assemble", (69.5, 21)),
        Arrow(((75, 25.5), (76.5, 25.5), (76.5, 5.5), (75, 5.5))),
    ),
)

GRAPH = Diagram(
    "Nodes and topics",
    100.0,
    56.0,
    (
        Box(3, 2, 40, 6, "robot drivers, charmie_bridge, motion_player", "other"),
        Box(49, 2, 40, 6, "simulator_node: time, robot, world"),
        Box(3, 13, 86, 4, "joint_states, actuator_lengths, imu, odom, scan, /clock", "data"),
        Box(3, 22, 22, 6, "dynamics_node"),
        Box(35, 22, 18, 6, "controller_node"),
        Box(57, 22, 14, 6, "policy_node"),
        Box(75, 22, 14, 6, "Nav2,\nros2_control", "other"),
        Box(40, 33, 49, 4, "effort_commands, joint_commands, cmd_vel", "data"),
        Box(3, 33, 22, 8, "/tf, actuator_efforts,\nresolved_joint_states,\nmarkers, "
            "/diagnostics", "data"),
        Box(3, 47, 22, 6, "RViz, charmie_view,\nrecorder, MoveIt", "other"),
        Box(35, 47, 18, 6, "MoveIt, rclpy clients", "other"),
    ),
    (
        Arrow(((23, 8), (23, 13))),
        Arrow(((69, 8), (69, 13))),
        Arrow(((14, 17), (14, 22))),
        Arrow(((44, 17), (44, 22))),
        Arrow(((64, 17), (64, 22))),
        Arrow(((82, 17), (82, 22))),
        Arrow(((25, 25), (35, 25)), "payloads", (30, 24)),
        Arrow(((47, 28), (47, 33))),
        Arrow(((64, 28), (64, 33))),
        Arrow(((82, 28), (82, 33))),
        Arrow(((89, 35), (95, 35), (95, 5), (89, 5))),
        Arrow(((14, 28), (14, 33))),
        Arrow(((14, 41), (14, 47))),
        Arrow(((37, 47), (37, 28)), "actions: follow_joint_trajectory, gripper_cmd", (52, 42)),
    ),
)  # fmt: skip

LAYERS = Diagram(
    "Layers of the package; arrows point to the folders that are used",
    90.0,
    54.0,
    (
        Box(1, 2, 13, 6, "serialised\nmessages", "data"),
        Box(20, 2, 20, 6, "ros: nodes"),
        Box(42, 2, 14, 6, "demo, view"),
        Box(58, 2, 14, 6, "recordings"),
        Box(74, 2, 15, 6, "studies, learning,\nkitchen"),
        Box(20, 13, 20, 6, "live: bytes to results\nin one compiled call"),
        Box(42, 13, 22, 6, "simulation, execution,\ncontrol, motions"),
        Box(66, 13, 23, 6, "visual, collision,\ntasks, conversion"),
        Box(1, 24, 13, 6, "URDF, mechanisms,\nworld files", "data"),
        Box(20, 24, 54, 6, "model: files to flat arrays; Model and State"),
        Box(76, 24, 13, 6, "symbolic"),
        Box(20, 35, 69, 6, "core: mechanics on arrays"),
        Box(20, 46, 69, 6, "numerics: numerical methods and compilation"),
    ),
    (
        Arrow(((14, 4), (20, 4))),
        Arrow(((20, 6), (14, 6))),
        Arrow(((14, 27), (20, 27))),
        Arrow(((30, 8), (30, 13)), "no ROS below", (30, 11)),
        Arrow(((49, 8), (49, 13))),
        Arrow(((62, 8), (62, 13))),
        Arrow(((81, 8), (81, 13))),
        Arrow(((30, 19), (30, 24))),
        Arrow(((53, 19), (53, 24))),
        Arrow(((70, 19), (70, 24))),
        Arrow(((47, 30), (47, 35)), "no files below", (47, 33)),
        Arrow(((76, 27), (74, 27))),
        Arrow(((54, 41), (54, 46)), "no mechanics below", (54, 44)),
    ),
)

DIAGRAMS = {"steps": STEPS, "tree_and_loops": TREE_AND_LOOPS, "graph": GRAPH, "layers": LAYERS}


def drawn(diagram: Diagram) -> str:
    """Return a diagram as SVG."""
    size = {"width": UNIT * diagram.width, "height": UNIT * diagram.height}
    parts = [HEAD.format(title=escape(diagram.title), **size)]
    for arrow in diagram.arrows:
        points = " ".join(f"{UNIT * x:g},{UNIT * y:g}" for x, y in arrow.points)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="#444" stroke-width="1.5" '
            'marker-end="url(#head)"/>\n'
        )
    for box in diagram.boxes:
        fill, outline = COLOURS[box.kind]
        parts.append(
            f'<rect x="{UNIT * box.x:g}" y="{UNIT * box.y:g}" width="{UNIT * box.width:g}" '
            f'height="{UNIT * box.height:g}" rx="6" fill="{fill}" stroke="{outline}"/>\n'
        )
        middle = box.x + 0.5 * box.width, box.y + 0.5 * box.height
        parts.append(_lines(box.text, middle, "black", "none"))
    for arrow in diagram.arrows:
        if arrow.text:
            parts.append(_lines(arrow.text, arrow.place, "#333", "white"))
    return "".join(parts) + "</svg>\n"


def _lines(text: str, middle: tuple[float, float], colour: str, halo: str) -> str:
    """Return lines of text around a place (units)."""
    lines = text.split("\n")
    x, y = UNIT * middle[0], UNIT * middle[1] - 0.5 * LINE * (len(lines) - 1) + 4.0
    return "".join(
        f'<text x="{x:g}" y="{y + LINE * k:g}" fill="{colour}" stroke="{halo}" stroke-width="4" '
        f'paint-order="stroke">{escape(line)}</text>\n'
        for k, line in enumerate(lines)
    )


if __name__ == "__main__":
    for name, diagram in DIAGRAMS.items():
        (IMAGES / f"{name}.svg").write_text(drawn(diagram), encoding="utf-8")
