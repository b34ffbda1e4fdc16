"""Shapes of the scene as RViz markers."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Point
from visualization_msgs.msg import Marker

from ..core.rotations import quaternions_from_matrices
from ..scene.shapes import Shape

MARKER_TYPES: dict[str, int] = {
    "box": Marker.CUBE,
    "cylinder": Marker.CYLINDER,
    "sphere": Marker.SPHERE,
    "line_strip": Marker.LINE_STRIP,
    "arrow": Marker.ARROW,
    "mesh": Marker.MESH_RESOURCE,
    "text": Marker.TEXT_VIEW_FACING,
}


def marker_from_shape(shape: Shape, frame_prefix: str = "") -> Marker:
    """Return the marker of a shape, without stamp and lifetime."""
    marker = Marker()
    update_marker(marker, shape, frame_prefix)
    return marker


def update_marker(marker: Marker, shape: Shape, frame_prefix: str = "") -> None:
    """Make a marker show a shape; the points that it has are used again, which is far quicker."""
    marker.header.frame_id = frame_prefix + shape.frame
    marker.ns = shape.namespace
    marker.id = shape.id
    marker.type = MARKER_TYPES[shape.kind]
    marker.action = Marker.ADD
    position = marker.pose.position
    position.x, position.y, position.z = (float(x) for x in shape.position)
    quaternion = np.empty((1, 4))
    quaternions_from_matrices(np.asarray(shape.rotation, dtype=np.float64)[None], quaternion)
    orientation = marker.pose.orientation
    orientation.x, orientation.y, orientation.z, orientation.w = quaternion[0].tolist()
    marker.scale.x, marker.scale.y, marker.scale.z = (float(x) for x in shape.scale)
    color = marker.color
    color.r, color.g, color.b, color.a = (float(x) for x in shape.color)
    places = [] if shape.points is None else np.asarray(shape.points).tolist()
    if len(marker.points) != len(places):
        marker.points = [Point() for _ in places]
    for point, (x, y, z) in zip(marker.points, places, strict=True):
        point.x, point.y, point.z = x, y, z
    marker.text = shape.text
    marker.mesh_resource = shape.mesh
