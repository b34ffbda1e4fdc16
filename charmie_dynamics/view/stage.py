# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot as a scene in the browser: nodes are created once, then only numbers are sent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np
import trimesh
import viser
from numpy.typing import NDArray

from charmie_dynamics.numerics.vectors import Floats

from .batches import Batch, Lines, MarkerAppearance, MarkerLayout, Solids, Texts, make_batches
from .camera import ViewerCamera
from .solids import SOLIDS, Mesh

FLOOR = 12.0  # m, edge of the grid
# m: a solid of at least this size is a floor, which the camera ignores
LARGE = 0.5 * FLOOR
SUNK = 0.01  # m, of the grid below such a floor
SECTION = 1.0  # m, between its strong lines
ROBOT = "/robot"

Place = tuple[float, float, float]  # x, y in the plane of the floor (m), turn about z (rad)


class Stage:
    """The nodes of all markers, one group per namespace.

    Parameters
    ----------
    server : ViserServer
    pick : callable
        Called with the frame of a clicked shape.
    """

    def __init__(self, server: viser.ViserServer, pick: Callable[[str], None]) -> None:
        self._server = server
        self._pick = pick
        self._nodes: dict[int, list[_Node]] = {}
        self._layouts: dict[int, tuple[str, MarkerLayout]] = {}
        self._groups: dict[str, viser.FrameHandle] = {}
        self._number = 0
        self._camera = ViewerCamera(server)
        scene = server.scene
        scene.world_axes.visible = False
        self.cast_shadows(True)
        scene.configure_environment_map("studio", environment_intensity=0.45)
        self._follow = True
        self._place: Place | None = None
        self._floor_height = 0.0
        self._robot = scene.add_frame(ROBOT, show_axes=False)
        self._floor = scene.add_grid(
            "/floor",
            width=FLOOR,
            height=FLOOR,
            cell_size=0.25,
            section_size=SECTION,
            cell_color=(226, 229, 233),
            section_color=(200, 205, 211),
            plane_color=(247, 248, 250),
            plane_opacity=1.0,
            shadow_opacity=0.25,
            fade_distance=FLOOR,
            fade_from="origin",
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """The namespaces on the stage, visible or hidden."""
        return tuple(self._groups)

    def show_group(self, namespace: str, visible: bool) -> None:
        """Show or hide a namespace."""
        group = self._groups.get(namespace)
        if group is not None:
            group.visible = visible

    def cast_shadows(self, cast: bool) -> None:
        """Enable or disable shadows, which slow down a browser without a graphics card."""
        self._server.scene.configure_default_lights(cast_shadow=cast)

    def follow(self, follow: bool) -> None:
        """Keep the robot in the middle, or let it move away."""
        self._follow = follow

    def update(
        self,
        source: str,
        layout: MarkerLayout,
        appearance: MarkerAppearance,
        place: Place | None = None,
    ) -> None:
        """Show markers, in world coordinates; they replace others of their namespaces and source.

        Parameters
        ----------
        source : str
            Name of their topic.
        layout : MarkerLayout
        appearance : MarkerAppearance
            In the world.
        place : (float, float, float), optional
            Position and rotation of the robot, if these are its markers. The camera shows the
            robot, or all other markers without a robot.
        """
        is_floor = (appearance.scale.max(axis=1, initial=0.0) >= LARGE) & appearance.visible
        if place is not None:
            self._place = place
        x, y, heading = self._place if self._follow and self._place else (0.0, 0.0, 0.0)
        self._robot.position = (-x, -y, 0.0)
        if is_floor.any():
            self._floor_height = -SUNK
        self._floor.position = (-(x % SECTION), -(y % SECTION), self._floor_height)
        with self._server.atomic():
            if id(layout) not in self._nodes:
                self._replace(source, layout, appearance)
            for node in self._nodes[id(layout)]:
                node.update(appearance)
        if self._follow and (place is not None or self._place is None):
            bodies = appearance._replace(visible=appearance.visible & ~is_floor)
            self._camera.show(layout, bodies, np.array([x, y, 0.0]), heading)

    def hide(self, layout: MarkerLayout) -> None:
        """Hide markers; `update` shows them again."""
        for node in self._nodes.get(id(layout), ()):
            node.hide()

    def layouts(self, source: str) -> list[MarkerLayout]:
        """Return the layouts of a source on the stage, visible or hidden."""
        return [layout for origin, layout in self._layouts.values() if origin == source]

    def _replace(self, source: str, layout: MarkerLayout, appearance: MarkerAppearance) -> None:
        for key, (origin, other) in list(self._layouts.items()):
            if origin == source and set(other.namespaces) & set(layout.namespaces):
                for node in self._nodes.pop(key):
                    node.remove()
                del self._layouts[key]
        kept = {name for _, other in self._layouts.values() for name in other.namespaces}
        remaining = kept | set(layout.namespaces)
        for name in [name for name in self._groups if name not in remaining]:
            self._groups.pop(name).remove()
        for name in dict.fromkeys(layout.namespaces):
            if name not in self._groups:
                self._groups[name] = self._server.scene.add_frame(_path(name), show_axes=False)
        nodes: list[_Node] = []
        for batch in make_batches(layout, appearance):
            self._number += 1
            made = self._make(f"{_path(batch.namespace)}/{self._number}", batch, layout, appearance)
            if made is not None:
                nodes.append(made)
        self._layouts[id(layout)] = source, layout
        self._nodes[id(layout)] = nodes

    def _make(
        self, path: str, batch: Batch, layout: MarkerLayout, appearance: MarkerAppearance
    ) -> _Node | None:
        scene = self._server.scene
        if isinstance(batch, Texts):
            return _TextNode(scene, path, batch, appearance)
        if isinstance(batch, Lines):
            return _LineNode(scene, path, batch)
        solid = load_mesh(batch.mesh) if batch.form == "mesh" else SOLIDS[batch.form]()
        if solid is None:
            return None
        frames = [layout.frames[row] for row in batch.rows]
        return _SolidNode(scene, path, batch, solid, appearance, frames, self._pick)


class _Node(ABC):
    """One node of the scene."""

    handle: viser.SceneNodeHandle

    @abstractmethod
    def update(self, appearance: MarkerAppearance) -> None:
        """Update the node to the appearance."""

    def hide(self) -> None:
        self.handle.visible = False

    def remove(self) -> None:
        self.handle.remove()


class _SolidNode(_Node):
    def __init__(
        self,
        scene: viser.SceneApi,
        path: str,
        batch: Solids,
        solid: Mesh,
        appearance: MarkerAppearance,
        frames: list[str],
        pick: Callable[[str], None],
    ) -> None:
        self._batch = batch
        placed = batch.place(appearance)
        opacity = placed.color[:, 3]
        self.handle: viser.BatchedMeshHandle = scene.add_batched_meshes_simple(
            path,
            solid.vertices,
            solid.faces,
            batched_wxyzs=np.roll(placed.quaternion, 1, axis=1),
            batched_positions=placed.position,
            batched_scales=placed.scale,
            batched_colors=_bytes(placed.color[:, :3]),
            batched_opacities=opacity if (opacity < 1.0).any() else None,
            lod="off",
            receive_shadow=False,
        )

        @self.handle.on_click
        def _(event: viser.SceneNodePointerEvent[viser.BatchedMeshHandle]) -> None:
            if event.instance_index is not None:
                pick(frames[event.instance_index])

    def update(self, appearance: MarkerAppearance) -> None:
        placed, handle = self._batch.place(appearance), self.handle
        handle.visible = True
        handle.batched_positions = _single(placed.position)
        handle.batched_wxyzs = _single(np.roll(placed.quaternion, 1, axis=1))
        # these two are sent only after a change
        handle.batched_scales = _single(placed.scale)
        handle.batched_colors = _bytes(placed.color[:, :3])
        if handle.batched_opacities is not None:
            handle.batched_opacities = _single(placed.color[:, 3])


class _LineNode(_Node):
    def __init__(self, scene: viser.SceneApi, path: str, batch: Lines) -> None:
        self._batch = batch
        shape = (len(batch.rows), 2, 3)
        self.handle: viser.LineSegmentsHandle = scene.add_line_segments(
            path,
            np.zeros(shape),
            np.zeros(shape, dtype=np.uint8),
            thickness=batch.width,
            visible=False,
        )

    def update(self, appearance: MarkerAppearance) -> None:
        segments = self._batch.segments(appearance)
        if segments is not None:
            self.handle.points = _single(segments[0])
            self.handle.colors = _bytes(_linear(segments[1]))
        self.handle.visible = segments is not None


class _TextNode(_Node):
    def __init__(
        self, scene: viser.SceneApi, path: str, batch: Texts, appearance: MarkerAppearance
    ) -> None:
        self._rows = batch.rows.tolist()
        self.handle: viser.FrameHandle = scene.add_frame(path, show_axes=False)
        self._labels = [
            scene.add_label(
                f"{path}/{row}",
                appearance.texts[row],
                font_size_mode="scene",
                font_scene_height=float(appearance.scale[row, 2]),
                anchor="center-center",
            )
            for row in self._rows
        ]

    def update(self, appearance: MarkerAppearance) -> None:
        self.handle.visible = True
        for row, label in zip(self._rows, self._labels, strict=True):
            label.visible = bool(appearance.visible[row])
            label.position = appearance.position[row]
            label.text = appearance.texts[row]


def load_mesh(url: str) -> Mesh | None:
    """Return the surface in a local file; None if it cannot be read."""
    parts = urlparse(url)
    try:
        if parts.scheme == "package":
            from ament_index_python.packages import get_package_share_directory

            path = Path(get_package_share_directory(parts.netloc)) / parts.path.lstrip("/")
        else:
            path = Path(unquote(parts.path))
        mesh: Any = trimesh.load(path, force="mesh")
        return Mesh(np.asarray(mesh.vertices), np.asarray(mesh.faces))
    except Exception:  # each format raises its own errors
        return None


def _path(namespace: str) -> str:
    return f"{ROBOT}/" + (namespace.replace("/", "_") or "markers")


def _single(values: Floats) -> NDArray[np.float32]:
    return values.astype(np.float32)


def _bytes(color: Floats) -> NDArray[np.uint8]:
    return np.clip(255.0 * color + 0.5, 0.0, 255.0).astype(np.uint8)


def _linear(color: Floats) -> Floats:
    """Return linear colours; those of solids are converted in the browser."""
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
