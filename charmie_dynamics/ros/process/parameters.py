# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of the dynamics node: declared with descriptions and ranges, read as `Settings`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from rclpy.node import Node
from rclpy.parameter import Parameter

from charmie_dynamics.errors import InputError, choices
from charmie_dynamics.live.settings import CLEARANCE_MARGIN, CLEARANCE_RATE, LiveSettings
from charmie_dynamics.live.tracked_points import FORM
from charmie_dynamics.model.description.names import LONGEST_NAME, MOST_POINTS
from charmie_dynamics.model.description.package_robots import (
    DEFAULT,
    PACKAGE_ROBOTS,
    PACKAGE_WORLDS,
)
from charmie_dynamics.model.loads import Payload, payload_from_numbers
from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.scene.scene import Style

from .declaring import (
    ParameterError,
    ParameterSpec,
    comparable,
    declare_all,
    overrides,
    require_known,
)

NO_PAYLOAD = (0.0,)
# of the parameters for the payloads of the robot
PREFIX = "payload_"


@dataclass(frozen=True)
class Settings(LiveSettings):
    """Values of all parameters, by their names. Units are SI.

    The parameters ``payload_NAME`` are in `payload_numbers`, by the names of the payloads;
    those without a payload are omitted.
    """

    model: str = ""
    mechanisms: str = ""
    strict_inertials: bool = False
    world: str = ""
    contacts: str = ""
    clearance_margin: float = CLEARANCE_MARGIN
    clearance_rate: float = CLEARANCE_RATE
    marker_style: Style = "solid"
    marker_reactions: bool = False
    marker_labels: bool = False
    marker_legend: bool = False
    acceleration_source: str = "estimated"
    payload_numbers: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def payloads(self) -> dict[str, Payload | None]:
        """The payloads by their names.

        Raises
        ------
        ParameterError
            If no body can have the values.
        """
        payloads = {}
        for name, values in self.payload_numbers.items():
            try:
                payloads[name] = payload_from_numbers(values)
            except InputError as error:
                raise ParameterError(f"parameter '{PREFIX}{name}': {error}") from None
        return payloads


def _specified(
    name: str,
    text: str,
    bounds: tuple[float, float] | None = None,
    valid: Sequence[str] = (),
) -> ParameterSpec:
    return ParameterSpec(name, getattr(Settings, name), text, bounds, valid, read_only=False)


_LENGTH = f"with the prefix at most {LONGEST_NAME} characters, without a leading slash"
_CUTOFF = (0.01, 1000.0)
# of every robot; `payload_specs` are those of the robot in use
SPECS = (
    _specified("world_frame", f"Root of the published tree; {_LENGTH}"),
    _specified("frame_prefix", f"Prefix of every published frame id; {_LENGTH}"),
    _specified("publish_tf", "Publish /tf and /tf_static"),
    _specified(
        "publish_location",
        "Publish the pose of the robot in the world: its root and the children of floating joints; "
        "false: a localisation or the simulator publishes it",
    ),
    _specified("publish_markers", "Publish markers"),
    _specified("publish_robot_description", "Publish the URDF in use on robot_description"),
    _specified("compute_dynamics", "False: kinematics only, neither efforts nor wrenches"),
    _specified(
        "marker_rate",
        "Markers are throttled to this rate (Hz); 0 publishes them every cycle",
        (0.0, 1000.0),
    ),
    _specified("input_timeout", "An input older than this (s) is stale", (0.001, 3600.0)),
    _specified(
        "acceleration_cutoff", "Cutoff (Hz) of the velocity and acceleration estimator", _CUTOFF
    ),
    _specified(
        "require_base_joints", "False: base joints that no message reports are held at zero"
    ),
    _specified("observer_cutoff", "Cutoff (Hz) of the observer of external efforts", _CUTOFF),
    _specified(
        "tracked_points",
        f"Points whose motion is published, each {FORM} (m, in the frame, its origin if omitted), "
        f"at most {MOST_POINTS}; one empty text: those of the mechanisms file; none: none",
    ),
    _specified("model", f"Path of a URDF, or {' or '.join(PACKAGE_ROBOTS)}; empty: {DEFAULT}"),
    _specified(
        "mechanisms",
        "Path of a mechanisms file (YAML); empty: the one of a robot of this package, none with "
        "another",
    ),
    _specified(
        "strict_inertials",
        "Refuse a URDF with impossible moments of inertia or with mimic joints whose leader does "
        "not exist; false: use it unmodified, with a warning",
    ),
    _specified(
        "world",
        f"Path of a world file (YAML), or {' or '.join(PACKAGE_WORLDS)}: distances of the robot's "
        "shapes from each other and from its fixed shapes are monitored; empty: none",
    ),
    _specified(
        "contacts",
        f"Path of a file of contacts or a world (YAML), or {' or '.join(PACKAGE_WORLDS)}: the "
        "forces of the floor on a robot with a floating base are included in the efforts while "
        "there is odometry; empty: none",
    ),
    _specified("clearance_margin", "Smaller distances (m) are a warning", (0.0, 10.0)),
    _specified(
        "clearance_rate",
        "Distances are computed at most this often (Hz); 0: every cycle",
        (0.0, 1000.0),
    ),
    _specified(
        "marker_style",
        "solid: bodies as they look; skeleton: key points joined by lines",
        valid=get_args(Style),
    ),
    _specified("marker_reactions", "Show the forces in the joints as markers"),
    _specified("marker_labels", "Show names, efforts, tensions and tip-over margin as markers"),
    _specified("marker_legend", "Show a legend of the colours of the markers next to the robot"),
    _specified(
        "acceleration_source",
        "estimated: from velocities or positions; zero: quasi-static",
        valid=("estimated", "zero"),
    ),
)
NAMES = tuple(spec.name for spec in SPECS)


