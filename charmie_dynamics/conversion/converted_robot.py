# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot from another format: its tree, its loops, and omissions."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
import yaml

from charmie_dynamics.errors import CharmieError, ModelFileError
from charmie_dynamics.model.description.robot import (
    SINGLE_JOINTS,
    Collision,
    Inertial,
    Joint,
    JointFriction,
    Limit,
    Link,
    Mimic,
    Vector3,
    Visual,
)
from charmie_dynamics.model.description.urdf import rpy_from_rotation
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.numerics.vectors import Floats

from .meshes import MeshPlaces

GREY = (0.7, 0.7, 0.7, 1.0)
UNLIMITED = Limit(-np.inf, np.inf, np.inf, np.inf)
CLOSED = 1e-6  # m, rad: loops of a file with six digits
INDEPENDENT = 1e-6  # singular value of independent motions of joints
SIZES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"),
         "capsule": ("radius", "length"), "mesh": ("scale",)}  # fmt: skip


@dataclass
class ConvertedRobot:
    """Tree and loops of a robot from another format.

    Attributes
    ----------
    name, root : str
    gravity : (3,) tuple
        m/s^2.
    links : dict of str to Link
    joints : list of Joint
    loop_joints : dict of str to dict
        Entries of a mechanisms file, as all that follow.
    joint_springs, springs, rotors : dict of str to dict
    joint_relations : dict of str to dict
    driven : set of str
        Joints with a motor; all others are passive where they are in a loop.
    poses : list of dict of str to float
        Positions of joints in which the robot may rest, with loops that are nearly closed.
    meshes : dict of str to (n, 3, 3) array
        Triangles (m) by the names of files, which `write` creates.
    dropped : list of str
        What could not be converted, with advice.
    """

    name: str
    root: str = "world"
    gravity: Vector3 = (0.0, 0.0, -9.81)
    links: dict[str, Link] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    loop_joints: dict[str, dict[str, Any]] = field(default_factory=dict)
    joint_springs: dict[str, dict[str, Any]] = field(default_factory=dict)
    springs: dict[str, dict[str, Any]] = field(default_factory=dict)
    rotors: dict[str, dict[str, Any]] = field(default_factory=dict)
    joint_relations: dict[str, dict[str, Any]] = field(default_factory=dict)
    driven: set[str] = field(default_factory=set)
    poses: list[dict[str, float]] = field(default_factory=list)
    meshes: dict[str, Floats] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)

    def add_link(
        self,
        name: str,
        inertial: Inertial | None = None,
        visuals: Iterable[Visual] = (),
        collisions: Iterable[Collision] = (),
    ) -> None:
        """Add a link.

        Raises
        ------
        ModelFileError
            If there is one of that name.
        """
        if name in self.links:
            raise ModelFileError(f"link '{name}': expected each name once, got it twice")
        self.links[name] = Link(name, inertial, tuple(visuals), tuple(collisions))

    def in_loops(self) -> list[str]:
        """Return the joints with one coordinate that loop joints or relations relate."""
        above = {joint.child: joint for joint in self.joints}

        def path(link: str) -> list[Joint]:
            found = []
            while link in above:
                found.append(above[link])
                link = above[link].parent
            return found

        leaders = {joint.name: joint.mimic.joint for joint in self.joints if joint.mimic}
        moved = set()
        for entry in self.joint_relations.values():
            for name in entry["coefficients"]:
                while name in leaders:
                    name = leaders[name]
                moved.add(name)
        for entry in self.loop_joints.values():
            first, second = (
                {joint.name for joint in path(entry[end])} for end in ("first_body", "second_body")
            )
            moved |= first ^ second
        return [j.name for j in self.joints if j.name in moved and j.type in SINGLE_JOINTS]

    def choose_driven(self, with_passive: Callable[[Sequence[str]], Model]) -> None:
        """Let as many joints of the loops be driven as these have motions, and report others.

        Those with motors are preferred, then those with springs.

        Parameters
        ----------
        with_passive : callable
            Returns the robot with these passive joints.
        """
        model = with_passive(self.in_loops())
        looped = [name for name in self.in_loops() if name in model.velocity_names]
        chosen: list[str] = []
        more = needless = looped
        # in some poses, as dead centres, motors cannot move the loops
        for position in self.closed_positions(model):
            found = self.independent(model, looped, position)
            others = [name for name in found if name not in self.driven]
            unmoved = [name for name in looped if name in self.driven and name not in found]
            if not chosen or (len(unmoved), len(others)) < (len(needless), len(more)):
                chosen, more, needless = found, others, unmoved
        # free motions without consequences, as the spin of a rod, need no drive
        for name in reversed(more):
            others = [n for n in looped if n not in chosen or n == name]
            if self.is_determined(with_passive(others)):
                chosen.remove(name)
        more = [name for name in more if name in chosen]
        if more:
            self.dropped.append(
                f"free motions of the loops: {', '.join(more)} have no motor and count as "
                "actuators; name others with --driven"
            )
        if needless:
            self.dropped.append(f"motors of {', '.join(needless)}: the loops determine them")
        self.driven = (self.driven - set(needless)) | set(chosen)

    def closed_positions(self, model: Model) -> Iterator[Floats]:
        """Yield positions (p,) with closed loops near zero and near the poses."""
        for pose in ({}, *self.poses):
            try:
                yield model.project(position_of(model, pose))[0]
            except CharmieError:
                continue

    def is_determined(self, model: Model) -> bool:
        """Return whether the driven joints determine all efforts in a closed position."""
        for position in self.closed_positions(model):
            try:
                model.compute(position)
            except CharmieError:
                continue
            return True
        return False

    def independent(self, model: Model, looped: Sequence[str], position: Floats) -> list[str]:
        """Return the first joints whose motion at a position determines that of the loops."""
        sprung = {entry["joint"] for entry in self.joint_springs.values()}
        motions = model.constraints(position).motions
        chosen: list[str] = []
        for name in sorted(looped, key=lambda name: (name not in self.driven, name not in sprung)):
            rows = motions[[model.velocity_names.index(n) for n in (*chosen, name)]]
            if np.linalg.matrix_rank(rows, INDEPENDENT) == len(rows):
                chosen.append(name)
        return chosen

    def mechanisms(self, passive: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the content of the mechanisms file; `passive` are the joints without a drive."""
        followers = {joint.name for joint in self.joints if joint.mimic is not None}
        if passive is None:
            passive = [name for name in self.in_loops() if name not in self.driven]
        passive = [name for name in passive if name not in followers]
        parts = {
            "loop_joints": self.loop_joints,
            "joint_relations": self.joint_relations,
            "passive_joints": passive,
            "joint_springs": self.joint_springs,
            "springs": self.springs,
            "rotors": self.rotors,
        }
        given = {name: part for name, part in parts.items() if part}
        return {"robot": self.name, "gravity": list(self.gravity), **given}

    def urdf(self) -> str:
        """Return the URDF."""
        robot = Element("robot", name=self.name)
        for link in self.links.values():
            _add_link(robot, link)
        for joint in self.joints:
            _add_joint(robot, joint)
        ElementTree.indent(robot)
        return ElementTree.tostring(robot, encoding="unicode") + "\n"

    def write(
        self,
        folder: Path,
        source: Path | None = None,
        package_path: Sequence[Path] = (),
        *,
        hulls: bool = False,
    ) -> ImportedRobot:
        """Write URDF, mechanisms file and meshes into a folder, and load them.

        Parameters
        ----------
        folder : Path
        source : Path, optional
            Where relative paths of meshes begin; `folder` if omitted.
        package_path : sequence of Path
            Where packages are looked for, see `find_mesh`.
        hulls : bool
            Write convex hulls of the meshes of collisions that are no convex solids.

        Returns
        -------
        ImportedRobot
            The first of `poses` from which the loops close becomes the rest pose.
        """
        folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^\w.-]+", "_", self.name)
        urdf, mechanisms = folder / f"{stem}.urdf", folder / f"{stem}.yaml"
        for name, triangles in self.meshes.items():
            (folder / name).write_bytes(_stl(triangles))
        meshes = MeshPlaces(source or folder, package_path, folder, hulls=hulls)
        self.links = {name: meshes.placed(link) for name, link in self.links.items()}
        self.dropped += meshes.remarks
        urdf.write_text(self.urdf(), encoding="utf-8")
        if self.loop_joints or self.joint_relations:

            def with_passive(names: Sequence[str]) -> Model:
                mechanisms.write_text(_yaml(self.mechanisms(names)), encoding="utf-8")
                return read_model(urdf, mechanisms)

            self.choose_driven(with_passive)
        document = self.mechanisms()
        mechanisms.write_text(_yaml(document), encoding="utf-8")
        model = read_model(urdf, mechanisms)
        result = ImportedRobot(urdf, mechanisms, model, *_opening(model, {}))
        for pose in self.poses:
            opening, closed = _opening(model, pose)
            if closed <= CLOSED:
                result = ImportedRobot(urdf, mechanisms, model, opening, closed, pose)
                break
        if result.pose:
            known = {*model.actuator_names, *model.mechanisms.passive_joints}
            own = {name: value for name, value in result.pose.items() if name in known}
            mechanisms.write_text(_yaml({**document, "rest_pose": own}), encoding="utf-8")
            result = result._replace(model=read_model(urdf, mechanisms))
        return result


class ImportedRobot(NamedTuple):
    """The files of a converted robot, and how well its loops close.

    Attributes
    ----------
    urdf, mechanisms : Path
    model : Model
    opening, closed : float
        Largest error of the loops (m, rad) in `pose`, and after they were closed; inf: they cannot.
    pose : dict of str to float
        Positions of joints; empty: all at zero.
    """

    urdf: Path
    mechanisms: Path
    model: Model
    opening: float
    closed: float
    pose: dict[str, float] = {}  # noqa: RUF012

    def report(self) -> list[str]:
        """Return what the robot is like."""
        model = self.model
        lines = [
            f"{len(model.tree.links)} links, {model.total_mass:.6g} kg, "
            f"{len(model.velocity_names)} velocities, {len(model.actuator_names)} actuators",
        ]
        if not model.mechanisms.loop_joints:
            return lines
        where = "in the pose of the file" if self.pose else "with all joints at zero"
        lines.append(f"loops are open by {self.opening:.1e} m or rad {where}")
        if not np.isfinite(self.closed):
            return [*lines, "loops cannot be closed from there: set rest_pose, or check the points"]
        lines.append(f"loops are closed to {self.closed:.1e} m or rad by their passive joints")
        found = model.constraints(model.assemble(position_of(model, self.pose)).position)
        motions = found.mobility - found.idle_motions.shape[1]
        lines.append(
            f"{len(found.rows)} constraints, {found.rank} independent; {motions} motions, "
            f"conditioning {found.conditioning:.2g}"
        )
        if found.undetermined:
            lines.append(f"undetermined reactions, of least norm: {', '.join(found.undetermined)}")
        return lines


def position_of(model: Model, pose: dict[str, float]) -> Floats:
    """Return the position (p,) of a pose; joints that it does not name are at zero."""
    position = model.zero_position()
    for name, value in pose.items():
        if name in model.position_names:
            position[model.position_names.index(name)] = value
    return position


def _opening(model: Model, pose: dict[str, float]) -> tuple[float, float]:
    """Return the largest errors of the loops in a pose, and when closed from there."""
    if not model.mechanisms.loop_joints:
        return 0.0, 0.0
    position = position_of(model, pose)
    opening = float(np.abs(model.constraints(position).error).max(initial=0.0))
    try:
        closed = model.constraints(model.assemble(position).position).error
    except CharmieError:
        return opening, np.inf
    return opening, float(np.abs(closed).max(initial=0.0))


def friction_of(viscous: float, coulomb: float) -> JointFriction | None:
    """Return the friction of a joint; None: none."""
    return JointFriction(viscous, coulomb) if viscous or coulomb else None


def numbers(values: Iterable[float]) -> list[float]:
    """Return numbers for a file, without negative zeros."""
    return [float(value) + 0.0 for value in values]


def _yaml(document: dict[str, Any]) -> str:
    return yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=100)


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(value) for value in numbers(values))


def _add_origin(element: Element, p: Floats, R: Floats) -> None:
    SubElement(element, "origin", xyz=_text(p), rpy=_text(rpy_from_rotation(R)))


def _add_link(robot: Element, link: Link) -> None:
    element = SubElement(robot, "link", name=link.name)
    if link.inertial is not None:
        inertial = SubElement(element, "inertial")
        _add_origin(inertial, link.inertial.p_link_com, np.eye(3))
        SubElement(inertial, "mass", value=repr(float(link.inertial.mass)))
        axes, inertia = "xyz", link.inertial.inertia
        entries = {
            f"i{axes[i]}{axes[j]}": repr(float(inertia[i, j]))
            for i in range(3)
            for j in range(i, 3)
        }
        SubElement(inertial, "inertia", entries)
    for visual in link.visuals:
        shape = SubElement(element, "visual")
        _add_origin(shape, visual.p_link_visual, visual.R_link_visual)
        _add_geometry(shape, visual)
        material = SubElement(shape, "material", name="")
        SubElement(material, "color", rgba=_text(visual.rgba))
    for collision in link.collisions:
        shape = SubElement(element, "collision")
        _add_origin(shape, collision.p_link_collision, collision.R_link_collision)
        _add_geometry(shape, collision)


def _add_geometry(element: Element, shape: Visual | Collision) -> None:
    sizes: Sequence[Sequence[float]] = (
        [shape.size] if shape.kind in ("box", "mesh") else [[value] for value in shape.size]
    )
    attributes = {
        name: _text(values) for name, values in zip(SIZES[shape.kind], sizes, strict=True)
    }
    if shape.kind == "mesh":
        attributes["filename"] = shape.mesh
    SubElement(SubElement(element, "geometry"), shape.kind, attributes)


def _add_joint(robot: Element, joint: Joint) -> None:
    element = SubElement(robot, "joint", name=joint.name, type=joint.type)
    SubElement(element, "parent", link=joint.parent)
    SubElement(element, "child", link=joint.child)
    _add_origin(element, joint.p_parent_joint, joint.R_parent_joint)
    if joint.type in (*SINGLE_JOINTS, "planar"):
        SubElement(element, "axis", xyz=_text(joint.axis))
    if joint.type not in SINGLE_JOINTS:
        return
    if joint.limit != UNLIMITED:
        limit = {key: repr(float(value)) for key, value in vars(joint.limit).items()}
        SubElement(element, "limit", limit)
    if joint.friction is not None:
        values = {"damping": joint.friction.viscous, "friction": joint.friction.coulomb}
        SubElement(element, "dynamics", {key: repr(float(v)) for key, v in values.items()})
    if isinstance(joint.mimic, Mimic):
        own = vars(joint.mimic)
        SubElement(
            element, "mimic", {k: v if k == "joint" else repr(float(v)) for k, v in own.items()}
        )


def _stl(triangles: Floats) -> bytes:
    """Return a binary STL of triangles (n, 3, 3)."""
    content = np.zeros(
        len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")]
    )
    content["corners"] = triangles
    return bytes(80) + struct.pack("<I", len(triangles)) + content.tobytes()
