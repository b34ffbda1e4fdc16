# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The meshes of a converted robot: where they are, and convex hulls on request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import InputError, MissingFileError, ModelFileError
from charmie_dynamics.model.description.meshes import find_mesh, read_mesh, read_triangles
from charmie_dynamics.model.description.robot import Collision, Link


class MeshPlaces:
    """Finds the meshes of a robot and writes convex hulls.

    Parameters
    ----------
    source : Path
        Where relative paths begin.
    package_path : sequence of Path
        See `find_mesh`.
    folder : Path
        Of the converted robot.
    hulls : bool
        Whether hulls replace meshes of collisions that are no convex solids.
    """

    def __init__(
        self, source: Path, package_path: Sequence[Path], folder: Path, *, hulls: bool
    ) -> None:
        self._source, self._package_path = source, package_path
        self._folder, self._hulls = folder, hulls
        self._missing: dict[str, str] = {}
        self._not_convex: dict[str, None] = {}
        self._written: dict[tuple[str, tuple[float, ...]], str] = {}
        self._deviation = 0.0
        self._faults: dict[str, None] = {}

    def placed(self, link: Link) -> Link:
        """Return a link whose meshes are files with absolute paths, or beside the URDF."""
        visuals = [
            replace(shape, mesh=self._path(shape.mesh)) if shape.kind == "mesh" else shape
            for shape in link.visuals
        ]
        collisions = [
            self._collision(shape) if shape.kind == "mesh" else shape for shape in link.collisions
        ]
        return replace(link, visuals=tuple(visuals), collisions=tuple(collisions))

    @property
    def remarks(self) -> list[str]:
        """Meshes that are not found or not convex, and hulls."""
        lines = [f"mesh {reason}" for reason in dict.fromkeys(self._missing.values())]
        if self._not_convex:
            lines.append(
                "collisions need convex solids, others are refused: "
                f"{', '.join(self._not_convex)}; --hulls writes their convex hulls"
            )
        if self._written:
            lines.append(
                f"shape of {len(self._written)} meshes of collisions: convex hulls in their "
                f"place, of which corners lie outside by up to {self._deviation:.1e} m"
            )
        return [*lines, *self._faults]

    def _path(self, mesh: str) -> str:
        if (self._folder / mesh).is_file() and "/" not in mesh:
            return mesh  # written with the robot
        try:
            path = find_mesh(mesh, self._source, self._package_path)
        except MissingFileError as error:
            self._missing.setdefault(mesh, str(error))
            return mesh
        if not path.is_file():
            self._missing.setdefault(mesh, f"'{mesh}': {path} is no file")
            return mesh
        return str(path.resolve())

    def _collision(self, shape: Collision) -> Collision:
        mesh = self._path(shape.mesh)
        if shape.mesh in self._missing:
            return shape
        shape, path = replace(shape, mesh=mesh), self._folder / mesh
        key = mesh, shape.size
        if key not in self._written:
            try:
                read_mesh(path, shape.size)
                return shape
            except ModelFileError:
                if not self._hulls:
                    self._not_convex[path.name] = None
                    return shape
            from .hulls import convex_hull

            try:
                hull = convex_hull(read_triangles(path) * np.array(shape.size))
            except (InputError, ModelFileError) as error:
                self._faults[f"hull of the mesh '{path.name}': {error}"] = None
                return shape
            self._deviation = max(self._deviation, hull.deviation)
            name = f"{path.stem}_hull_{len(self._written)}.obj"
            (self._folder / name).write_text(hull.obj(), encoding="utf-8")
            self._written[key] = name
        return replace(shape, mesh=self._written[key], size=(1.0, 1.0, 1.0))
