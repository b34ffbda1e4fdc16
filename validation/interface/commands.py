# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Options of the commands, what /diagnostics tells, the robots, the examples."""

from __future__ import annotations

import argparse
import ast
import re
from importlib import import_module

from charmie_dynamics.command_line import Parser
from charmie_dynamics.live.findings import FINDINGS, STATUSES
from charmie_dynamics.live.wire.samples import REFUSAL_CAUSES
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS
from validation.harness.pages import DOCS

from .cells import code, table_of


def of_command(module: str) -> str:
    """Return a command's description, the table of its arguments and options, and an example."""
    parser: Parser = import_module(f"charmie_dynamics.{module}").make_parser()
    rows = [
        (_usage(action), _help(action))
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction | argparse._VersionAction)
    ]
    example = f"```bash\n{parser.example}\n```"
    return "\n\n".join([parser.description or "", table_of(("option", "meaning"), rows), example])


def _usage(action: argparse.Action) -> str:
    value = ""
    if action.nargs != 0:
        name = action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper()
        value = f"{name} ..." if action.nargs == "+" else str(name)
    names = action.option_strings or [""]
    return ", ".join(code(f"{name} {value}".strip()) for name in names)


def _help(action: argparse.Action) -> str:
    given = re.sub(
        r"%\(default\)(\w)", lambda found: f"%{found[1]}" % action.default, action.help or ""
    )
    return given.replace("%%", "%")


def statuses() -> str:
    """Return the table of the statuses of the dynamics node."""
    return table_of(("status", "content"), [(code(n), text) for n, text in STATUSES.items()])


def findings() -> str:
    """Return the table of all warnings and errors."""
    rows = [
        (
            f.status if " " in f.status else code(f.status),
            f.level,
            code(f.text),
            f.meaning,
            f.remedy,
        )
        for f in FINDINGS
    ]
    return table_of(("status", "level", "text", "meaning", "remedy"), rows)


def causes() -> str:
    """Return the table of the causes for which messages are refused."""
    rows = [(code(cause), remedy) for cause, remedy in REFUSAL_CAUSES.items()]
    return table_of(("cause", "expected"), rows)


def robots() -> str:
    """Return a row for each robot: name, description and URDF."""
    rows = []
    for name, robot in PACKAGE_ROBOTS.items():
        file = "/".join(robot.urdf)
        rows.append((code(name), robot.description, f"[{file}](../{file})"))
    return table_of(("name", "robot", "URDF"), rows)


# what examples draw, by their names
PICTURES = {
    "contributions_of_the_bodies": "../images/contributions.png",
    "drive_on_swedish_wheels": "../images/driving.gif",
    "film_of_a_swing": "../images/swing.gif",
    "walk_a_hexapod": "../images/walking.gif",
}


def examples() -> str:
    """Return a passage for each example, with its output and its picture.

    The site shows the code, GitHub has the link.
    """
    folder, passages = DOCS.parent / "examples", []
    for path in sorted(folder.glob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        output = (folder / "output" / f"{path.stem}.txt").read_text(encoding="utf-8")
        picture = f"\n\n![The result]({PICTURES[path.stem]})" if path.stem in PICTURES else ""
        passages.append(
            f"## {path.name}\n\n{text.partition(chr(10))[0]}\n"
            f"([examples/{path.name}](../../examples/{path.name}))\n\n"
            f"```{{literalinclude}} ../../examples/{path.name}\n:language: python\n```\n\n"
            f"Output:\n\n```text\n{output}```{picture}"
        )
    return "\n\n".join(passages)
