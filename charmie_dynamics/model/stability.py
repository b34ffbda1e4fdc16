# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stability: zero-moment point and tip-over margin from the load on the base.

The floor pushes, it does not pull: it can hold the robot with forces that act at the wheels and
whose sum acts at the zero-moment point, as long as that lies inside the polygon of the contacts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core import mass as kernel
from charmie_dynamics.core.floor import point_without_tilt
from charmie_dynamics.core.stance import write_stance
from charmie_dynamics.numerics.polygon import nearest_on_edge, support_polygon
from charmie_dynamics.numerics.vectors import Floats

from .model import Model
from .state import State


class Stability(NamedTuple):
    """Stability of a robot, in coordinates of the frame `Support.frame`.

    Parameters
    ----------
    centre_of_mass : array, shape (3,)
        Of all bodies (m); NaN without any mass.
    zero_moment_point : array, shape (3,)
        On the floor (m); NaN where the floor would have to pull.
    margin : float
        Tip-over margin (m), see `tip_over_margin`; NaN without a polygon or zero-moment point.
    nearest_edge_point : array, shape (2,)
        The point of the polygon's edge next to the zero-moment point (m); NaN as the margin.
    """

    centre_of_mass: Floats
    zero_moment_point: Floats
    margin: float
    nearest_edge_point: Floats


@dataclass(frozen=True, eq=False)
class Support:
    """The support of a robot.

    Parameters
    ----------
    frame : str
        The base body where its contacts are known, else the root of the tree.
    height : float
        z of the floor in that frame, to which the floor is parallel (m).
    polygon : array, shape (m, 2)
        Corners around the contacts in that frame, counterclockwise (m); empty where unknown.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.stability import Support
    >>> support = Support.of(load_model())
    >>> support.frame, len(support.polygon)
    ('base', 4)
    """

    frame: str
    height: float
    polygon: Floats

    @classmethod
    def of(cls, model: Model) -> Support:
        """Return the support of a model: its wheel contacts, or the plane z = 0 of its root.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.stability import Support
        >>> print(Support.of(load_model()).polygon)  # m
        [[-0.25 -0.25]
         [ 0.25 -0.25]
         [ 0.25  0.25]
         [-0.25  0.25]]
        """
        contacts = np.array(model.mechanisms.wheel_contacts).reshape(-1, 3)
        if not len(contacts):
            return cls(model.tree.root, 0.0, np.zeros((0, 2)))
        base_body = model.mechanisms.base_body or model.tree.root
        return cls(base_body, float(contacts[0, 2]), support_polygon(contacts))


def stability_of(model: Model, support: Support, state: State) -> Stability:
    """Return the stability of a robot.

    Parameters
    ----------
    model : Model
    support : Support
        ``Support.of(model)``, made once.
    state : State
        Of one sample, with dynamics.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.stability import Support, stability_of
    >>> model = load_model()
    >>> state = model.compute(model.zero_position())
    >>> stability = stability_of(model, Support.of(model), state)
    >>> print(f"{stability.margin:.3f} m")
    0.242 m
    """
    layout, tree = model.layout, state.robot.tree  # with its payloads
    places = layout.places
    block = state.block
    R_world_frame, p_world_frame = (
        block[place.first : place.first + math.prod(place.shape)].reshape(place.shape)
        for place in (places["R_world_frame"], places["p_world_frame"])
    )
    force, torque = (block[place.first : place.first + 3] for place in layout.base_load)
    found = np.empty(9)
    write_stance(
        R_world_frame,
        p_world_frame,
        force,
        torque,
        layout.frame_index[support.frame],
        layout.base_body,
        tree.mass,
        tree.p_body_com,
        support.polygon,
        support.height,
        found,
    )
    return Stability(found[0:3], found[3:6], float(found[6]), found[7:9])


def centre_of_mass(state: State) -> Floats:
    """Return the centre of mass of the robot and its payloads in the world (3,), m.

    NaN where nothing has a mass.
    """
    tree, kinematics = state.robot.tree, state.kinematics
    p_world_com = kernel.centre_of_mass(
        tree.mass, tree.p_body_com, kinematics.R_world_frame, kinematics.p_world_frame
    )
    return np.array(p_world_com)


def zero_moment_point(force: npt.ArrayLike, torque: npt.ArrayLike, height: float) -> Floats:
    """Return the point of a floor at which its load on a body has no tilting torque.

    Parameters
    ----------
    force, torque : array_like, shape (..., 3)
        Load that the floor side applies on the body, in a frame whose z axis is normal to the
        floor, torque about the origin of that frame (N, N m).
    height : float
        z of the floor in that frame (m).

    Returns
    -------
    array, shape (..., 3)
        In that frame (m). NaN where the floor would have to pull, force z not above zero.
    """
    f = np.asarray(force, dtype=np.float64)
    t = np.asarray(torque, dtype=np.float64)
    up = f[..., 2]
    up = np.where(up > 0.0, up, np.nan)
    result = np.empty(f.shape)
    result[..., 0], result[..., 1] = point_without_tilt(
        f[..., 0], f[..., 1], up, t[..., 0], t[..., 1], height
    )
    result[..., 2] = height + 0.0 * up
    return result


def tip_over_margin(point: Floats, polygon: Floats) -> Floats:
    """Return how far inside the support polygon zero-moment points are.

    Parameters
    ----------
    point : array, shape (..., 2) or (..., 3)
        Zero-moment points in the frame of the polygon; x and y count (m).
    polygon : array, shape (m, 2)
        Corners of the convex support polygon, counterclockwise, m of at least 3 (m); empty where
        it is unknown.

    Returns
    -------
    array, shape (...)
        Distance to the nearest edge (m), negative outside; NaN where the point is NaN or the
        polygon empty.
    """
    points = np.asarray(point, dtype=np.float64)
    flat = points.reshape(-1, points.shape[-1])
    is_known = len(polygon) > 0
    margins = [
        nearest_on_edge(p, polygon)[1] if is_known and np.isfinite(p).all() else np.nan
        for p in flat
    ]
    return np.array(margins).reshape(points.shape[:-1])
