# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The defaults of estimation and publication, for the node and for recordings."""

from __future__ import annotations

from dataclasses import dataclass

# Hz of stamps: a robot takes longer to tip over, and a person to feel a contact
STABILITY_RATE = 200.0
CONTACTS_RATE = 200.0
CONTACT_MARKERS_RATE = 30.0
# of the distances to the surroundings
CLEARANCE_RATE = 10.0
CLEARANCE_MARGIN = 0.02  # m
# each tracked point adds two messages, and its subscribers are no faster than a robot
POINTS_RATE = 200.0
# of settled estimates; changes are published immediately
SETTLING_RATE = 1.0
# of tracked points: those of the mechanisms file
FROM_FILE = ("",)


@dataclass(frozen=True)
class LiveSettings:
    """Settings of estimation and publication.

    Parameters
    ----------
    world_frame : str
        Root of the published tree of frames.
    frame_prefix : str
        Put before every published frame id.
    publish_tf, publish_markers, publish_robot_description : bool
    publish_location : bool
        False: another node publishes the pose of the robot in the world; the frames of the root and
        of the children of floating joints are omitted.
    compute_dynamics : bool
        False: kinematics only, neither efforts nor wrenches.
    marker_rate : float
        At most this many markers a second of the stamps (Hz); 0: with every cycle.
    input_timeout : float
        An input older than this (s) is stale.
    acceleration_cutoff : float
        Of the estimator of velocities and accelerations (Hz).
    require_base_joints : bool
        False: base joints that no message reports are at zero.
    observer_cutoff : float
        Of the observer of external efforts (Hz).
    tracked_points : tuple of str
        Points whose motion is published, see `tracked_points`; `FROM_FILE`: those of the mechanisms
        file.
    """

    world_frame: str = "odom"
    frame_prefix: str = ""
    publish_tf: bool = True
    publish_location: bool = True
    publish_markers: bool = True
    publish_robot_description: bool = True
    compute_dynamics: bool = True
    marker_rate: float = 30.0
    input_timeout: float = 0.5
    acceleration_cutoff: float = 10.0
    require_base_joints: bool = False
    observer_cutoff: float = 15.0
    tracked_points: tuple[str, ...] = FROM_FILE


DEFAULTS = LiveSettings()
