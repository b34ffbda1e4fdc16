# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of the dynamics node: declared with descriptions and ranges, read as `Settings`."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from charmie_dynamics.errors import CharmieError, InputError, choices
from charmie_dynamics.live.loads import PAYLOADS
from charmie_dynamics.live.settings import LiveSettings
from charmie_dynamics.live.tracked_points import FORM
from charmie_dynamics.model.description.names import LONGEST_NAME, MOST_POINTS
from charmie_dynamics.model.description.package_robots import DEFAULT, PACKAGE_ROBOTS
from charmie_dynamics.model.loads import Payload, payload_from_numbers
from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.scene.scene import Style

ACCELERATION_SOURCES = ("estimated", "zero")
# parameters that every rclpy node has or may be given
OF_RCLPY = ("use_sim_time", "start_type_description_service")


class ParameterError(CharmieError):
    """A parameter that does not exist, or has a value that it must not have."""


@dataclass(frozen=True)
class Settings(LiveSettings):
    """Values of all parameters, by their names. Units are SI."""

    model: str = ""
    mechanisms: str = ""
    strict_inertials: bool = False
    marker_style: Style = "solid"
    marker_reactions: bool = False
    marker_labels: bool = False
    marker_legend: bool = False
    acceleration_source: str = "estimated"
    payload_left: tuple[float, ...] = (0.0,)
    payload_right: tuple[float, ...] = (0.0,)

    @property
    def payloads(self) -> dict[str, Payload | None]:
        """The payloads by their names."""
        return {name: payload_from_numbers(getattr(self, f"payload_{name}")) for name in PAYLOADS}


_LENGTH = f"with the prefix at most {LONGEST_NAME} characters, without a leading slash"
DESCRIPTIONS: dict[str, str] = {
    "model": f"Path of a URDF, or {' or '.join(PACKAGE_ROBOTS)}; empty: {DEFAULT}",
    "mechanisms": (
        "Path of a mechanisms file (YAML); empty: the one of a robot of this package, none with "
        "another"
    ),
    "strict_inertials": (
        "Refuse a URDF with impossible moments of inertia or with mimic joints whose leader does "
        "not exist; false: use it unmodified, with a warning"
    ),
    "world_frame": f"Root of the published tree; {_LENGTH}",
    "frame_prefix": f"Prefix of every published frame id; {_LENGTH}",
    "publish_tf": "Publish /tf and /tf_static",
    "publish_location": (
        "Publish the pose of the robot in the world: its root and the children of floating joints; "
        "false: a localisation or the simulator publishes it"
    ),
    "publish_markers": "Publish markers",
    "publish_robot_description": "Publish the URDF in use on robot_description",
    "compute_dynamics": "False: kinematics only, neither efforts nor wrenches",
    "marker_rate": "Markers are throttled to this rate (Hz); 0 publishes them every cycle",
    "marker_style": "solid: bodies as they look; skeleton: key points joined by lines",
    "marker_reactions": "Show the forces in the joints as markers",
    "marker_labels": "Show names, efforts, tensions and tip-over margin as markers",
    "marker_legend": "Show a legend of the colours of the markers next to the robot",
    "input_timeout": "An input older than this (s) is stale",
    "acceleration_source": "estimated: from velocities or positions; zero: quasi-static",
    "acceleration_cutoff": "Cutoff (Hz) of the velocity and acceleration estimator",
    "require_base_joints": "False: base joints that no message reports are held at zero",
    "tracked_points": (
        f"Points whose motion is published, each {FORM} (m, in the frame, its origin if omitted), "
        f"at most {MOST_POINTS}; one empty text: those of the mechanisms file; none: none"
    ),
    "observer_cutoff": "Cutoff (Hz) of the observer of external efforts",
    **{
        f"payload_{name}": (
            f"Payload of the {name} tool, in its frame: mass (kg; 0: nothing), or mass and centre "
            "of mass (m), or these and the inertia about it: xx, xy, xz, yy, yz, zz (kg m^2)"
        )
        for name in PAYLOADS
    },
}
RANGES: dict[str, tuple[float, float]] = {
    "marker_rate": (0.0, 1000.0),
    "input_timeout": (0.001, 3600.0),
    "acceleration_cutoff": (0.01, 1000.0),
    "observer_cutoff": (0.01, 1000.0),
}
CHOICES: dict[str, Sequence[str]] = {
    "acceleration_source": ACCELERATION_SOURCES,
    "marker_style": get_args(Style),
}
NOT_EMPTY = ("world_frame",)
NAMES = tuple(field.name for field in fields(Settings))


