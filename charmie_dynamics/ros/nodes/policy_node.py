# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The policy node: runs a trained network on the topics of a robot."""

from __future__ import annotations

import sys

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once

    end_at_once()

import time
from dataclasses import replace
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from charmie_dynamics.learning.deployment import Deployment
from charmie_dynamics.learning.network import load_policy
from charmie_dynamics.learning.registry import task_class
from charmie_dynamics.live import topics
from charmie_dynamics.live.findings import POLICY, POLICY_STOPPED
from charmie_dynamics.live.monitors import CycleMonitor
from charmie_dynamics.live.pipeline import Arrived, Pipeline
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.description.package_robots import PACKAGE_WORLDS
from charmie_dynamics.ros.inputs.entity_poses import EntityPoses
from charmie_dynamics.ros.inputs.input_queue import InputQueue
from charmie_dynamics.ros.outputs.conversions import fill_joint_state, time_from_stamp
from charmie_dynamics.ros.outputs.diagnostics import found, prefixed, status
from charmie_dynamics.ros.outputs.profiles import make_publisher
from charmie_dynamics.ros.process.declaring import ParameterSpec, declare_known
from charmie_dynamics.ros.process.faults import Faults
from charmie_dynamics.ros.process.log import Log
from charmie_dynamics.ros.process.parameters import specs_named
from charmie_dynamics.ros.process.running import run_node
from charmie_dynamics.simulation import load_world
from charmie_dynamics.simulation.session.topics import JOINT_COMMANDS

from . import warm_up

NODE_NAME = "charmie_policy"
# of kernels: samples, actions, and the world
KERNELS = ("node", "equations", warm_up.DISTANCES, "contacts", warm_up.LOOPS)
PERIOD = 1.0  # s of real time, of diagnostics
PARAMETERS = (
    ParameterSpec("policy", "PickCan-v0", "Path of a network (npz), or Reach-v0 or PickCan-v0"),
    ParameterSpec(
        "world",
        "",
        f"Path of a world file (YAML), or {' or '.join(PACKAGE_WORLDS)}; empty: that of the task",
    ),
    ParameterSpec("rate", 100.0, "At most so many commands a second (Hz)", (1.0, 1000.0)),
    ParameterSpec(
        "input_timeout",
        0.2,
        "Joint states, lengths or poses on /tf older than this (s) stop the motion",
        (0.001, 3600.0),
    ),
    ParameterSpec("autostart", True, "Begin with the first inputs; false: wait for ~/start"),
    *specs_named("world_frame", "frame_prefix"),
)
# also for subscribers that are reliable
COMMANDS = replace(JOINT_COMMANDS, qos=topics.Qos(10))
SUCCESS = topics.Topic(
    "~/success",
    "std_msgs/msg/Bool",
    topics.Qos(10),
    "the end of a task: true when its goal is reached, false after its duration",
)
RUNNING, FINISHED, STOPPED = "running", "finished", "stopped"


