# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The URDF files of the PyPI package example-robot-data, and what is wrong in some of them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from importlib import metadata
from pathlib import Path

import numpy as np

FILES = 69  # of version 6.0.0
AXES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
ROUNDING = 1e-6  # of the decimals in the files, relative to the largest moment
ZERO = 1e-15  # kg m^2; what programs write for zero is smaller, and no moment of a link is

# What the first warning must say: which link it is about, and what is wrong with it.
NO_BODY = "no body has these principal moments of inertia"
NEGATIVE = "principal moments of inertia must not be negative"
UNPHYSICAL: dict[str, tuple[str, ...]] = {
    "alex_description/urdf/alex_psyonic_hands.urdf": ("'LeftPsyonicAbilityBaseLink'", NO_BODY),
    "allegro_hand_description/urdf/allegro_left_hand.urdf": ("'link_11.0'", NO_BODY),
    "allegro_hand_description/urdf/allegro_right_hand.urdf": ("'link_3.0'", NO_BODY),
    "anymal_b_simple_description/robots/anymal-kinova.urdf": ("'base'", NO_BODY),
    "anymal_b_simple_description/robots/anymal.urdf": ("'base'", NO_BODY),
    "anymal_c_simple_description/urdf/anymal.urdf": ("'depth_camera_front_camera'", NO_BODY),
    "b1_description/urdf/b1-z1.urdf": ("'base'", NO_BODY),
    "b1_description/urdf/b1.urdf": ("'base'", NO_BODY),
    "go1_description/urdf/go1.urdf": ("'base'", NO_BODY),
    "hyq_description/robots/hyq_no_sensors.urdf": ("'base_link'", NO_BODY),
    "pr2_description/urdf/pr2.urdf": ("'sensor_mount_link'", NO_BODY),
    "romeo_description/urdf/romeo_laas_small.urdf": ("'LShoulderYaw_link'", NO_BODY),
    "romeo_description/urdf/romeo_small.urdf": ("'RShoulderYawLink'", NO_BODY),
    "tiago_description/robots/tiago.urdf": ("'base_antenna_left_link'", NEGATIVE),
    "tiago_description/robots/tiago_dual.urdf": ("'base_antenna_left_link'", NEGATIVE),
    "tiago_description/robots/tiago_no_hand.urdf": ("'base_antenna_left_link'", NEGATIVE),
}
# This one holds nothing but comments, not even a name.
EMPTY = {"ur_description/urdf/ur3.urdf": ("line 6: robot", "attribute 'name' is missing")}


def find_robots() -> dict[str, Path]:
    """Return all URDF files of the package by their path below its folder of robots.

    Raises
    ------
    importlib.metadata.PackageNotFoundError
        If the package is not installed.
    """
    files = metadata.distribution("example-robot-data").files or []
    urdfs = [file for file in files if file.suffix == ".urdf"]
    return {file.as_posix().split("/robots/", 1)[1]: Path(file.locate()) for file in sorted(urdfs)}


def find_doubtful(text: str) -> set[tuple[str, str]]:
    """Return the links that no body can be and the joints whose leader does not exist.

    Found without this package: element and name of each.
    """
    robot = ElementTree.fromstring(text.encode())
    joints = {joint.get("name", ""): joint.find("mimic") for joint in robot.iterfind("joint")}
    found = {
        ("joint", name)
        for name, mimic in joints.items()
        if mimic is not None and mimic.get("joint") not in joints
    }
    for link in robot.iterfind("link"):
        inertia = link.find("inertial/inertia")
        if inertia is None:
            continue
        xx, xy, xz, yy, yz, zz = (float(inertia.get(key, "0")) for key in AXES)
        low, middle, high = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        slack = max(ROUNDING * max(abs(low), abs(high)), ZERO)
        if low < -slack or high > low + middle + slack:
            found.add(("link", link.get("name", "")))
    return found
