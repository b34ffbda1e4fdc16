"""The node's output topics, made from computed cycles with rosbags instead of ROS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import movable_joints, moving_frames
from charmie_dynamics.model.stability import Support, zero_moment_point
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.compute.cycles import Cycles
from charmie_dynamics.recordings.read.bag import JOINT_STATE, STORE
from charmie_dynamics.recordings.read.recorded_motion import EFFORTS, STABILITY, WRENCH

from .cdr_columns import Columns

JOINTS = "resolved_joint_states"
SPRINGS = "spring_forces"
TF = "/tf"
WRENCH_TYPE = "geometry_msgs/msg/WrenchStamped"
POINT_TYPE = "geometry_msgs/msg/PointStamped"
TF_TYPE = "tf2_msgs/msg/TFMessage"
# of the fields of a joint state, those that a topic fills
ALL = ("position", "velocity", "effort")


class OutputTopic(NamedTuple):
    """A topic, and how its messages are made from cycles.

    Attributes
    ----------
    name, type : str
    columns : Columns
    numbers : callable
        Returns the numbers (n, k) in the messages of n cycles; a row that begins with NaN stands
        for a message that is not written.
    """

    name: str
    type: str
    columns: Columns
    numbers: Callable[[Cycles], Floats]

    def messages(self, cycles: Cycles) -> Iterator[bytes | None]:
        """Yield the serialised message of each cycle; None where it is not written."""
        numbers = self.numbers(cycles)
        filled = self.columns.fill(cycles.stamps, numbers)
        silent = np.isnan(numbers[:, :1]).any(axis=1)
        for message, is_silent in zip(filled, silent, strict=True):
            yield None if is_silent else message.tobytes()


def output_topics(
    model: Model, prefix: str, dynamics: bool, world_frame: str, frame_prefix: str
) -> list[OutputTopic]:
    """Return all topics that are written each cycle.

    Parameters
    ----------
    model : Model
    prefix : str
        Put before relative names, ends in a slash.
    dynamics : bool
        False: only what can be said without loads.
    world_frame, frame_prefix : str
        As the node's parameters.
    """
    world = frame_prefix + world_frame
    base = frame_prefix + model.frame_names[model.plan.base_body]
    support = Support.of(model)

    def joints(name: str, names: Sequence[str], sources: dict[str, str]) -> OutputTopic:
        given = {field: array for field, array in sources.items() if dynamics or field != "effort"}
        return OutputTopic(
            prefix + name,
            JOINT_STATE,
            joint_columns(names, world, tuple(given)),
            lambda cycles: np.hstack([cycles.arrays[array] for array in given.values()]),
        )

    springs = {"position": "spring_length", "effort": "spring_tension"}
    topics = [_transforms(model, world, frame_prefix)]
    if dynamics:
        efforts = {"position": "position", "velocity": "velocity", "effort": "actuator_effort"}
        topics.insert(0, joints(EFFORTS, model.actuator_names, efforts))
        topics.append(OutputTopic(prefix + WRENCH, WRENCH_TYPE, _wrench_columns(base), _wrench))
    topics.append(_resolved_joints(model, prefix + JOINTS, world, dynamics))
    topics.append(joints(SPRINGS, model.spring_names, springs))
    if dynamics and len(support.polygon):
        columns = _point_columns(base)
        topics.append(
            OutputTopic(
                prefix + STABILITY, POINT_TYPE, columns, lambda c: _point(c, support.height)
            )
        )
    return topics


def static_transforms(model: Model, world_frame: str, frame_prefix: str, stamp: int) -> bytes:
    """Return the serialised message of ``/tf_static``: the links on fixed joints."""
    tree = model.flat.tree
    fixed = np.flatnonzero(tree.coordinate < 0)
    if world_frame == model.tree.root:
        fixed = fixed[1:]
    quaternions = np.empty((len(fixed), 4))
    quaternions_from_matrices(tree.R_parent_joint[fixed], quaternions)
    numbers = np.hstack((tree.p_parent_joint[fixed], quaternions))
    seconds, nanoseconds = divmod(stamp, 1_000_000_000)
    write = _transforms_writer(model, fixed, frame_prefix + world_frame, frame_prefix)
    return bytes(write(seconds, nanoseconds, numbers.ravel()))


def joint_columns(names: Sequence[str], frame: str, fields: Sequence[str]) -> Columns:
    """Return the form of a joint state with some of its fields, one after the other."""
    count = len(names)

    def write(seconds: int, nanoseconds: int, numbers: Floats) -> Any:
        given = dict(zip(fields, numbers.reshape(len(fields), count), strict=True))
        message = STORE.types[JOINT_STATE](
            header=_header(seconds, nanoseconds, frame),
            name=list(names),
            **{field: given.get(field, np.empty(0)) for field in ALL},
        )
        return STORE.serialize_cdr(message, JOINT_STATE)

    return Columns(write, count * len(fields))


def _resolved_joints(model: Model, name: str, world: str, dynamics: bool) -> OutputTopic:
    """Return all movable joints: the independent ones, then those that mimic one of them."""
    joints = movable_joints(model)
    leader = joints.leader

    def numbers(cycles: Cycles) -> Floats:
        arrays = cycles.arrays
        columns = [
            joints.multiplier * arrays["joint_position"][:, leader] + joints.offset,
            joints.multiplier * arrays["joint_velocity"][:, leader] + 0.0,
        ]
        if dynamics:
            columns.append(joints.bears * arrays["generalized_force"][:, leader] + 0.0)
        return np.hstack(columns)

    columns = joint_columns(joints.names, world, ALL if dynamics else ALL[:2])
    return OutputTopic(name, JOINT_STATE, columns, numbers)


def _transforms(model: Model, world: str, frame_prefix: str) -> OutputTopic:
    frames = moving_frames(model)

    def numbers(cycles: Cycles) -> Floats:
        p, R = cycles.arrays["p_parent_frame"], cycles.arrays["R_parent_frame"]
        quaternions = np.empty((len(p) * len(frames), 4))
        quaternions_from_matrices(np.ascontiguousarray(R).reshape(-1, 3, 3), quaternions)
        both = np.concatenate((p, quaternions.reshape(len(p), -1, 4)), axis=2)
        return both.reshape(len(p), -1)

    write = _transforms_writer(model, frames, world, frame_prefix)
    return OutputTopic(TF, TF_TYPE, Columns(write, 7 * len(frames)), numbers)


def _transforms_writer(
    model: Model, frames: Ints, world: str, frame_prefix: str
) -> Callable[[int, int, Floats], Any]:
    names = []
    for i in frames.tolist():
        parent = model.flat.frame_parents[i]
        names.append((frame_prefix + parent if parent else world,
                      frame_prefix + model.frame_names[i]))  # fmt: skip

    def write(seconds: int, nanoseconds: int, numbers: Floats) -> Any:
        types = STORE.types
        transforms = []
        rows = numbers.reshape(-1, 7).tolist()
        for (parent, child), (px, py, pz, *quaternion) in zip(names, rows, strict=True):
            transform = types["geometry_msgs/msg/Transform"](
                translation=types["geometry_msgs/msg/Vector3"](px, py, pz),
                rotation=types["geometry_msgs/msg/Quaternion"](*quaternion),
            )
            header = _header(seconds, nanoseconds, parent)
            stamped = types["geometry_msgs/msg/TransformStamped"](header, child, transform)
            transforms.append(stamped)
        return STORE.serialize_cdr(types[TF_TYPE](transforms), TF_TYPE)

    return write


def _wrench_columns(frame: str) -> Columns:
    def write(seconds: int, nanoseconds: int, numbers: Floats) -> Any:
        types = STORE.types
        vector = types["geometry_msgs/msg/Vector3"]
        values = numbers.tolist()
        wrench = types["geometry_msgs/msg/Wrench"](vector(*values[:3]), vector(*values[3:]))
        message = types[WRENCH_TYPE](_header(seconds, nanoseconds, frame), wrench)
        return STORE.serialize_cdr(message, WRENCH_TYPE)

    return Columns(write, 6)


def _wrench(cycles: Cycles) -> Floats:
    return np.hstack((cycles.arrays["link_force"], cycles.arrays["link_torque"]))


def _point_columns(frame: str) -> Columns:
    def write(seconds: int, nanoseconds: int, numbers: Floats) -> Any:
        point = STORE.types["geometry_msgs/msg/Point"](*numbers.tolist())
        message = STORE.types[POINT_TYPE](_header(seconds, nanoseconds, frame), point)
        return STORE.serialize_cdr(message, POINT_TYPE)

    return Columns(write, 3)


def _point(cycles: Cycles, height: float) -> Floats:
    return zero_moment_point(cycles.arrays["link_force"], cycles.arrays["link_torque"], height)


def _header(seconds: int, nanoseconds: int, frame: str) -> Any:
    time = STORE.types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=nanoseconds)
    return STORE.types["std_msgs/msg/Header"](stamp=time, frame_id=frame)
