# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Triangles of STL, OBJ and COLLADA files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import InputError, MissingFileError, ModelFileError, choices
from charmie_dynamics.numerics.vectors import Floats, Ints

from ..files import LARGEST_FILE
from .collada import collada_triangles
from .convex import ConvexMesh
from .polyhedron import Polyhedron

FORMATS = (".dae", ".obj", ".stl")
# of the size: STL has numbers of 32 bits, so that corners of a flat face lie beside it by a tenth
OF_FILES = 1e-6
MOST_VERTICES = 1000
HEADER, RECORD = 84, 50  # bytes of a binary STL file and of each of its triangles
ROW = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_mesh(path: Path, factors: Sequence[float] = (1.0, 1.0, 1.0)) -> Polyhedron:
    r"""Read a convex mesh.

    Parameters
    ----------
    path : Path
        Of an STL file, binary or text, an OBJ file, or a COLLADA file (.dae).
    factors : sequence of float
        Along its axes; negative ones mirror it.

    Raises
    ------
    ModelFileError
        If the file cannot be read, has another format, no triangles or too many corners; or the
        surface is not closed or not convex, with the distance by which it is not.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from charmie_dynamics.model.description.meshes import read_mesh
    >>> text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "wedge.obj"
    ...     _ = path.write_text(text)
    ...     mesh = read_mesh(path, (0.6, 0.6, 0.6))
    >>> round(mesh.volume, 6)
    0.036
    """
    corners = read_triangles(path)
    if not all(np.isfinite(factors)) or 0.0 in factors:
        raise ModelFileError(f"{path}: expected factors that are not zero, got {list(factors)}")
    # adding zero makes -0 and 0 the same
    vertices, rows = np.unique(
        corners.reshape(-1, 3) * np.array(factors) + 0.0, axis=0, return_inverse=True
    )
    if len(vertices) > MOST_VERTICES:
        raise ModelFileError(f"{path}: {len(vertices)} corners; expected at most {MOST_VERTICES}")
    faces: Ints = rows.reshape(-1, 3).astype(np.int64)
    if np.prod(factors) < 0.0:
        faces = faces[:, ::-1]
    try:
        return Polyhedron(ConvexMesh(str(path), vertices, faces, OF_FILES), OF_FILES)
    except InputError as error:
        raise ModelFileError(str(error)) from None


def read_triangles(path: Path) -> Floats:
    """Return the corners (m, 3, 3) of the triangles of a mesh, which may be of any form.

    Raises
    ------
    ModelFileError
        If the file cannot be read, has another format, or no triangles.
    """
    data = _bytes_of(path)
    kind = path.suffix.lower()
    readers = {".dae": collada_triangles, ".obj": _obj, ".stl": _stl}
    if kind not in readers:
        raise ModelFileError(
            f"{path}: '{path.suffix}' is no format of meshes{choices(kind, FORMATS)}"
        )
    try:
        corners = readers[kind](data)
    except (ValueError, IndexError) as error:
        raise ModelFileError(f"{path}: not a valid {kind[1:].upper()} file: {error}") from None
    if not len(corners):
        raise ModelFileError(f"{path}: expected triangles, got none")
    if not np.isfinite(corners).all():
        raise ModelFileError(f"{path}: expected finite numbers, got others")
    return corners


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise MissingFileError(f"{path}: expected a file, got none")
        if path.stat().st_size > LARGEST_FILE:
            raise ModelFileError(
                f"{path}: {path.stat().st_size} bytes; expected at most {LARGEST_FILE}"
            )
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelFileError(f"{path}: cannot be read: {reason}") from error


def _stl(data: bytes) -> Floats:
    """Return the corners (m, 3, 3) of a text or binary STL file."""
    count = int.from_bytes(data[HEADER - 4 : HEADER], "little") if len(data) >= HEADER else -1
    if len(data) == HEADER + RECORD * count:  # the text of some binary files begins with solid, too
        rows = np.frombuffer(data, ROW, count, HEADER)
        return np.asarray(rows["corners"], dtype=float)
    if not data.lstrip().startswith(b"solid"):
        raise ValueError(f"{len(data)} bytes are not those of {count} triangles")
    rows_of_words = (line.split() for line in data.decode("ascii", "replace").lower().splitlines())
    found = [[float(x) for x in words[1:]] for words in rows_of_words if words[:1] == ["vertex"]]
    if len(found) % 3 or any(len(corner) != 3 for corner in found):
        raise ValueError(f"expected three corners a triangle, got {len(found)} in all")
    return np.array(found, dtype=float).reshape(-1, 3, 3)


def _obj(data: bytes) -> Floats:
    """Return the corners (m, 3, 3) of the faces of an OBJ file, polygons as fans of triangles."""
    vertices: list[list[float]] = []
    triangles: list[list[list[float]]] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if not words or words[0] not in ("v", "f"):
            continue
        if words[0] == "v":
            if len(words) < 4:
                raise ValueError(f"line {number}: expected three numbers, got {len(words) - 1}")
            vertices.append([float(x) for x in words[1:4]])
            continue
        rows = [int(word.split("/")[0]) for word in words[1:]]
        for row in rows:
            if row == 0 or abs(row) > len(vertices):
                raise ValueError(f"line {number}: expected corners 1 to {len(vertices)}, got {row}")
        if len(rows) < 3:
            raise ValueError(f"line {number}: expected at least 3 corners, got {len(rows)}")
        polygon = [vertices[row - 1 if row > 0 else row] for row in rows]
        triangles += [[polygon[0], polygon[k], polygon[k + 1]] for k in range(1, len(polygon) - 1)]
    return np.array(triangles, dtype=float).reshape(-1, 3, 3)
