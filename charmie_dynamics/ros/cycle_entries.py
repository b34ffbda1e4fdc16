"""What of a computed state goes into which message."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from geometry_msgs.msg import TransformStamped

from ..core.vectors import Ints
from ..model.model import Model
from . import topics
from .cycle_messages import Entry, Source
from .messages import CycleMessage, JointStateMessage, TransformsMessage, WrenchMessage
from .parameters import Settings


def cycle_entries(model: Model, settings: Settings) -> list[tuple[topics.Topic, Entry]]:
    """Return all messages that hold numbers of a state as they are, in the order of publication.

    Efforts first: controllers wait for them. Then TF, so that RViz can place what comes later.
    """
    plan = model.plan
    world = settings.frame_prefix + settings.world_frame
    with_loads = settings.compute_dynamics
    entries: list[tuple[topics.Topic, Entry]] = []

    def add(topic: topics.Topic, message: CycleMessage, *sources: Source) -> None:
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
        frames = _moving_frames(model)
        add(
            topics.TF,
            TransformsMessage(make_transforms(model, settings, frames)),
            Source(plan.index("p_parent_frame")[frames]),
            Source(plan.index("R_parent_frame")[frames]),
        )
    if with_loads:
        add(
            topics.BASE_WRENCH,
            WrenchMessage(settings.frame_prefix + model.frame_names[plan.base_body]),
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
    return entries


def _add_joints(model: Model, add_joint_state: Callable[..., None]) -> None:
    """Add all movable joints: the independent ones, then those that mimic one of them."""
    mimics = [joint for joint in model.tree.joints if joint.mimic is not None]
    rows = [model.flat.body_names.index(joint.child) for joint in mimics]
    tree, own = model.flat.tree, len(model.joint_names)
    leader = np.concatenate((np.arange(own), tree.coordinate[rows]))
    multiplier = np.concatenate((np.ones(own), tree.multiplier[rows]))
    offset = np.concatenate((np.zeros(own), tree.offset[rows]))
    # the force of a mimic joint is in that of the joint that it follows
    bears = np.where(np.arange(len(leader)) < own, 1.0, 0.0)
    index = model.plan.index
    add_joint_state(
        topics.RESOLVED_JOINT_STATES,
        [*model.joint_names, *(joint.name for joint in mimics)],
        position=Source(index("joint_position")[leader], multiplier, offset),
        velocity=Source(index("joint_velocity")[leader], multiplier),
        effort=Source(index("generalized_force")[leader], bears),
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


def _moving_frames(model: Model) -> Ints:
    """Return the frames that move in their parent, or may: all but links on fixed joints."""
    coordinate = model.flat.tree.coordinate
    moving = np.ones(len(model.frame_names), dtype=bool)
    moving[: len(coordinate)] = coordinate >= 0
    return np.flatnonzero(moving)
