"""Read YAML so that nothing is silently lost, and remember on which line each entry stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import yaml

from .errors import ModelFileError

Key = str | int

# YAML 1.2's numbers: the YAML 1.1 of the parser reads 1e-3 as text
_FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")


class _Loader(yaml.SafeLoader):
    """A safe loader which refuses aliases (they can expand without bound)."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.get_mark()
            raise yaml.composer.ComposerError(None, None, "aliases are not allowed", mark)
        return super().compose_node(parent, index)


# resolvers are tried in order: integers come first
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))


def load_yaml(text: str, source: str) -> tuple[Any, dict[tuple[Key, ...], int]]:
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
        Dictionaries, lists and scalars.
    lines : dict of tuple to int
        Line (from 1) of each entry, by its path of keys and indices.

    Raises
    ------
    ModelFileError
        For text that is no YAML, a repeated key, or an alias; with file and line.
    """
    try:
        loader = _Loader(text)
    except yaml.YAMLError as error:  # a character that YAML does not allow
        raise ModelFileError(f"{source}: not valid YAML: {_reason(error)}") from error
    try:
        root = loader.get_single_node()
        lines: dict[tuple[Key, ...], int] = {}
        if root is None:
            return {}, lines
        _record_lines(root, (), lines, source)
        return loader.construct_document(root), lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{source}, line {mark.line + 1}" if mark is not None else source
        raise ModelFileError(f"{where}: not valid YAML: {_reason(error)}") from error
    except (ValueError, RecursionError) as error:  # an impossible date; nesting without end
        raise ModelFileError(f"{source}: not valid YAML: {_reason(error)}") from error
    finally:
        loader.dispose()


def _reason(error: Exception) -> str:
    return getattr(error, "problem", None) or " ".join(str(error).split())


def line_of(path: Sequence[Key], lines: dict[tuple[Key, ...], int]) -> int:
    """Return the line of the entry at `path`, or of the nearest entry that contains it."""
    for length in range(len(path), 0, -1):
        if tuple(path[:length]) in lines:
            return lines[tuple(path[:length])]
    return 1


def _record_lines(
    node: yaml.Node, path: tuple[Key, ...], lines: dict[tuple[Key, ...], int], source: str
) -> None:
    if isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            entry = (*path, str(key_node.value))
            line = key_node.start_mark.line + 1
            if entry in lines:
                raise ModelFileError(
                    f"{source}, line {line}: key '{key_node.value}' stands twice, "
                    f"first on line {lines[entry]}"
                )
            lines[entry] = line
            _record_lines(value_node, entry, lines, source)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            lines[(*path, index)] = item.start_mark.line + 1
            _record_lines(item, (*path, index), lines, source)
