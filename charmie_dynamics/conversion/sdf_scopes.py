# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""SDF files with models in models, and models of other files, as one model.

Parts of inner models get the names that SDF has for them outside, as ``gripper::left_finger``, and
the frame of an inner model is a frame with its name. Older versions become like version 1.7.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement, TreeBuilder
from xml.parsers import expat

from charmie_dynamics.errors import MissingFileError, ModelFileError
from charmie_dynamics.model.description.meshes import find_mesh
from charmie_dynamics.model.description.urdf import rpy_from_rotation

from .sdf_frames import MODEL, FramePose, ModelFrames, pose_of

COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
PARTS = ("link", "joint", "frame")
DEEPEST = 20  # models in models


def read_sdf(path: Path) -> Element:
    """Return the root of an SDF file, whatever prefixes its tags have.

    Raises
    ------
    ModelFileError
        If it cannot be read, or is too old.
    """
    builder, parser = TreeBuilder(), expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        # with "--" in comments, as simulators read them
        parser.Parse(COMMENT.sub(b"", path.read_bytes()), True)
        root = builder.close()
    except (OSError, expat.ExpatError, ValueError) as error:
        raise ModelFileError(f"{path}: {error}") from None
    version = _version(root.get("version", "1.12"))
    if root.tag != "sdf" or version < [1, 2]:
        raise ModelFileError(
            f"{path}: expected <sdf> of version 1.2 or later, got <{root.tag}> of version "
            f"'{root.get('version', '')}'; `gz sdf -p` writes the present version"
        )
    for pose in root.iter("pose"):
        if version < [1, 7] and pose.get("frame"):
            pose.set("relative_to", pose.attrib.pop("frame"))
    for joint in root.iter("joint"):
        for axis in (*joint.findall("axis"), *joint.findall("axis2")):
            text = (axis.findtext("use_parent_model_frame") or "").strip()
            if version < [1, 5] or (version < [1, 7] and text.lower() in ("true", "1")):
                xyz = axis.find("xyz")
                if xyz is None:
                    xyz = SubElement(axis, "xyz")
                    xyz.text = "0 0 1"
                xyz.set("expressed_in", MODEL)
    return root


def _version(text: str) -> list[int]:
    return [int(word) if word.isdigit() else 0 for word in text.strip().split(".")]


def _refuse_doctype(*_: object) -> None:
    raise ValueError("it has a DOCTYPE declaration, which may hold entities")


