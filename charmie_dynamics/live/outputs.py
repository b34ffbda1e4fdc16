# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The table of outputs: topics, rates and sources of their numbers.

The node and the recordings fill the same messages from it, see `cycle_messages`; the recorder, the
check of the demonstration and the reference read the topics from it. A further topic is one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import movable_joints, moving_frames
from charmie_dynamics.model.stability import Support
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Ints

from . import topics
from .measured import contact_thresholds
from .settings import (
    CONTACTS_RATE,
    FROM_FILE,
    POINTS_RATE,
    SETTLING_RATE,
    STABILITY_RATE,
    LiveSettings,
)
from .topics import Topic
from .tracked_points import mechanisms_of, place_of, point_names, tracked_points
from .wire import messages
from .wire.filling import BlockSource, PointSource, Sources
from .wire.templates import Template


class Content(NamedTuple):
    """A message of some robot, and where its numbers lie in a state's block.

    Attributes
    ----------
    template : Template
    sources : mapping
        By the names of places in the template.
    decisive : int
        Place in the block of a number on which publication depends: there is only a message if it
        is above zero, or, of an output `on_change`, also if it has changed; -1: none.
    """

    template: Template
    sources: Sources
    decisive: int = -1


class CycleOutput(NamedTuple):
    """A topic of the cycles.

    Attributes
    ----------
    topic : Topic
    content : callable
        Returns the content for a robot and settings; None without content.
    rate : float
        At most this many messages a second of the stamps (Hz); 0: one each cycle.
    on_change : bool
        Whether changes of the decisive number are published immediately.
    """

    topic: Topic
    content: Callable[[Model, LiveSettings], Content | None]
    rate: float = 0.0
    on_change: bool = False


class PointOutput(NamedTuple):
    """A topic for each tracked point.

    Attributes
    ----------
    topic : callable
        Returns the topic of a point, by its name.
    content : callable
        Returns the content for a robot, settings and the index of the point.
    rate : float
        As of `CycleOutput`.
    """

    topic: Callable[[str], Topic]
    content: Callable[[Model, LiveSettings, int], Content]
    rate: float


class MeasuredOutput(NamedTuple):
    """A topic of the cycles with measured efforts: a joint state that names some actuators.

    Attributes
    ----------
    topic : Topic
    effort, named : str
        Arrays of a `Comparison`: the efforts, and which actuators are named.
    rate : float
        At most this many messages per second of the stamps (Hz); 0: one per cycle. A change of the
        named actuators is published immediately.
    is_known : callable
        Returns whether a robot has it.
    """

    topic: Topic
    effort: Literal["residual", "external"]
    named: Literal["measured", "contacts"]
    rate: float = 0.0
    is_known: Callable[[Model], bool] = lambda _: True


class LatchedOutput(NamedTuple):
    """A topic with one message, which stays until robot or settings change.

    Attributes
    ----------
    topic : Topic
    message : callable
        Returns the message for a robot and settings; None without a message.
    """

    topic: Topic
    message: Callable[[Model, LiveSettings], Template | None]


def _actuator_efforts(model: Model, settings: LiveSettings) -> Content | None:
    if not settings.compute_dynamics:
        return None
    index, own = model.layout.index, model.actuator_index
    return _joint_state(
        settings,
        model.actuator_names,
        position=BlockSource(index("position")[own]),
        velocity=BlockSource(index("velocity")[own]),
        effort=BlockSource(index("actuator_effort")[own]),
    )


def _transforms(model: Model, settings: LiveSettings) -> Content | None:
    if not settings.publish_tf:
        return None
    index, frames = model.layout.index, published_frames(model, settings)[0]
    sources = {
        "translation": BlockSource(index("p_parent_frame")[frames]),
        "rotation": BlockSource(index("R_parent_frame")[frames]),
    }
    return Content(messages.transforms(_frame_ids(model, settings, frames)), sources)


def _base_wrench(model: Model, settings: LiveSettings) -> Content | None:
    if not settings.compute_dynamics:
        return None
    index, base = model.layout.index, model.layout.base_body
    sources = {
        "force": BlockSource(index("link_force")[base]),
        "torque": BlockSource(index("link_torque")[base]),
    }
    return Content(messages.wrench(_base_frame(model, settings)), sources)


