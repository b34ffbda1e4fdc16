# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Triangles of the scene of a COLLADA file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

import numpy as np

from charmie_dynamics.numerics.vectors import Floats, Ints

POLYGONS = ("triangles", "polylist", "polygons")
NOT_READ = ("instance_controller", "tristrips", "trifans")
MOST_NODES = 10_000  # of a scene


def collada_triangles(data: bytes) -> Floats:
    """Return the corners (m, 3, 3) of all triangles of the scene, polygons as fans, in m.

    The unit of the file counts. Its `up_axis` does not, as in RViz and Gazebo: the axes of files
    for robots are those of their links, whatever it says.

    Raises
    ------
    ValueError
        If the file is no COLLADA, or refers to parts that it does not have.
    """
    parser = XMLParser(target=_Builder())
    try:
        parser.feed(data)
        root: Element = parser.close()
    except (ParseError, LookupError) as error:
        raise ValueError(str(error)) from None
    for tag in NOT_READ:
        if root.find(f".//{tag}") is not None:
            raise ValueError(f"<{tag}> is not read; export plain triangles")
    unit = root.find("asset/unit")
    scale = float("1" if unit is None else unit.get("meter", "1"))
    with np.errstate(all="ignore"):  # infinite numbers are refused later
        return scale * np.concatenate([np.zeros((0, 3, 3)), *_Collada(root).in_scene()])


class _Builder(TreeBuilder):
    """Builds a tree without namespaces; refuses declarations, which may hold entities."""

    def start(self, tag: str, attrs: dict[str, str]) -> Element:
        return super().start(tag.rpartition("}")[2], attrs)

    def end(self, tag: str) -> Element:
        return super().end(tag.rpartition("}")[2])

    def doctype(self, *_: object) -> None:
        raise ValueError("it has a DOCTYPE declaration")


class _Collada:
    def __init__(self, root: Element) -> None:
        self.root, self.nodes = root, 0
        self.by_id = {element.get("id", ""): element for element in root.iter()}

    def of(self, element: Element, attribute: str = "url") -> Element:
        """Return the element to which another one refers."""
        name = element.get(attribute, "").removeprefix("#")
        if not name or name not in self.by_id:
            raise ValueError(f"<{element.tag}> refers to '{name}', which is no part of the file")
        return self.by_id[name]

    def in_scene(self) -> Iterator[Floats]:
        """Yield the triangles of all nodes."""
        scene = self.root.find("scene/instance_visual_scene")
        waiting = [] if scene is None else [(self.of(scene), np.eye(4))]
        while waiting:
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise ValueError("its scene has too many nodes")
            node, pose = waiting.pop()
            for element in node:
                if element.tag == "node":
                    waiting.append((element, pose))
                elif element.tag == "instance_node":
                    waiting.append((self.of(element), pose))
                elif element.tag == "instance_geometry":
                    for corners in self.in_mesh(self.of(element).find("mesh")):
                        yield corners @ pose[:3, :3].T + pose[:3, 3]
                else:  # before all others, by the schema
                    pose = pose @ _transform(element)

    def in_mesh(self, mesh: Element | None) -> Iterator[Floats]:
        """Yield the triangles of each group of polygons."""
        for group in () if mesh is None else mesh:
            if group.tag not in POLYGONS:
                continue
            offsets = {i.get("semantic"): int(i.get("offset", "0")) for i in group.findall("input")}
            source = group.find("input[@semantic='VERTEX']")
            if source is None:
                raise ValueError(f"<{group.tag}> has no input VERTEX")
            points = self.points(self.of(source, "source"))
            stride = 1 + max(offsets.values())
            polygons = [
                _numbers(element, np.int64).reshape(-1, stride)[:, offsets["VERTEX"]]
                for element in group.findall("p")
            ]
            rows: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *polygons])
            counts = [len(polygon) for polygon in polygons]
            if group.tag == "triangles":
                counts = [3] * (len(rows) // 3)
            elif group.tag == "polylist":
                counts = _numbers(group.find("vcount"), np.int64).tolist()
            if sum(counts) != len(rows) or min(counts, default=0) < 0:
                raise ValueError(f"<{group.tag}> has {len(rows)} corners of {sum(counts)}")
            if len(rows) and not 0 <= rows.min() <= rows.max() < len(points):
                raise ValueError(f"<{group.tag}> has corners beyond its {len(points)} points")
            fans = [
                [end - count, end - count + k, end - count + k + 1]
                for end, count in zip(np.cumsum(counts).tolist(), counts, strict=True)
                for k in range(1, count - 1)
            ]
            yield points[rows[np.array(fans, dtype=np.int64).reshape(-1, 3)]]

    def points(self, vertices: Element) -> Floats:
        """Return the points (n, 3) of <vertices>."""
        position = vertices.find("input[@semantic='POSITION']")
        if position is None:
            raise ValueError("<vertices> has no input POSITION")
        source = self.of(position, "source")
        accessor = source.find("technique_common/accessor")
        width = 3 if accessor is None else int(accessor.get("stride", "1"))
        values: Floats = _numbers(source.find("float_array"), np.float64)
        return values.reshape(-1, width)[:, :3]


def _numbers(element: Element | None, kind: Any) -> Any:
    return np.array(("" if element is None else element.text or "").split(), dtype=kind)


def _transform(element: Element) -> Floats:
    """Return the matrix (4, 4) of an element of a node; of others the identity."""
    result = np.eye(4)
    if element.tag == "matrix":
        result = _numbers(element, np.float64).reshape(4, 4)
    elif element.tag == "translate":
        result[:3, 3] = _numbers(element, np.float64).reshape(3)
    elif element.tag == "scale":
        result[:3, :3] = np.diag(_numbers(element, np.float64).reshape(3))
    elif element.tag == "rotate":
        x, y, z, degrees = _numbers(element, np.float64).tolist()
        across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) / np.linalg.norm((x, y, z))
        angle = np.radians(degrees)
        result[:3, :3] += np.sin(angle) * across + (1.0 - np.cos(angle)) * across @ across
    return result
