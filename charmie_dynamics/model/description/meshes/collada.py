# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Triangles of the scene of a COLLADA file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

import numpy as np

from charmie_dynamics.numerics.vectors import Floats, Ints

POLYGONS = ("triangles", "polylist", "polygons", "trifans")
MOST_NODES = 10_000  # of a scene
DEEPEST = 100


def collada_triangles(data: bytes) -> Floats:
    """Return the corners (m, 3, 3) of all triangles of the scene, polygons as fans, in m.

    The unit of the file counts. Its `up_axis` does not, as in RViz and Gazebo: the axes of files
    for robots are those of their links, whatever it says.

    Raises
    ------
    ValueError
        If the file is no COLLADA, or refers to parts that it does not have.
    """
    return _Collada(data).triangles


class _Builder(TreeBuilder):
    """Builds a tree without namespaces; refuses declarations, which may hold entities."""

    def start(self, tag: str, attrs: dict[str, str]) -> Element:
        return super().start(tag.rpartition("}")[2], attrs)

    def end(self, tag: str) -> Element:
        return super().end(tag.rpartition("}")[2])

    def doctype(self, *_: object) -> None:
        raise ValueError("it has a DOCTYPE declaration")


class _Collada:
    def __init__(self, data: bytes) -> None:
        parser = XMLParser(target=_Builder())
        try:
            parser.feed(data)
            root: Element = parser.close()
        except (ParseError, LookupError) as error:
            raise ValueError(str(error)) from None
        self.by_id = {own: e for e in root.iter() if (own := e.get("id")) is not None}
        self.nodes = 0
        unit = root.find("asset/unit")
        scale = float("1" if unit is None else unit.get("meter", "1"))
        scene = root.find("scene/instance_visual_scene")
        start = root.find("library_visual_scenes/visual_scene") if scene is None else self.of(scene)
        found = [] if start is None else list(self.in_node(start, np.eye(4)))
        self.triangles: Floats = scale * np.concatenate([np.zeros((0, 3, 3)), *found])

    def of(self, element: Element, attribute: str = "url") -> Element:
        """Return the element to which another one refers."""
        name = element.get(attribute, "").removeprefix("#")
        if name not in self.by_id:
            raise ValueError(f"<{element.tag}> refers to '{name}', which is no part of the file")
        return self.by_id[name]

    def in_node(self, node: Element, outer: Floats, depth: int = 0) -> Iterator[Floats]:
        """Yield the triangles of a node and of all below it."""
        self.nodes += 1
        if depth > DEEPEST or self.nodes > MOST_NODES:
            raise ValueError("its scene has too many nodes")
        pose = outer
        for element in node:
            pose = pose @ _transform(element)
        for element in node:
            if element.tag == "node":
                yield from self.in_node(element, pose, depth + 1)
            elif element.tag == "instance_node":
                yield from self.in_node(self.of(element), pose, depth + 1)
            elif element.tag in ("instance_geometry", "instance_controller"):
                geometry = self.of(element)
                skin = geometry.find("skin")
                geometry = geometry if skin is None else self.of(skin, "source")
                for mesh in geometry.findall("mesh"):
                    for corners in self.in_mesh(mesh):
                        yield corners @ pose[:3, :3].T + pose[:3, 3]

    def in_mesh(self, mesh: Element) -> Iterator[Floats]:
        """Yield the triangles of each group of polygons."""
        for group in mesh:
            if group.tag not in POLYGONS:
                if group.tag == "tristrips":
                    raise ValueError("<tristrips> are not read; export it as triangles")
                continue
            inputs = group.findall("input")
            vertices = [i for i in inputs if i.get("semantic") == "VERTEX"]
            if not vertices:
                raise ValueError(f"<{group.tag}> has no input VERTEX")
            stride = 1 + max(int(i.get("offset", "0")) for i in inputs)
            points = self.points(self.of(vertices[0], "source"))
            rows, counts = [], []
            for element in group.findall("p"):
                own: Ints = _numbers(element, np.int64).reshape(-1, stride)
                rows.append(own[:, int(vertices[0].get("offset", "0"))])
                counts.append(len(own))
            all_rows = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
            if group.tag == "triangles":
                counts = [3] * (len(all_rows) // 3)
            elif group.tag == "polylist":
                counts = _numbers(group.find("vcount"), np.int64).tolist()
            if sum(counts) != len(all_rows) or any(count < 0 for count in counts):
                raise ValueError(f"<{group.tag}> has {len(all_rows)} corners of {sum(counts)}")
            if len(all_rows) and not 0 <= all_rows.min() <= all_rows.max() < len(points):
                raise ValueError(f"<{group.tag}> has corners beyond its {len(points)} points")
            first = np.cumsum([0, *counts])
            fans = [
                [begin, begin + k, begin + k + 1]
                for begin, count in zip(first.tolist(), counts, strict=False)
                for k in range(1, count - 1)
            ]
            corners: Floats = points[all_rows[np.array(fans, dtype=np.int64).reshape(-1, 3)]]
            yield corners

    def points(self, vertices: Element) -> Floats:
        """Return the points (n, 3) of <vertices>."""
        for entry in vertices.findall("input"):
            if entry.get("semantic") == "POSITION":
                source = self.of(entry, "source")
                accessor = source.find("technique_common/accessor")
                width = 3 if accessor is None else int(accessor.get("stride", "1"))
                values: Floats = _numbers(source.find("float_array"), np.float64)
                return values.reshape(-1, width)[:, :3]
        raise ValueError("<vertices> has no input POSITION")


def _numbers(element: Element | None, kind: Any) -> Any:
    return np.array(("" if element is None else element.text or "").split(), dtype=kind)


def _transform(element: Element) -> Floats:
    """Return the matrix (4, 4) of an element of a node; of others the identity."""
    result = np.eye(4)
    if element.tag not in ("matrix", "translate", "scale", "rotate"):
        return result
    values: Floats = _numbers(element, np.float64)
    if element.tag == "matrix":
        result = values.reshape(4, 4)
    elif element.tag == "translate":
        result[:3, 3] = values.reshape(3)
    elif element.tag == "scale":
        result[:3, :3] = np.diag(values.reshape(3))
    else:
        axis, angle = values.reshape(4)[:3], np.radians(values[3])
        axis = axis / np.linalg.norm(axis)
        x, y, z = axis
        across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        result[:3, :3] += np.sin(angle) * across + (1.0 - np.cos(angle)) * across @ across
    return result
