# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inputs and results of detection, as arrays of one block.

In the shapes of the arrays, `shapes` and `pairs` are the capacities, `excluded` the number of pairs
that are not checked. The types of shapes, in their own frames: a plane is the half-space z <= 0; a
sphere is about the origin; a capsule, cylinder or torus is about the z axis; a box or ellipsoid is
along the axes; a mesh is a convex polyhedron about the middle of its bounds.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.vectors import Floats, Ints

# types of shapes; a pair is computed with the lower one first
PLANE = 0
SPHERE = 1
CAPSULE = 2
BOX = 3
CYLINDER = 4
ELLIPSOID = 5
TORUS = 6
MESH = 7

# values of `ContactPairs.pair_status`
FOUND = 0
NOT_CONVERGED = 1  # of smooth surfaces: Newton's method found no contact points
NO_SUCH_PAIR = 2  # two planes, or shapes for which there is no method

MOST_POINTS = 16  # of a pair
CORNERS = 32  # of a polygon while it is clipped

# entries of `Zonoid.zonoid_counts`
SEGMENTS = 0
FIRST_SEGMENTS = 1  # of the first shape
DISCS = 2
FIRST_DISCS = 3


class DetectionSizes(NamedTuple):
    """Capacities of the arrays."""

    shapes: int
    pairs: int
    excluded: int
    vertices: int = 0  # of all polyhedra
    edges: int = 0
    faces: int = 0
    corners: int = 0  # of all faces


class Shapes(NamedTuple):
    """Shapes fixed to bodies.

    Sizes: sphere (radius, 0, 0); capsule and cylinder (radius, half the length of the axis, 0),
    that of a capsule between the centres of its ends; box (half of each edge); ellipsoid (its
    semi-axes); torus (radius of the ring, radius of the tube, 0); plane (0, 0, 0); mesh (half of
    each edge of the box around it).
    """

    shape_type: Annotated[Ints, "shapes"]
    shape_body: Annotated[Ints, "shapes"]
    shape_size: Annotated[Floats, "shapes", 3]
    R_body_shape: Annotated[Floats, "shapes", 3, 3]
    p_body_shape: Annotated[Floats, "shapes", 3]
    excluded_pairs: Annotated[Ints, "excluded"]  # first * shapes + second, first < second, sorted


class ShapePoses(NamedTuple):
    """Shapes in the world."""

    R_world_shape: Annotated[Floats, "shapes", 3, 3]
    p_world_shape: Annotated[Floats, "shapes", 3]
    R_world_body: Annotated[Floats, 3, 3]  # of one body, while its shapes are placed
    p_world_body: Annotated[Floats, 3]
    box_low: Annotated[Floats, "shapes", 3]  # bounding box along the axes of the world
    box_high: Annotated[Floats, "shapes", 3]
    sweep_order: Annotated[Ints, "shapes"]  # along the axis that is swept
    sweep_kept: Annotated[Ints, "shapes"]  # workspace of the sort
    sweep_low: Annotated[Floats, "shapes"]


class ShapeMotion(NamedTuple):
    """Velocities, sizes and thicknesses of the shapes, see `passing`."""

    shape_reach: Annotated[Floats, "shapes"]  # of its points from its middle, where it turns (m)
    half_thickness: Annotated[Floats, "shapes"]  # half of the smallest (m); inf of a plane
    shape_velocity: Annotated[Floats, "shapes", 3]  # of the middle, world axes
    shape_turning: Annotated[Floats, "shapes", 3]  # angular, without rotations of no effect
    turn_speed: Annotated[Floats, "shapes"]  # bound of the speed relative to the middle (m/s)
    point_speed: Annotated[Floats, "shapes"]  # bound of the speed of all points (m/s)
    speed_floor: Annotated[Floats, "shapes"]  # input: lower limit of `point_speed`
    fastest_turn: Annotated[Floats, 1]  # the largest angular velocity of a body (rad/s)


class ContactPairs(NamedTuple):
    """Pairs of shapes, and their contact or nearest points.

    A distance is negative if the shapes overlap: then its size is that of the least motion that
    separates them. The normal is the outward normal of the first shape, towards the second. For
    flat contacts each pair has several points, each with its own distance, and one normal: that of
    the pair, or of a flat face within a small tilt from the pair's normal. The surface points are
    position -+ normal * distance / 2 (first, second). `point_share` is the weight of a point's
    force; the shares of a flat face add up to four, those of a line to two. `point_feature`
    identifies a point of a pair from one evaluation to the next, a nonnegative number
    below `memory.FEATURES`.
    """

    pair_first: Annotated[Ints, "pairs"]
    pair_second: Annotated[Ints, "pairs"]
    pair_status: Annotated[Ints, "pairs"]
    pair_distance: Annotated[Floats, "pairs"]
    pair_normal: Annotated[Floats, "pairs", 3]
    nearest_first: Annotated[Floats, "pairs", 3]
    nearest_second: Annotated[Floats, "pairs", 3]
    point_count: Annotated[Ints, "pairs"]
    point_normal: Annotated[Floats, "pairs", 3]
    point_feature: Annotated[Ints, "pairs", 16]
    point_position: Annotated[Floats, "pairs", 16, 3]
    point_distance: Annotated[Floats, "pairs", 16]
    point_share: Annotated[Floats, "pairs", 16]
    # of smooth surfaces: start of Newton's method, six numbers of the two surfaces
    warm_start: Annotated[Floats, "pairs", 6]
    is_warm: Annotated[Ints, "pairs"]
    pair_bound: Annotated[Floats, "pairs"]  # workspace of `nearest`


