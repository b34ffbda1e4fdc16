# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Entities to spawn: a URDF, an entity as in a world file, a robot of this package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np
from simulation_interfaces.msg import Result
from simulation_interfaces.srv import SpawnEntity

from charmie_dynamics.errors import CharmieError, MissingFileError, ModelFileError, choices, shown
from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.mechanisms.added_joints import with_added_joints
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS, model_files
from charmie_dynamics.model.description.robot import RobotTree
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.description.world import Entity, Material, RobotEntity, parse_entity
from charmie_dynamics.model.description.world.placement import EntityPose

URDF, YAML = "urdf", "yaml"
# how the formats are called in the features
FORMATS = (URDF, YAML)
ENDINGS = {".urdf": URDF, ".xml": URDF, ".yaml": YAML, ".yml": YAML}
Codes = SpawnEntity.Response


class ResourceError(CharmieError):
    """A resource that cannot be spawned; `code` is a result code of simulation_interfaces."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = int(code)


class Resource(NamedTuple):
    """The entity to spawn, as text.

    Attributes
    ----------
    format : str
        One of `FORMATS`.
    text : str
    source : str
        Name of the file, for messages.
    name : str
        From the resource; empty: none.
    tree : RobotTree or None
        Of a URDF.
    mechanisms : MechanismSet
        Of a robot of this package.
    folder : Path or None
        Folder of its files.
    """

    format: str
    text: str
    source: str
    name: str = ""
    tree: RobotTree | None = None
    mechanisms: MechanismSet = MechanismSet()
    folder: Path | None = None


def resource_of(uri: str, text: str) -> Resource:
    """Return the resource of a URI or a text.

    Parameters
    ----------
    uri : str
        Path or file URI of a URDF or YAML file, or a robot of this package.
    text : str
        A URDF or YAML; used without a URI.

    Raises
    ------
    ResourceError
    """
    if not uri and not text:
        raise ResourceError(Codes.NO_RESOURCE, "expected uri or resource_string, got neither")
    try:
        if not uri:
            is_urdf = text.lstrip().startswith("<")
            return _resource(URDF if is_urdf else YAML, text, "resource_string")
        if uri in PACKAGE_ROBOTS:
            return _package_robot(uri)
        path = path_of(uri, Codes.UNSUPPORTED_FORMAT)
        kind = ENDINGS.get(path.suffix.lower())
        if kind is None:
            robots = choices(uri, PACKAGE_ROBOTS)
            raise ResourceError(
                Codes.UNSUPPORTED_FORMAT,
                f"uri '{shown(uri)}': expected a file that ends with {', '.join(ENDINGS)}, or a "
                f"robot of this package{robots}",
            )
        if not path.is_file():
            text = f"uri '{shown(uri)}': there is no such file"
            raise ResourceError(Result.RESULT_NOT_FOUND, text)
        return _resource(kind, read_text(path), str(path), path.parent)
    except ModelFileError as error:
        raise ResourceError(Codes.RESOURCE_PARSE_ERROR, str(error)) from error


def entity_of(name: str, resource: Resource, materials: Mapping[str, Material]) -> Entity:
    """Return a resource as an entity.

    A URDF with a mass and without movable joints moves freely, unless its root is called `world`.
    The root of any other URDF is fixed. The YAML of an entity defines its motion.

    Raises
    ------
    ResourceError
    """
    if resource.tree is None:
        try:
            entity = parse_entity(name, resource.text, resource.source, materials, resource.folder)
        except MissingFileError as error:
            raise ResourceError(Codes.MISSING_ASSETS, str(error)) from error
        except ModelFileError as error:
            raise ResourceError(Codes.RESOURCE_PARSE_ERROR, str(error)) from error
        if entity.pose.p_world_body.any() or not np.array_equal(
            entity.pose.R_world_body, np.eye(3)
        ):
            raise ResourceError(
                Codes.RESOURCE_PARSE_ERROR,
                f"{resource.source}: pose: expected none; use initial_pose of the request",
            )
        return entity
    tree, mechanisms = with_added_joints(resource.tree, resource.mechanisms, resource.source)
    is_solid = all(joint.type == "fixed" for joint in tree.joints)
    has_mass = any(link.inertial is not None for link in tree.links.values())
    is_free = is_solid and has_mass and tree.root != "world"
    pose = EntityPose(np.zeros(3), np.eye(3))
    return RobotEntity(name, tree, mechanisms, pose, np.zeros(6), "free" if is_free else "fixed")


def _resource(kind: str, text: str, source: str, folder: Path | None = None) -> Resource:
    if kind == YAML:
        return Resource(YAML, text, source, Path(source).stem if folder else "", folder=folder)
    tree = parse_urdf(text, source)
    return Resource(URDF, text, source, tree.name, tree)


def _package_robot(name: str) -> Resource:
    urdf, mechanisms = model_files(name, "")
    found = _resource(URDF, read_text(urdf), str(urdf))
    if mechanisms is not None:
        found = found._replace(mechanisms=parse_mechanisms(read_text(mechanisms), str(mechanisms)))
    return found._replace(name=name)


def path_of(uri: str, unsupported: int) -> Path:
    """Return the path of a file URI; a path is returned unchanged.

    Raises
    ------
    ResourceError
        For another scheme, with the code `unsupported`.
    """
    parts = urlsplit(uri)
    if not parts.scheme:
        return Path(uri)
    if parts.scheme != "file":
        raise ResourceError(
            unsupported,
            f"uri '{shown(uri)}': expected a path or file:, got '{parts.scheme}:'",
        )
    return Path(unquote(parts.path))