class PolicyNode(Node):
    """Publishes `joint_commands` of a policy for measured joints and poses of entities.

    While it runs, each sample of the joints leads to a command. Without current inputs, and after
    the end of the task, the motion stops and the pose is held. `~/stop` also stops, but then
    commands end, so that another node can move the robot; `~/start` begins from scratch.

    Parameters of the node: `PARAMETERS`.

    Raises
    ------
    CharmieError
        From the constructor, for parameters, policies or worlds that cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        given = declare_known(self, PARAMETERS)
        policy = load_policy(given["policy"])
        world = load_world(given["world"] or task_class(policy.task).world_file)
        deployment = self._deployment = Deployment(policy, world)
        self._log, self._timeout = Log(self), given["input_timeout"]
        self._pipeline = Pipeline(
            deployment.robot, input_timeout=self._timeout, compute_dynamics=False
        )
        self._warm_up()
        self._state = RUNNING if given["autostart"] else STOPPED
        self._missing: list[str] = []
        # stamp (ns) and steady time (s) of the newest sample, and of the last stop
        self._sample = self._stop = 0, time.monotonic()
        self._limiter = RateLimiter(given["rate"])
        self._message = JointState(name=list(deployment.robot.actuator_names))
        self._commands = make_publisher(self, COMMANDS)
        self._success = make_publisher(self, SUCCESS)
        self._diagnostics = make_publisher(self, topics.DIAGNOSTICS)
        frames = given["frame_prefix"], given["world_frame"]
        self._poses = EntityPoses(self, deployment.entities, *frames, self._log)
        faults = Faults(CycleMonitor(), self._log)
        self._queue = InputQueue(
            self, lambda: self._pipeline, self._take, faults, self._log, lambda _: None
        )
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(1.0 / given["rate"], self._watch, clock=steady)
        self.create_timer(PERIOD, self._report, clock=steady)
        self.create_service(Trigger, "~/start", partial(self._change, RUNNING))
        self.create_service(Trigger, "~/stop", partial(self._change, STOPPED))
        self.get_logger().info(
            f"'{given['policy']}' ready: '{policy.task}' by {policy.control} at "
            f"{deployment.task.rate:g} Hz, {self._state}"
        )

    def _warm_up(self) -> None:
        """Compile or load all kernels before the first message arrives."""
        self._pipeline.warm_up()
        deployment = self._deployment
        rest = deployment.robot.rest_position()
        deployment.update(0, rest, 0.0 * rest, {})
        deployment.begin()

    def _take(self, arrived: Arrived, now: float) -> None:
        """Take a sample, and publish the command for it."""
        start = time.monotonic()
        cycle = self._pipeline.take(*arrived, now)
        if cycle is None:
            return
        if cycle.stamp < self._sample[0] and self._state != RUNNING:
            # time has jumped back, as after a reset of a simulator: the held pose is of before
            self._state = STOPPED
            self._deployment.begin()
        self._sample = cycle.stamp, now
        if self._state != RUNNING or self._find_missing():
            return
        state, poses = cycle.state, self._poses.newest
        try:
            outcome = self._deployment.update(cycle.stamp, state.position, state.velocity, poses)
        except Exception:
            self._end(STOPPED)
            raise  # to the log
        if outcome is not None:
            self._success.publish(Bool(data=outcome))
            self._end(FINISHED)
        if self._limiter.passes(cycle.stamp):
            self._publish(cycle.stamp)
        self._queue.slack.note_cycle(time.monotonic() - start)

    def _watch(self) -> None:
        """Publish commands while no sample does: when the motion stops and the pose is held."""
        if self._state == RUNNING and not self._find_missing():
            return
        now = _later(*self._stop)
        self._publish(now)
        if self._state == STOPPED and self._deployment.is_at_rest(now):
            self._deployment.begin()  # that was the last command

    def _find_missing(self) -> list[str]:
        """Return the missing inputs; stop when they begin to be missing, begin when they return."""
        now = time.monotonic()
        missing = self._pipeline.missing(now)
        missing += self._poses.missing(self._deployment.free, now, self._timeout)
        if not missing and now - self._sample[1] > self._timeout:
            missing = ["usable joint states"]  # there are some, which the log rejects
        if self._state != RUNNING or missing == self._missing:
            return missing
        before, self._missing = self._missing, missing
        if missing and not before:
            self._slow_down()
            self._log.warn(POLICY_STOPPED.text, f"{POLICY_STOPPED.text}: {', '.join(missing)}")
        elif not missing:
            self._deployment.begin()
        self._report()
        return missing

    def _publish(self, now: int) -> None:
        command = self._deployment.command(now)
        if command is not None:
            fill_joint_state(self._message, time_from_stamp(now), *command)
            self._commands.publish(self._message)

    def _end(self, state: str) -> None:
        self._state, self._missing = state, []
        self._slow_down()
        self._report()

    def _slow_down(self) -> None:
        """Stop the motion; the time of stamps may have stopped, so from now on the steady one."""
        self._stop = _later(*self._sample), time.monotonic()
        self._deployment.stop(self._stop[0])

    def _change(
        self, state: str, _: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        if state == RUNNING:
            self._state = RUNNING
            self._deployment.begin()
            self._report()
        else:
            self._end(state)
        response.success, response.message = True, self._state
        return response

    def _report(self) -> None:
        (name,) = prefixed([POLICY], self.get_fully_qualified_name())
        values = {"task": self._deployment.task.name, "state": self._state}
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        text = f"{POLICY_STOPPED.text}: {', '.join(self._missing)}"
        message.status.append(
            found(name, POLICY_STOPPED, text, values)
            if self._missing
            else status(name, DiagnosticStatus.OK, self._state, values)
        )
        self._diagnostics.publish(message)


def _later(stamp: int, since: float) -> int:
    """Return a stamp (ns) plus the time since a steady time (s)."""
    return stamp + round(NANOSECONDS * (time.monotonic() - since))


def main(args: list[str] | None = None) -> int:
    """Run the policy node; the exit status is returned."""

    def prepare() -> None:
        for task in KERNELS:
            warm_up.prepare(NODE_NAME, args, task)

    return run_node(PolicyNode, NODE_NAME, args, prepare)


if __name__ == "__main__":
    sys.exit(main())
