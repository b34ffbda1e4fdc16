"""Every topic of the dynamics node in one place: name, message type, quality of service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import InertiaStamped, PointStamped, WrenchStamped
from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSHistoryPolicy,
    QoSProfile,
    QoSReliabilityPolicy,
)
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from charmie_dynamics.live.loads import PAYLOADS
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES


@dataclass(frozen=True)
class Topic:
    """A topic: a relative name moves with the node's namespace, an absolute one does not."""

    name: str
    type: Any
    qos: QoSProfile


def _qos(depth: int, *, reliable: bool = True, latched: bool = False) -> QoSProfile:
    return QoSProfile(
        history=QoSHistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=(
            QoSReliabilityPolicy.RELIABLE if reliable else QoSReliabilityPolicy.BEST_EFFORT
        ),
        durability=(
            QoSDurabilityPolicy.TRANSIENT_LOCAL if latched else QoSDurabilityPolicy.VOLATILE
        ),
    )


def payload(name: str) -> Topic:
    """Return the topic on which a payload is told."""
    return Topic(f"payload/{name}", InertiaStamped, _qos(10))


def assumed_payload(name: str) -> Topic:
    """Return the topic on which a payload is published as it is assumed."""
    return Topic(f"assumed_payload/{name}", InertiaStamped, _qos(1, latched=True))


def listener_qos(topic: Topic) -> QoSProfile:
    """Return the quality of service for one who wants every message, of several publishers too."""
    return QoSProfile(
        history=QoSHistoryPolicy.KEEP_LAST,
        depth=200,
        reliability=topic.qos.reliability,
        durability=topic.qos.durability,
    )


# a best-effort subscription matches every publisher, as robot_state_publisher's does; room for half
# a second at 1 kHz, since a busy machine may hold the node up for 80 ms
SENSOR = _qos(500, reliable=False)

INPUTS: tuple[Topic, ...] = (
    Topic(ACTUATOR_LENGTHS, JointState, SENSOR),
    Topic(JOINT_STATES, JointState, SENSOR),
)
# as deep as /tf is everywhere: a listener may be held up for 100 cycles, and loses no topic of a
# cycle more than another
OF_A_CYCLE = _qos(100)
TF = Topic("/tf", TFMessage, OF_A_CYCLE)
TF_STATIC = Topic("/tf_static", TFMessage, _qos(1, latched=True))
ACTUATOR_EFFORTS = Topic("actuator_efforts", JointState, OF_A_CYCLE)
RESOLVED_JOINT_STATES = Topic("resolved_joint_states", JointState, OF_A_CYCLE)
SPRING_FORCES = Topic("spring_forces", JointState, OF_A_CYCLE)
BASE_WRENCH = Topic("base_wrench", WrenchStamped, OF_A_CYCLE)
EFFORT_RESIDUAL = Topic("effort_residual", JointState, OF_A_CYCLE)
EXTERNAL_EFFORTS = Topic("external_efforts", JointState, OF_A_CYCLE)
CONTACTS = Topic("contacts", JointState, OF_A_CYCLE)
STABILITY = Topic("stability", PointStamped, OF_A_CYCLE)
MARKERS = Topic("markers", MarkerArray, _qos(5))
ROBOT_DESCRIPTION = Topic("robot_description", String, _qos(1, latched=True))
DIAGNOSTICS = Topic("/diagnostics", DiagnosticArray, _qos(10))
EXTERNAL_WRENCH = Topic("external_wrench", WrenchStamped, _qos(10, reliable=False))
TRAJECTORY = Topic("trajectory", JointTrajectory, _qos(10))
TRAJECTORY_EFFORTS = Topic("trajectory_efforts", JointTrajectory, _qos(10))
VERDICT = Topic("trajectory_verdict", DiagnosticArray, _qos(10))

EACH_CYCLE: tuple[Topic, ...] = (
    TF,
    ACTUATOR_EFFORTS,
    RESOLVED_JOINT_STATES,
    SPRING_FORCES,
    BASE_WRENCH,
)
# of some cycles: stability if the wheel contacts are known, while the floor pushes
THINNED: tuple[Topic, ...] = (STABILITY, MARKERS)
# of cycles with measured efforts: contacts if the mechanisms file gives thresholds
COMPARED: tuple[Topic, ...] = (EFFORT_RESIDUAL, EXTERNAL_EFFORTS, CONTACTS)
OUTPUTS: tuple[Topic, ...] = (
    *EACH_CYCLE,
    *THINNED,
    *COMPARED,
    TF_STATIC,
    ROBOT_DESCRIPTION,
    DIAGNOSTICS,
)
TOLD: tuple[Topic, ...] = (*map(payload, PAYLOADS), EXTERNAL_WRENCH, TRAJECTORY)
ANSWERS: tuple[Topic, ...] = (*map(assumed_payload, PAYLOADS), TRAJECTORY_EFFORTS, VERDICT)
RECORDED: dict[str, Topic] = {topic.name: topic for topic in (*INPUTS, *TOLD, *OUTPUTS, *ANSWERS)}
