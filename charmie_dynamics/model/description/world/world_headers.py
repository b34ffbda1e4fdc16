# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Name, description and tags of world files, and the world files of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from charmie_dynamics.errors import InputError, ModelFileError, shown

from ..files import read_text
from ..package_robots import PACKAGE_WORLDS, world_file
from ..yaml_document import load_yaml

ENDINGS = (".yaml", ".yml")


class WorldHeader(NamedTuple):
    """What a list of worlds says about a world.

    Attributes
    ----------
    name : str
        From the file, or the name of the file.
    uri : str
        Path, URI or name of a world of this package; empty: none.
    text : str
        The content, of a world without `uri`.
    description : str
    tags : tuple of str
    """

    name: str
    uri: str = ""
    text: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()


def world_header(text: str, uri: str = "") -> WorldHeader:
    """Return the header of the text of a world file; other faults of the file do not matter.

    Raises
    ------
    ModelFileError
        If the text is no world file.

    Examples
    --------
    >>> from charmie_dynamics.model.description.world.world_headers import world_header
    >>> world_header("{world: yard, tags: [outdoor], entities: {}}", "yard.yaml").tags
    ('outdoor',)
    """
    document, _ = load_yaml(text, uri or "resource_string")
    if not isinstance(document, dict) or not isinstance(document.get("entities"), dict):
        raise ModelFileError(f"{uri or 'resource_string'}: expected a world file with entities")
    tags = document.get("tags")
    return WorldHeader(
        str(document.get("world") or Path(uri).stem or "world"),
        uri,
        "" if uri else text,
        str(document.get("description") or ""),
        tuple(map(str, tags)) if isinstance(tags, list) else (),
    )


def package_headers() -> list[WorldHeader]:
    """Return the headers of the worlds of this package.

    Raises
    ------
    ModelFileError
        If the installation is not complete.
    """
    return [world_header(read_text(world_file(name)), name) for name in PACKAGE_WORLDS]


def folder_headers(folder: Path) -> list[WorldHeader]:
    """Return the headers of the world files of a folder, by their names; other files are omitted.

    Raises
    ------
    InputError
        If there is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"'{shown(str(folder))}': expected a folder, got none")
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in ENDINGS:
            try:
                found.append(world_header(read_text(path), path.resolve().as_uri()))
            except ModelFileError:
                continue
    return found