class ScopedModels:
    """Makes one model of models in models.

    Parameters
    ----------
    package_path : sequence of Path
        Where models of other files are looked for, see `find_mesh`.

    Attributes
    ----------
    dropped : list of str
        The omitted elements.
    """

    def __init__(self, package_path: Sequence[Path] = ()) -> None:
        self._package_path = package_path
        self.dropped: list[str] = []

    def flat(self, model: Element, folder: Path, depth: int = 0) -> Element:
        """Return a model without models in it.

        Parameters
        ----------
        model : Element
        folder : Path
            Of its file.
        depth : int
            Of models in models.

        Raises
        ------
        ModelFileError
            If a model of another file is not found, or contains itself.
        """
        if depth > DEEPEST:
            raise ModelFileError(f"model '{model.get('name')}': models in models without end")
        result = Element("model", model.attrib)
        for child in model:
            if child.tag == "include":
                inner, place = self.included(child, folder)
                is_merged = child.get("merge", "") in ("true", "1")
                result.extend(self._inner(inner, place, depth, is_merged=is_merged))
            elif child.tag == "model":
                result.extend(self._inner(child, folder, depth, is_merged=False))
            else:
                own = _named(deepcopy(child), "", MODEL)
                for mesh in own.iter("mesh"):
                    uri = mesh.find("uri")
                    if uri is not None and "://" not in (uri.text or ""):
                        uri.text = str(folder / (uri.text or "").strip())
                result.append(own)
        return result

    def included(self, include: Element, folder: Path) -> tuple[Element, Path]:
        """Return the model to which <include> refers, with its changes, and the file's folder.

        Raises
        ------
        ModelFileError
            If it is not found, or has no model.
        """
        uri = (include.findtext("uri") or "").strip()
        path = self._path(uri, folder)
        root = read_sdf(path)
        found = root.find("model")
        if found is None:
            raise ModelFileError(f"<include> of '{uri}': {path} has no <model>")
        model = deepcopy(found)
        name = (include.findtext("name") or "").strip()
        if name:
            model.set("name", name)
        frame = (include.findtext("placement_frame") or "").strip()
        if frame:
            model.set("placement_frame", frame)
        for tag in ("pose", "static"):
            own = include.find(tag)
            if own is not None:
                for old in model.findall(tag):
                    model.remove(old)
                model.append(own)
        model.extend(include.findall("plugin"))
        if include.find("experimental:params") is not None:
            self.dropped.append(f"<experimental:params> of '{model.get('name')}'")
        return model, path.parent

    def _path(self, uri: str, folder: Path) -> Path:
        """Return the SDF file of a URI, which may be a folder with a model.config."""
        path = find_mesh(uri, folder, self._package_path)
        if "://" not in uri and not path.exists():
            path = find_mesh(f"model://{uri}", folder, self._package_path)
        if path.is_dir():
            path = path / _configured(path)
        if not path.is_file():
            raise MissingFileError(f"<include> of '{uri}': {path} is no file")
        return path

    def _inner(self, model: Element, folder: Path, depth: int, *, is_merged: bool) -> list[Element]:
        """Return the parts of a model in another with the names that they have there."""
        name = model.get("name", "")
        if not name:
            raise ModelFileError("a model in another: expected a name, got none")
        flat = self.flat(model, folder, depth + 1)
        if (model.findtext("static") or "").strip() in ("true", "1"):
            self.dropped.append(f"<static> of the model '{name}' in another: it moves with that")
        own = f"_merged__{name}__model__" if is_merged else name
        prefix = "" if is_merged else f"{name}::"
        frame = Element("frame", name=own)
        canonical = ModelFrames(flat).link_of(MODEL)
        if canonical:
            frame.set("attached_to", prefix + canonical)
        given = model.find("pose")
        relative_to = MODEL if given is None else given.get("relative_to") or MODEL
        pose = SubElement(frame, "pose", relative_to=scoped(relative_to, "", MODEL))
        placed = placement(model, flat)
        pose.text = " ".join(map(repr, [*placed.p.tolist(), *rpy_from_rotation(placed.R)]))
        parts = [_named(part, prefix, own) for part in flat if part.tag not in ("pose", "static")]
        return [frame, *parts]


def placement(model: Element, flat: Element) -> FramePose:
    """Return the pose of a model in the frame that its pose is relative to."""
    pose, frame = pose_of(model, f"pose of '{model.get('name')}'"), model.get("placement_frame")
    if not frame:
        return pose
    return pose.of(ModelFrames(flat).in_model(scoped(frame, "", MODEL)).inverse())


def scoped(name: str, prefix: str, model: str) -> str:
    """Return the name of a part outside of its model.

    Parameters
    ----------
    name : str
        Within it.
    prefix : str
        Of names outside.
    model : str
        Name of its frame outside.
    """
    if name in ("", "world"):
        return name
    return model if name == MODEL else prefix + name.removesuffix(f"::{MODEL}")


def _named(part: Element, prefix: str, model: str) -> Element:
    """Give a part, and the parts to which it refers, their names outside of the model."""
    if part.tag in PARTS:
        part.set("name", prefix + part.get("name", "").removesuffix(f"::{MODEL}"))
    if part.tag == "link" and model != MODEL:
        pose = part.find("pose")
        pose = SubElement(part, "pose") if pose is None else pose
        pose.set("relative_to", pose.get("relative_to") or MODEL)
    if part.tag == "frame":
        part.set("attached_to", scoped(part.get("attached_to") or MODEL, prefix, model))
    for element in part.iter():
        for attribute in ("relative_to", "expressed_in"):
            if element.get(attribute):
                element.set(attribute, scoped(element.get(attribute, ""), prefix, model))
        if element.tag == "mimic":
            element.set("joint", scoped(element.get("joint", ""), prefix, model))
    if part.tag == "joint":
        for tag in ("parent", "child", "gearbox_reference_body"):
            for end in part.findall(tag):
                end.text = scoped((end.text or "").strip(), prefix, model)
    return part


def _configured(folder: Path) -> str:
    """Return the name of the newest SDF file that model.config lists, else model.sdf."""
    try:
        found = ElementTree.parse(folder / "model.config").getroot().findall("sdf")
    except (OSError, ElementTree.ParseError):
        found = []
    newest = max(found, key=lambda sdf: _version(sdf.get("version", "")), default=None)
    return "model.sdf" if newest is None else (newest.text or "").strip()
