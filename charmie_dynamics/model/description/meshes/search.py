# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the files are to which others refer, as ``package://arm/meshes/hand.stl``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from charmie_dynamics.errors import MissingFileError

from ..files import PACKAGE, share_file

SCHEMES = ("package://", "model://")
# folders with packages, or with models of SDF
VARIABLES = ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "SDF_PATH",
             "GAZEBO_MODEL_PATH")  # fmt: skip
ABOVE = 4  # folders above a file in which a package is looked for, too


def find_mesh(name: str, folder: Path | None = None, package_path: Sequence[Path] = ()) -> Path:
    """Return the path of a mesh, or of another file to which one refers.

    Parameters
    ----------
    name : str
        A path, ``file://`` with one, or ``package://PACKAGE/PATH`` or ``model://PACKAGE/PATH``.
    folder : Path, optional
        Where paths begin that are not absolute. A package is also looked for in the folders above.
    package_path : sequence of Path
        Folders with packages, or packages themselves, before those of `VARIABLES`.

    Raises
    ------
    ModelFileError
        If there is no such package, with the places that were tried; or the scheme is unknown.

    Examples
    --------
    >>> from pathlib import Path
    >>> from charmie_dynamics.model.description.meshes import find_mesh
    >>> find_mesh("stone.stl", Path("/worlds")).as_posix()
    '/worlds/stone.stl'
    """
    for scheme in SCHEMES:
        if name.startswith(scheme):
            package, _, rest = unquote(name[len(scheme) :]).partition("/")
            if package == PACKAGE and rest:
                return share_file(*rest.split("/"))
            return _in_package(name, package, rest, list(_places(package, folder, package_path)))
    is_file = name.startswith("file://")
    if "://" in name and not is_file:
        raise MissingFileError(
            f"'{name}': expected a path, file://, {' or '.join(SCHEMES)}; nothing is downloaded"
        )
    path = Path(unquote(name[len("file://") :]) if is_file else name)
    return path if folder is None else folder / path


def _in_package(name: str, package: str, rest: str, places: list[Path]) -> Path:
    """Return the first file that exists, else that in the first folder that exists."""
    folders = [place for place in places if package and place.is_dir()]
    for folder in folders:
        if (folder / rest).exists():
            return folder / rest
    if folders:
        return folders[0] / rest
    tried = ", ".join(str(place) for place in places) or "no place"
    raise MissingFileError(
        f"'{name}': package '{package}' is not installed; set ROS_PACKAGE_PATH to the folder with "
        f"it; tried {tried}"
    )


def _places(package: str, folder: Path | None, package_path: Sequence[Path]) -> Iterator[Path]:
    """Yield the folders in which a package may be, without repetitions."""
    roots = [Path(root) for root in package_path]
    for variable in VARIABLES:
        roots += [Path(root) for root in os.environ.get(variable, "").split(os.pathsep) if root]
    found = [
        place
        for root in roots
        for place in (
            root / package, root / "share" / package, *([root] if root.name == package else ()),
        )
    ]  # fmt: skip
    if folder is not None:
        here = folder.resolve()
        for above in (here, *here.parents)[:ABOVE]:
            found += [above] if above.name == package else []
            found.append(above / package)
    yield from dict.fromkeys(found)
