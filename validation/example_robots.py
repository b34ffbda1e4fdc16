"""The URDF files of the PyPI package example-robot-data, and those that are rightly refused."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from importlib import metadata
from pathlib import Path

import numpy as np

FILES = 69  # of version 6.0.0

# What the message must say: where the first fault is, and what it is.
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
REFUSALS = UNPHYSICAL | EMPTY


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


def mend(text: str) -> str:
    """Return a URDF without the faults for which robots are refused here.

    A link whose moments of inertia no body can have gets those of a ball with the same sum. A mimic
    joint whose leader does not exist gets the leader with the first word of its own name in front:
    the file of Alex with Psyonic hands forgets the `Left_` and `Right_` of its leaders.
    """
    robot = ElementTree.fromstring(text.encode())
    joints = {joint.get("name", ""): joint.find("mimic") for joint in robot.iterfind("joint")}
    for name, mimic in joints.items():
        if mimic is not None and mimic.get("joint") not in joints:
            mimic.set("joint", f"{name.partition('_')[0]}_{mimic.get('joint')}")
    for inertia in robot.iterfind("link/inertial/inertia"):
        xx, xy, xz, yy, yz, zz = (
            float(inertia.get(key, "0")) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        low, middle, high = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if low < 0.0 or high > low + middle:
            each = repr((xx + yy + zz) / 3.0)
            inertia.attrib = {"ixx": each, "iyy": each, "izz": each}
            inertia.attrib.update(ixy="0", ixz="0", iyz="0")
    return ElementTree.tostring(robot, encoding="unicode")