def _resolved_joint_states(model: Model, settings: LiveSettings) -> Content:
    """Return all movable joints: the independent joints, then their mimic joints."""
    joints, index = movable_joints(model), model.layout.index
    leader, multiplier = joints.leader, joints.multiplier
    return _joint_state(
        settings,
        joints.names,
        position=BlockSource(index("joint_position")[leader], multiplier, joints.offset),
        velocity=BlockSource(index("joint_velocity")[leader], multiplier),
        effort=BlockSource(index("generalized_force")[leader], joints.bears),
    )


def _spring_forces(model: Model, settings: LiveSettings) -> Content:
    index = model.layout.index
    return _joint_state(
        settings,
        model.spring_names,
        position=BlockSource(index("spring_length")),
        effort=BlockSource(index("spring_tension")),
    )


def _settling(model: Model, settings: LiveSettings) -> Content:
    """Return the number that the step puts behind those of the state."""
    place = model.layout.size
    sources = {"position": BlockSource(np.array([place]))}
    world = settings.frame_prefix + settings.world_frame
    return Content(messages.joint_state(["estimator"], world, tuple(sources)), sources, place)


def _zero_moment_point(model: Model, settings: LiveSettings) -> Content | None:
    support = Support.of(model)
    if not settings.compute_dynamics or not len(support.polygon):
        return None
    force, torque = model.layout.base_load
    floor = PointSource(force.first, torque.first, support.height)
    pressing = force.first + 2
    return Content(messages.point(_base_frame(model, settings)), {"point": floor}, pressing)


def _motion(model: Model, settings: LiveSettings, k: int, *, order: int) -> Content:
    """Return velocities (order 1) or accelerations (2), which the step puts behind the state."""
    linear = place_of(model, k) + 3 * order  # see `core.equations.point_motion`
    sources = {
        "linear": BlockSource(linear + np.arange(3)),
        "angular": BlockSource(linear + 6 + np.arange(3)),
    }
    return Content(messages.motion(settings.frame_prefix + settings.world_frame), sources)


def _has_contact_thresholds(model: Model) -> bool:
    return bool(np.isfinite(contact_thresholds(model)).any())


def _static_transforms(model: Model, settings: LiveSettings) -> Template | None:
    """Return the links on fixed joints."""
    if not settings.publish_tf:
        return None
    tree = model.flat.tree
    fixed = published_frames(model, settings)[1]
    template = messages.transforms(_frame_ids(model, settings, fixed))
    quaternions = np.empty((len(fixed), 4))
    quaternions_from_matrices(tree.R_parent_joint[fixed], quaternions)
    template.float64[template.places("translation").reshape(-1, 3)] = tree.p_parent_joint[fixed]
    template.float64[template.places("rotation").reshape(-1, 4)] = quaternions
    return template


def published_frames(model: Model, settings: LiveSettings) -> tuple[Ints, Ints]:
    """Return the frames that are published: those that may move, and those that do not."""
    moving, fixed = moving_frames(model), np.flatnonzero(model.flat.tree.coordinate < 0)
    if settings.world_frame == model.tree.root or not settings.publish_location:
        fixed = fixed[1:]  # the root is first
    if not settings.publish_location:
        floating = {joint.child for joint in model.tree.joints if joint.type == "floating"}
        named = [i for i in moving.tolist() if model.frame_names[i] not in floating]
        moving = np.array(named, dtype=np.int64)
    return moving, fixed


def _robot_description(model: Model, settings: LiveSettings) -> Template | None:
    return messages.string(model.tree.urdf) if settings.publish_robot_description else None


def _joint_state(settings: LiveSettings, names: Sequence[str], **sources: BlockSource) -> Content:
    """Return a joint state with some of its fields, without efforts where none are computed."""
    if not settings.compute_dynamics:
        del sources["effort"]
    world = settings.frame_prefix + settings.world_frame
    return Content(messages.joint_state(names, world, tuple(sources)), sources)


def _base_frame(model: Model, settings: LiveSettings) -> str:
    return settings.frame_prefix + model.frame_names[model.layout.base_body]


