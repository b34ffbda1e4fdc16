# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulator as a process, and the side of the graph that drives it."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import WrenchStamped
from graph import TYPES, Checker
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import PointCloud2
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import SimulationState
from simulation_interfaces.srv import (
    GetSimulationState,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

# the contract, written down here once more on purpose
TYPES.update(
    {
        "/clock": Clock,
        "ground_truth/odom": Odometry,
        "ground_truth/actuators": JointTrajectory,
        "ground_truth/contacts": MarkerArray,
        "ground_truth/entities": MarkerArray,
        "ground_truth/contact_points": PointCloud2,
        "ground_truth/shapes": String,
    }
)
SAMPLES = ("joint_states", "actuator_lengths", "ground_truth/odom", "ground_truth/actuators")
STOPPED, PLAYING, PAUSED, QUITTING = range(4)
OK, NOT_FOUND, FAILED, UNSUPPORTED = 1, 2, 4, 0


def bits(value: Any) -> Any:
    """Return all values of a message, bit for bit.

    Serialised messages of Fast DDS differ: the bytes between aligned values are not set.
    """
    if isinstance(value, list):
        return [bits(each) for each in value]
    if hasattr(value, "get_fields_and_field_types"):
        return [bits(getattr(value, name)) for name in value.get_fields_and_field_types()]
    return value.tobytes() if hasattr(value, "tobytes") else repr(value)


class SimulatorClient(Checker):
    """Receives what the simulator publishes, commands it, and calls its services."""

    def __init__(self, topics: tuple[str, ...] = (*SAMPLES, "/clock"), **options: Any) -> None:
        super().__init__(topics, **options)
        node = self.node
        self.efforts = node.create_publisher(Float64MultiArray, "effort_commands", 10)
        self.trajectories = node.create_publisher(JointTrajectory, "joint_trajectory", 10)
        self.wrenches = node.create_publisher(WrenchStamped, "external_wrench", 10)
        self._steps = ActionClient(node, SimulateSteps, "simulate_steps")
        self._clients: dict[str, Any] = {}

    def connect(self) -> None:
        """Wait until the simulator and this have found each other."""
        self.wait_for_publishers()
        everything = (self.efforts, self.trajectories, self.wrenches)
        self.wait_for(
            lambda: all(publisher.get_subscription_count() for publisher in everything),
            "subscriptions of the simulator",
        )

    def call(self, service: Any, name: str, request: Any) -> Any:
        """Call a service by a client that is kept, and return its response."""
        future = self.call_later(service, name, request)
        self.wait_for(future.done, f"response of {name}", timeout=60.0)
        return future.result()

    def call_later(self, service: Any, name: str, request: Any) -> Any:
        """Call a service, and return the future of the response."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(service, name)
            self.wait_for(self._clients[name].service_is_ready, f"service {name}")
        return self._clients[name].call_async(request)

    def state(self) -> int:
        request = GetSimulationState.Request()
        return int(self.call(GetSimulationState, "get_simulation_state", request).state.state)

    def set_state(self, state: int) -> Any:
        request = SetSimulationState.Request(state=SimulationState(state=state))
        return self.call(SetSimulationState, "set_simulation_state", request).result

    def step(self, steps: int = 1) -> Any:
        request = StepSimulation.Request(steps=steps)
        return self.call(StepSimulation, "step_simulation", request).result

    def step_later(self, steps: int) -> Any:
        """Call for steps, and return the future of the response."""
        request = StepSimulation.Request(steps=steps)
        return self.call_later(StepSimulation, "step_simulation", request)

    def reset(self, scope: int = 0) -> Any:
        request = ResetSimulation.Request(scope=scope)
        return self.call(ResetSimulation, "reset_simulation", request).result

    def begin_steps(self, steps: int, feedback: Any = None) -> Any:
        """Send a goal of the action and return its handle."""
        self.wait_for(self._steps.server_is_ready, "the action simulate_steps")
        told = None if feedback is None else (lambda message: feedback(message.feedback))
        future = self._steps.send_goal_async(SimulateSteps.Goal(steps=steps), told)
        self.wait_for(future.done, "the goal's acceptance")
        return future.result()

    def end_of(self, goal: Any) -> Any:
        """Return the result of a goal, with its status."""
        future = goal.get_result_async()
        self.wait_for(future.done, "the goal's result", timeout=60.0)
        return future.result()

    def wait_for_samples(self, topic: str, count: int) -> list[Any]:
        """Return the messages of a topic when there are so many."""
        self.wait_for(lambda: len(self.received[topic]) >= count, f"{count} on {topic}")
        return self.received[topic]

    def latched(self, topic: str) -> Any:
        """Return the newest message of a latched topic, as one who comes now gets it."""
        found: list[Any] = []
        qos = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        late = self.node.create_subscription(TYPES[topic], topic, found.append, qos)
        self.wait_for(lambda: found, f"the latched message of {topic}")
        self.node.destroy_subscription(late)
        return found[-1]

    def close(self) -> None:
        self._steps.destroy()
        super().close()
