# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Read YAML so that nothing is silently lost or changed, and remember each entry's line.

Scalars are those of YAML 1.2 and JSON. The parser's own YAML 1.1 reads 1e-3 as text, 010 as eight,
1:30 as ninety, and the name `on` as true.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import yaml

from charmie_dynamics.errors import ModelFileError, shown

Key = str | int
Lines = dict[tuple[Key, ...], int]

# a robot with 100 mechanisms has 30 kB and 2000 values; the parser reads 30 000 in a second
LARGEST = 64 * 1024
MOST_VALUES = 10_000
DEEPEST = 20

_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"[-+]?[0-9]{1,15}")
_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **{
        sign + word: float(f"{sign}inf")
        for word in (".inf", ".Inf", ".INF")
        for sign in ("", "+", "-")
    },
}


class _Loader(yaml.SafeLoader):
    """Composes nodes and ignores their tags. Refuses documents that can expand without bound."""

    depth = 0
    count = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node; refuse aliases, tags, excessive depth and excessive numbers of nodes."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=mark)
        if event.tag is not None:
            raise yaml.MarkedYAMLError(
                problem=f"tags are not allowed, got '{shown(event.tag)}'", problem_mark=mark
            )
        self.count += 1
        if self.count > MOST_VALUES:
            raise yaml.MarkedYAMLError(
                problem=f"more than {MOST_VALUES} keys and values", problem_mark=mark
            )
        if self.depth == DEEPEST:
            raise yaml.MarkedYAMLError(
                problem=f"nested more than {DEEPEST} deep", problem_mark=mark
            )
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def load_yaml(text: str, source: str) -> tuple[Any, Lines]:
    """Parse a YAML document.

    Parameters
    ----------
    text : str
        The document.
    source : str
        Name of the file, for messages.

    Returns
    -------
    value : object
        Dictionaries with keys of text, lists and scalars; an empty dictionary for an empty text.
    lines : dict of tuple to int
        Line (from 1) of each entry, by its path of keys and indices.

    Raises
    ------
    ModelFileError
        For text that is no YAML or too long, a repeated key, a key that is no text, an alias or a
        tag; with file and line.
    """
    if len(text) > LARGEST:
        raise ModelFileError(f"{source}: {len(text)} characters; expected at most {LARGEST}")
    try:
        loader = _Loader(text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{source}, line {mark.line + 1}" if mark is not None else source
        reason = ", ".join(filter(None, (error.context, error.problem)))
        raise ModelFileError(f"{where}: not valid YAML: {shown(reason)}") from error
    except yaml.reader.ReaderError as error:
        line = 1 + text.count("\n", 0, error.position)
        raise ModelFileError(
            f"{source}, line {line}: not valid YAML: character U+{error.character:04X} is not "
            "allowed"
        ) from error
    lines: Lines = {}
    if root is None:
        return {}, lines
    return _value(root, (), lines, source), lines


def line_of(path: Sequence[Key], lines: Lines) -> int:
    """Return the line of the entry at `path`, or of the nearest entry that contains it."""
    for length in range(len(path), 0, -1):
        if tuple(path[:length]) in lines:
            return lines[tuple(path[:length])]
    return 1


def _value(node: yaml.Node, path: tuple[Key, ...], lines: Lines, source: str) -> Any:
    """Return the value of a node, and record the lines of its entries."""
    if isinstance(node, yaml.SequenceNode):
        items = []
        for index, item in enumerate(node.value):
            entry: tuple[Key, ...] = (*path, index)
            lines[entry] = item.start_mark.line + 1
            items.append(_value(item, entry, lines, source))
        return items
    if isinstance(node, yaml.MappingNode):
        values = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise ModelFileError(f"{source}, line {line}: expected a key of text")
            key = key_node.value
            entry = (*path, key)
            if entry in lines:
                raise ModelFileError(
                    f"{source}, line {line}: key '{shown(key)}' occurs twice, "
                    f"first on line {lines[entry]}"
                )
            lines[entry] = line
            values[key] = _value(value_node, entry, lines, source)
        return values
    return _scalar(node)


def _scalar(node: Any) -> str | bool | float | None:
    text: str = node.value
    if node.style is not None:  # in quotes, or a block
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
