# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the options of the commands, from their parsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from charmie_dynamics.command_line import Parser

from .document import code, table_of


def charmie_analyze() -> str:
    """Return what charmie_analyze says of itself."""
    from charmie_dynamics.recordings.commands.options import make_parser

    return described(make_parser())


def charmie_prepare() -> str:
    """Return what charmie_prepare says of itself."""
    from charmie_dynamics.prepare.command import make_parser

    return described(make_parser())


def charmie_identify() -> str:
    """Return what charmie_identify says of itself."""
    from charmie_dynamics.studies.commands.identify_options import make_parser

    return described(make_parser())


def charmie_plot() -> str:
    """Return what charmie_plot says of itself."""
    from charmie_dynamics.recordings.commands.plot_options import make_parser

    return described(make_parser())


def charmie_render() -> str:
    """Return what charmie_render says of itself."""
    from charmie_dynamics.recordings.commands.render_options import make_parser

    return described(make_parser())


def charmie_study() -> str:
    """Return what charmie_study says of itself."""
    from charmie_dynamics.studies.commands.study_options import make_parser

    return described(make_parser())


def charmie_view() -> str:
    """Return what charmie_view says of itself."""
    from charmie_dynamics.view.options import make_parser

    return described(make_parser())


def charmie_size() -> str:
    """Return what charmie_size says of itself."""
    from charmie_dynamics.studies.commands.size_options import make_parser

    return described(make_parser())


def charmie_demo() -> str:
    """Return what the demonstration says of itself."""
    from charmie_dynamics.demo.run import make_parser

    return described(make_parser())


def described(parser: Parser) -> str:
    """Return a command's description, the table of its arguments and options, and an example."""
    rows = [
        (_usage(parser, action), _help(parser, action))
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction | argparse._VersionAction)
    ]
    example = f"```bash\n{parser.example}\n```"
    return "\n\n".join([parser.description or "", table_of(("option", "meaning"), rows), example])


def _usage(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    value = " ".join(_values(action))
    if not action.option_strings:
        return code(value)
    return ", ".join(code(f"{name} {value}".strip()) for name in action.option_strings)


def _values(action: argparse.Action) -> Iterator[str]:
    if action.nargs == 0:
        return
    name = action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper()
    yield str(name)
    if action.nargs == "+":
        yield "..."


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    text = re.sub(
        r"%\(default\)(\w)", lambda found: f"%{found[1]}" % action.default, action.help or ""
    )
    return text.replace("%%", "%")