def specs_named(*names: str) -> tuple[ParameterSpec, ...]:
    """Return parameters of the dynamics node for another node, where they are constant."""
    return tuple(spec._replace(read_only=True) for spec in SPECS if spec.name in names)


# of other nodes on the same robot: those that define it, and those that define all topics
ROBOT_SPECS = specs_named("model", "mechanisms")
TOPIC_SPECS = (*ROBOT_SPECS, *specs_named("tracked_points"))


def payload_specs(names: Iterable[str]) -> tuple[ParameterSpec, ...]:
    """Return the parameters of the payloads of a robot.

    Parameters
    ----------
    names : iterable of str
        Of the payloads, from the mechanisms file.
    """
    text = (
        "Payload {}, in the frame of its link: mass (kg; 0: nothing), or mass and centre of mass "
        "(m), or these and the inertia about it: xx, xy, xz, yy, yz, zz (kg m^2)"
    )
    return tuple(
        ParameterSpec(PREFIX + name, NO_PAYLOAD, text.format(name), read_only=False)
        for name in names
    )


def declare_parameters(node: Node) -> Settings:
    """Declare all parameters on a node except those of payloads, and return their values.

    Raises
    ------
    ParameterError
        For a value out of range or of the wrong type, or a parameter that does not exist.
    """
    require_known((name for name in overrides(node) if not name.startswith(PREFIX)), NAMES)
    settings = Settings(**declare_all(node, SPECS))
    _require_valid(settings)
    return settings


def declare_payloads(node: Node, settings: Settings, model: Model) -> Settings:
    """Declare the parameters of a robot's payloads that a node lacks; return all settings.

    Raises
    ------
    ParameterError
        For a value that no payload can have, or a payload that the robot lacks.
    """
    links = model.mechanisms.payload_links
    for name in (n[len(PREFIX) :] for n in overrides(node) if n.startswith(PREFIX)):
        if not node.has_parameter(PREFIX + name):
            _require_link(name, model)
    new = [spec for spec in payload_specs(links) if not node.has_parameter(spec.name)]
    return _with_payloads(settings, declare_all(node, new))


def change(settings: Settings, parameters: Sequence[Parameter]) -> Settings:
    """Return settings with some parameters changed; other nodes' parameters are left alone.

    Raises
    ------
    ParameterError
        For a value that is not among the choices, or that no payload can have.
    """
    values = {p.name: comparable(p.value) for p in parameters}
    changed = replace(settings, **{n: value for n, value in values.items() if n in NAMES})
    _require_valid(changed)
    payloads = {n: value for n, value in values.items() if n.startswith(PREFIX)}
    return _with_payloads(changed, payloads)


def _with_payloads(settings: Settings, values: Mapping[str, tuple[float, ...]]) -> Settings:
    """Return settings with the values of some parameters of payloads."""
    numbers = {**settings.payload_numbers, **{n[len(PREFIX) :]: v for n, v in values.items()}}
    present = {name: given for name, given in numbers.items() if given != NO_PAYLOAD}
    changed = replace(settings, payload_numbers=present)
    changed.payloads  # noqa: B018  (raises for values that no payload can have)
    return changed


def require_payload_links(settings: Settings, model: Model) -> None:
    """Refuse a payload for which the model has no link.

    Raises
    ------
    ParameterError
        If there is one.
    """
    for name, payload in settings.payloads.items():
        if payload is not None:
            _require_link(name, model)


def _require_link(name: str, model: Model) -> None:
    links = model.mechanisms.payload_links
    if name not in links:
        raise ParameterError(
            f"parameter '{PREFIX}{name}': the mechanisms file of '{model.name}' names no link "
            f"for it under payload_links{choices(name, links) if links else ''}"
        )


def require_world_outside(settings: Settings, model: Model) -> None:
    """Refuse a world frame that is a frame of the robot, which would close a loop in TF.

    The root may be the world frame: it is then the parent of the other frames.

    Raises
    ------
    ParameterError
        If it is one.
    """
    world = settings.world_frame
    if world in model.frame_names and world != model.tree.root:
        raise ParameterError(
            f"parameter 'world_frame': '{world}' is a frame of '{model.name}'; expected a name "
            f"that no frame of the robot has, or that of its root, '{model.tree.root}'"
        )


def _require_valid(settings: Settings) -> None:
    for spec in SPECS:
        spec.require_valid(getattr(settings, spec.name))
    if not settings.world_frame:
        raise ParameterError("parameter 'world_frame' must not be empty")
