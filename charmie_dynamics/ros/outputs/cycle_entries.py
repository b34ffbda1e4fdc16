"""What of a computed state goes into which message."""

from __future__ import annotations

from collections.abc import Callable

from geometry_msgs.msg import TransformStamped

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import movable_joints, moving_frames
from charmie_dynamics.model.stability import Support
from charmie_dynamics.numerics.vectors import Ints
from charmie_dynamics.ros.process.parameters import Settings

from . import topics
from .cycle_messages import Entry, PointSource, Source
from .messages import (
    CycleMessage,
    JointStateMessage,
    PointMessage,
    TransformsMessage,
    WrenchMessage,
)


def cycle_entries(model: Model, settings: Settings) -> list[tuple[topics.Topic, Entry]]:
    """Return all messages that hold numbers of a state, in the order of publication.

    Efforts first: controllers wait for them. Then TF, so that RViz can place what comes later.
    Stability last, if contacts are known: not every cycle has it.
    """
    plan = model.plan
    world = settings.frame_prefix + settings.world_frame
    with_loads = settings.compute_dynamics
    entries: list[tuple[topics.Topic, Entry]] = []

    def add(topic: topics.Topic, message: CycleMessage, *sources: Source | PointSource) -> None:
        entries.append((topic, Entry(message, sources)))

    def add_joint_state(topic: topics.Topic, names: list[str], **sources: Source) -> None:
        if not with_loads:
            del sources["effort"]
        add(topic, JointStateMessage(names, world, tuple(sources)), *sources.values())

    if with_loads:
        add_joint_state(
            topics.ACTUATOR_EFFORTS,
            list(model.actuator_names),
            position=Source(plan.index("position")),
            velocity=Source(plan.index("velocity")),
            effort=Source(plan.index("actuator_effort")),
        )
    if settings.publish_tf:
        frames = moving_frames(model)
        add(
            topics.TF,
            TransformsMessage(make_transforms(model, settings, frames)),
            Source(plan.index("p_parent_frame")[frames]),
            Source(plan.index("R_parent_frame")[frames]),
        )
    base_frame = settings.frame_prefix + model.frame_names[plan.base_body]
    if with_loads:
        add(
            topics.BASE_WRENCH,
            WrenchMessage(base_frame),
            Source(plan.index("link_force")[plan.base_body]),
            Source(plan.index("link_torque")[plan.base_body]),
        )
    _add_joints(model, add_joint_state)
    add_joint_state(
        topics.SPRING_FORCES,
        list(model.spring_names),
        position=Source(plan.index("spring_length")),
        effort=Source(plan.index("spring_tension")),
    )
    support = Support.of(model)
    if with_loads and len(support.polygon):
        force, torque = plan.base_load
        floor = PointSource(force.first, torque.first, support.height)
        add(topics.STABILITY, PointMessage(base_frame), floor)
    return entries


def _add_joints(model: Model, add_joint_state: Callable[..., None]) -> None:
    """Add all movable joints: the independent ones, then those that mimic one of them."""
    joints = movable_joints(model)
    index = model.plan.index
    add_joint_state(
        topics.RESOLVED_JOINT_STATES,
        joints.names,
        position=Source(index("joint_position")[joints.leader], joints.multiplier, joints.offset),
        velocity=Source(index("joint_velocity")[joints.leader], joints.multiplier),
        effort=Source(index("generalized_force")[joints.leader], joints.bears),
    )


def make_transforms(model: Model, settings: Settings, frames: Ints) -> list[TransformStamped]:
    """Return transforms with their frame ids; the root's parent is the world frame."""
    transforms = []
    for i in frames:
        transform = TransformStamped()
        parent = model.flat.frame_parents[i] or settings.world_frame
        transform.header.frame_id = settings.frame_prefix + parent
        transform.child_frame_id = settings.frame_prefix + model.frame_names[i]
        transforms.append(transform)
    return transforms