def require_known_overrides(node: Node, names: Sequence[str]) -> None:
    """Refuse a parameter that a node was given and does not have.

    Raises
    ------
    ParameterError
        If there is one.
    """
    # rclpy has no public view of the overrides that a node was given
    given: Mapping[str, Any] = getattr(node, "_parameter_overrides", {})
    for name in given:
        if name not in (*names, *OF_RCLPY) and not name.startswith("qos_overrides."):
            raise ParameterError(f"parameter '{name}' does not exist{choices(name, names)}")


def declare_parameters(node: Node) -> Settings:
    """Declare all parameters on a node and return their values.

    Raises
    ------
    ParameterError
        For a value out of range or of the wrong type, or an override of a parameter that does
        not exist (rclpy itself would drop it without a word).
    """
    require_known_overrides(node, NAMES)
    values = {}
    defaults = Settings()
    for name in NAMES:
        try:
            default = _as_given(getattr(defaults, name))
            parameter = node.declare_parameter(name, default, _descriptor(name))
        except (InvalidParameterValueException, InvalidParameterTypeException) as error:
            raise ParameterError(f"parameter '{name}': {error}") from None
        values[name] = _as_kept(parameter.value)
    settings = Settings(**values)
    _require_valid(settings)
    return settings


def change(settings: Settings, parameters: Sequence[Parameter]) -> Settings:
    """Return settings with some parameters changed; other nodes' parameters are left alone.

    Raises
    ------
    ParameterError
        For a value that is not among the choices.
    """
    changes = {p.name: _as_kept(p.value) for p in parameters if p.name in NAMES}
    changed = replace(settings, **changes)
    _require_valid(changed)
    return changed


def _as_given(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _as_kept(value: Any) -> Any:
    """Return a value of a kind that can be compared."""
    return tuple(value) if isinstance(value, (list, array)) else value


def require_payload_links(settings: Settings, model: Model) -> None:
    """Refuse a payload for which the model has no link.

    Raises
    ------
    ParameterError
        If there is one.
    """
    links = model.mechanisms.payload_links
    for name, payload in settings.payloads.items():
        if payload is not None and name not in links:
            raise ParameterError(
                f"parameter 'payload_{name}': the mechanisms file of '{model.name}' names no link "
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
    for name, valid in CHOICES.items():
        value = getattr(settings, name)
        if value not in valid:
            raise ParameterError(
                f"parameter '{name}': '{value}' is no choice{choices(str(value), valid)}"
            )
    for name in PAYLOADS:
        try:
            payload_from_numbers(getattr(settings, f"payload_{name}"))
        except InputError as error:
            raise ParameterError(f"parameter 'payload_{name}': {error}") from None
    for name in NOT_EMPTY:
        if not getattr(settings, name):
            raise ParameterError(f"parameter '{name}' must not be empty")


def _descriptor(name: str) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(name=name, description=DESCRIPTIONS[name])
    bounds: tuple[float, float] | None = RANGES.get(name)
    if bounds is not None:
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=bounds[0], to_value=bounds[1], step=0.0)
        ]
    if name in CHOICES:
        descriptor.additional_constraints = "one of: " + ", ".join(CHOICES[name])
    return descriptor
