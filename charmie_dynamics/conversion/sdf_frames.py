# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the links, joints and frames of an SDF model are, with all joints at zero."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.urdf import rotation_from_rpy
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.rotations import write_matrix_of_quaternion
from charmie_dynamics.numerics.vectors import Floats

MODEL = "__model__"


class FramePose(NamedTuple):
    """Position (3,) and rotation (3, 3) in another frame."""

    p: Floats
    R: Floats

    def of(self, inner: FramePose) -> FramePose:
        """Return a pose in the frame of this pose in the outer one."""
        return FramePose(self.p + self.R @ inner.p, self.R @ inner.R)

    def inverse(self) -> FramePose:
        """Return the pose of the outer frame in this one."""
        return FramePose(-self.R.T @ self.p, self.R.T)


def floats(text: str | None, count: int, where: str) -> list[float]:
    """Return the numbers of an element.

    Raises
    ------
    ModelFileError
        If there are not `count` finite ones.
    """
    try:
        found = [float(word) for word in (text or "").split()]
    except ValueError:
        found = []
    if len(found) != count or not np.isfinite(found).all():
        raise ModelFileError(f"{where}: expected {count} numbers, got '{(text or '').strip()}'")
    return found


def pose_of(element: Element, where: str) -> FramePose:
    """Return the pose of an element in the frame that it is relative to; zero if it has none."""
    pose = element.find("pose")
    if pose is None or not (pose.text or "").strip():
        return FramePose(np.zeros(3), np.eye(3))
    if pose.get("rotation_format") == "quat_xyzw":
        *p, x, y, z, w = floats(pose.text, 7, where)
        R = np.empty((3, 3))
        plain(write_matrix_of_quaternion)(x, y, z, w, R)
        return FramePose(np.array(p), R)
    *p, roll, pitch, yaw = floats(pose.text, 6, where)
    scale = np.pi / 180.0 if pose.get("degrees") in ("true", "1") else 1.0
    return FramePose(np.array(p), rotation_from_rpy([scale * a for a in (roll, pitch, yaw)]))


class ModelFrames:
    """The poses in the model of links, joints and frames.

    Parameters
    ----------
    model : Element
    """

    def __init__(self, model: Element) -> None:
        first = model.find("link")
        default = "" if first is None else first.get("name", "")
        self._canonical = model.get("canonical_link") or default
        # old files have joints with the names of links, which are meant then
        self._elements = {
            element.get("name", ""): element
            for tag in ("joint", "frame", "link")
            for element in model.findall(tag)
        }
        self._found: dict[str, FramePose] = {
            name: FramePose(np.zeros(3), np.eye(3)) for name in ("", MODEL, "world")
        }

    def in_model(self, name: str, asked: tuple[str, ...] = ()) -> FramePose:
        """Return the pose of a frame in the model.

        Raises
        ------
        ModelFileError
            If it is unknown, or depends on itself.
        """
        if name not in self._found:
            if name in asked or name not in self._elements:
                fault = "depends on itself" if name in asked else "is unknown"
                raise ModelFileError(f"frame '{name}' {fault}")
            element = self._elements[name]
            self._found[name] = self.of(element, (*asked, name), self._outer(element))
        return self._found[name]

    def of(self, element: Element, asked: tuple[str, ...] = (), outer: str = "") -> FramePose:
        """Return the pose in the model of an element within the frame `outer`."""
        pose = element.find("pose")
        named = None if pose is None else pose.get("relative_to")
        return self.in_model(named or outer, asked).of(pose_of(element, element.get("name", "")))

    def of_joint(self, joint: Element) -> FramePose:
        """Return the pose of a joint in the model."""
        return self.of(joint, outer=self._outer(joint))

    def link_of(self, name: str) -> str:
        """Return the link to which a link, joint or frame belongs; an unknown name itself.

        Raises
        ------
        ModelFileError
            If frames are attached to each other in a circle.
        """
        asked: list[str] = []
        while name not in asked:
            asked.append(name)
            element = self._elements.get(name)
            if name == MODEL:
                return self._canonical
            if element is None or element.tag == "link":
                return name
            name = self._outer(element) or MODEL
        raise ModelFileError(f"frame '{name}' is attached to itself")

    def _outer(self, element: Element) -> str:
        if element.tag == "joint":
            return (element.findtext("child") or "").strip()
        return element.get("attached_to", "") if element.tag == "frame" else ""