class Zonoid(NamedTuple):
    """A sum of segments and discs about the origin, and a point outside or inside the sum.

    The sum is the Minkowski difference of two shapes, less their radii, see `zonoids`.
    """

    generator: Annotated[Floats, 6, 3]  # half of each segment
    generator_length: Annotated[Floats, 6]
    generator_part: Annotated[Floats, 6]  # of the nearest point: this times the half, -1 to 1
    generator_state: Annotated[Ints, 6]  # 1: at the kink, the normal is across the segment
    disc_axis: Annotated[Floats, 2, 3]
    disc_radius: Annotated[Floats, 2]
    disc_part: Annotated[Floats, 2, 3]  # of the nearest point
    disc_state: Annotated[Ints, 2]  # 1: at the kink, the normal is along the axis
    zonoid_point: Annotated[Floats, 3]
    zonoid_normal: Annotated[Floats, 3]
    zonoid_counts: Annotated[Ints, 4]  # of segments and discs, see `SEGMENTS`


class Polygons(NamedTuple):
    """A polygon before and after it is clipped; labels of corners, and of the edges after them."""

    corner: Annotated[Floats, 2, 32, 3]
    corner_weight: Annotated[Floats, 2, 32]
    corner_label: Annotated[Ints, 2, 32]
    edge_label: Annotated[Ints, 2, 32]
    side: Annotated[Floats, 32, 3]  # of the reference face: outward normals in its plane
    side_offset: Annotated[Floats, 32]


class Polyhedra(NamedTuple):
    """Meshes, and shapes that can touch them, as polyhedra in their frames, see `polyhedra`.

    A sphere has one vertex, and an edge of length zero. A capsule has two vertices and an edge.
    Both have a radius and no faces. Other shapes have no entries.
    """

    part_first: Annotated[Ints, "shapes", 3]  # of each shape: its first vertex, edge, face
    part_end: Annotated[Ints, "shapes", 3]
    vertex: Annotated[Floats, "vertices", 3]
    edge_vertex: Annotated[Ints, "edges", 2]
    edge_face: Annotated[Ints, "edges", 2]  # without faces: -1
    face_normal: Annotated[Floats, "faces", 3]
    face_offset: Annotated[Floats, "faces"]
    face_corner: Annotated[Ints, "faces", 2]  # first and end of its corners
    corner_vertex: Annotated[Ints, "corners"]
    corner_share: Annotated[Floats, "corners"]  # as point of contact; 0: no point of contact
    # of the pair that is computed, in the axes of the world about the first shape
    placed_vertex: Annotated[Floats, "vertices", 3]
    placed_normal: Annotated[Floats, "faces", 3]
    placed_offset: Annotated[Floats, "faces"]
    vertex_height: Annotated[Floats, "vertices"]
    is_deepest: Annotated[Ints, "vertices"]
    edge_depth: Annotated[Floats, "edges"]
    # the best so far: normal from the first to the second, nearest points of the two
    best_normal: Annotated[Floats, 3]
    best_first: Annotated[Floats, 3]
    best_second: Annotated[Floats, 3]


class Newton(NamedTuple):
    """Two smooth surfaces, and the equations of their points of contact, see `smooth`."""

    surface_point: Annotated[Floats, 2, 3]
    surface_tangent: Annotated[Floats, 2, 2, 3]  # by the first parameter, by the second
    surface_second: Annotated[Floats, 2, 3, 3]  # twice the first, both, twice the second
    surface_normal: Annotated[Floats, 2, 3]
    newton_state: Annotated[Floats, 2, 3]
    newton_kept: Annotated[Floats, 2, 3]
    newton_matrix: Annotated[Floats, 16]
    newton_rest: Annotated[Floats, 4]
    newton_step: Annotated[Floats, 4]
    newton_rows: Annotated[Ints, 4]
    newton_size: Annotated[Floats, 1]


class DetectionAddresses(NamedTuple):
    """Addresses of the two blocks of a `Detection`."""

    ints: Address
    floats: Address


class Detection(NamedTuple):
    """All records of detection, in one block."""

    detection_sizes: Annotated[Ints, 7]
    shapes: Shapes
    placed: ShapePoses
    moving: ShapeMotion
    contacts: ContactPairs
    zonoid: Zonoid
    polygons: Polygons
    newton: Newton
    polyhedra: Polyhedra