def _frame_ids(model: Model, settings: LiveSettings, frames: Ints) -> list[tuple[str, str]]:
    """Return parent and child of frames; the parent of the root is the world frame."""
    prefix = settings.frame_prefix
    return [
        (
            prefix + (model.flat.frame_parents[i] or settings.world_frame),
            prefix + model.frame_names[i],
        )
        for i in frames.tolist()
    ]


# In the order of publication. Efforts first: controllers wait for them. Then TF, so that RViz can
# place the later messages.
CYCLE_OUTPUTS: list[CycleOutput] = [
    CycleOutput(topics.ACTUATOR_EFFORTS, _actuator_efforts),
    CycleOutput(topics.TF, _transforms),
    CycleOutput(topics.BASE_WRENCH, _base_wrench),
    CycleOutput(topics.RESOLVED_JOINT_STATES, _resolved_joint_states),
    CycleOutput(topics.SPRING_FORCES, _spring_forces),
    CycleOutput(topics.SETTLING, _settling, SETTLING_RATE, on_change=True),
    CycleOutput(topics.STABILITY, _zero_moment_point, STABILITY_RATE),
]
POINT_OUTPUTS: list[PointOutput] = [
    PointOutput(topics.twist_of_point, partial(_motion, order=1), POINTS_RATE),
    PointOutput(topics.accel_of_point, partial(_motion, order=2), POINTS_RATE),
]
MEASURED_OUTPUTS: list[MeasuredOutput] = [
    MeasuredOutput(topics.EFFORT_RESIDUAL, "residual", "measured"),
    MeasuredOutput(topics.EXTERNAL_EFFORTS, "external", "measured"),
    MeasuredOutput(topics.CONTACTS, "external", "contacts", CONTACTS_RATE, _has_contact_thresholds),
]
LATCHED_OUTPUTS: list[LatchedOutput] = [
    LatchedOutput(topics.ROBOT_DESCRIPTION, _robot_description),
    LatchedOutput(topics.TF_STATIC, _static_transforms),
]


def cycle_outputs(model: Model, settings: LiveSettings) -> list[CycleOutput]:
    """Return the outputs of a robot's cycles in their order, those of tracked points included."""
    return CYCLE_OUTPUTS + [
        CycleOutput(output.topic(point.name), partial(_of_point, output, k), output.rate)
        for k, point in enumerate(tracked_points(model, settings.tracked_points))
        for output in POINT_OUTPUTS
    ]


def _of_point(output: PointOutput, k: int, model: Model, settings: LiveSettings) -> Content:
    return output.content(model, settings, k)


def point_topics(names: Iterable[str]) -> list[Topic]:
    """Return the topics of tracked points, by their names."""
    return [output.topic(name) for name in names for output in POINT_OUTPUTS]


def output_topics(points: Sequence[str] = ()) -> list[Topic]:
    """Return the topics of all outputs; markers, distances and diagnostics are made elsewhere.

    Parameters
    ----------
    points : sequence of str
        Names of the tracked points.
    """
    return [
        *(output.topic for output in CYCLE_OUTPUTS),
        *point_topics(points),
        topics.CYLINDER_EFFORTS,
        topics.FLOOR_CONTACTS,
        topics.CONTACT_FORCES,
        topics.MARKERS,
        topics.CLEARANCE,
        *(output.topic for output in MEASURED_OUTPUTS),
        *(output.topic for output in LATCHED_OUTPUTS),
        topics.DIAGNOSTICS,
    ]


def every_topic(
    points: tuple[str, ...] = FROM_FILE, urdf: str = "", mechanisms: str = ""
) -> dict[str, Topic]:
    """Return all topics of the node by their names, inputs first, for recordings.

    Parameters
    ----------
    points : tuple of str
        The node's parameter `tracked_points`.
    urdf, mechanisms : str
        The node's parameters `model` and `mechanisms`.

    Raises
    ------
    InputError, ModelFileError
        If they cannot be read.
    """
    payloads = mechanisms_of(urdf, mechanisms).payload_links
    every = (
        *topics.INPUTS,
        *topics.requests(payloads),
        *output_topics(point_names(points, urdf, mechanisms)),
        *topics.answers(payloads),
    )
    return {topic.name: topic for topic in every}
