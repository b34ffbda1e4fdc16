# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The controller: joint states and goals in, efforts of all actuators out."""

from __future__ import annotations

import sys

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once

    end_at_once()

import time
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_srvs.srv import Trigger

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.execution.groups import groups_of
from charmie_dynamics.execution.robot_controller import GRAVITY_COMPENSATION, RobotController
from charmie_dynamics.live import topics
from charmie_dynamics.live.monitors import CycleMonitor
from charmie_dynamics.live.pipeline import Arrived, Pipeline
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.wire.messages import numbers
from charmie_dynamics.model.description.description_warnings import warning_lines
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.ros.controller.goal_runs import GoalRuns
from charmie_dynamics.ros.controller.group_actions import GroupActions
from charmie_dynamics.ros.controller.parameters import declare_parameters
from charmie_dynamics.ros.controller.report import ControllerReport
from charmie_dynamics.ros.controller.topics import COMMANDED_EFFORTS
from charmie_dynamics.ros.inputs.base_inputs import BaseInputs
from charmie_dynamics.ros.inputs.input_queue import InputQueue
from charmie_dynamics.ros.inputs.load_inputs import LoadInputs
from charmie_dynamics.ros.outputs.clearance import collision_monitor
from charmie_dynamics.ros.outputs.profiles import make_publisher
from charmie_dynamics.ros.outputs.sender import Sender
from charmie_dynamics.ros.process.faults import Faults
from charmie_dynamics.ros.process.log import Log
from charmie_dynamics.ros.process.running import run_node
from charmie_dynamics.simulation.session.message_buffers import numbers_of

from . import warm_up

NODE_NAME = "charmie_controller"
# of kernels: samples and efforts, inertias of the gains
KERNELS = ("node", "equations")
UNHEARD = "effort_commands has no subscriber"
# counters of the interventions
STOPS, JUMPS, LOSSES, DEAF = "stops", "jumps of time", "lost inputs", "lost subscribers"
REPORT_PERIOD = 1.0  # s of real time
WATCH_PERIOD = 0.02


class ControllerNode(Node):
    """Publishes `effort_commands` for each sample of the joints.

    Without current inputs, it publishes those of the fallback at 1 / `WATCH_PERIOD`.

    Parameters of the node: `SPECS` of `ros.controller.parameters`.

    Raises
    ------
    CharmieError
        From the constructor, for parameters or a robot that cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        settings = self._settings = declare_parameters(self)
        self._log = Log(self)
        model = self._model = read_model(settings.model, settings.mechanisms)
        for line in warning_lines(model.warnings):
            self.get_logger().warning(line)
        distances = None
        if settings.world:
            warm_up.prepare(NODE_NAME, None, warm_up.DISTANCES)
            files = settings.world, settings.model, settings.mechanisms
            distances = collision_monitor(model, *files).distances
        groups = groups_of(model, settings.groups)
        controller = self._controller = RobotController(model, groups, settings.control)
        self._pipeline = Pipeline(
            model,
            input_timeout=settings.input_timeout,
            acceleration_cutoff=settings.acceleration_cutoff,
            compute_dynamics=False,
        )
        self._runs = GoalRuns(
            controller,
            self._refusal,
            distances,
            settings.check_goals,
            log=lambda text: self._log.warn(text, text),
        )
        self._template = numbers(len(model.actuator_names))
        (self._numbers,) = numbers_of(self._template, "data")
        self._publisher = make_publisher(self, COMMANDED_EFFORTS)
        self._sender = Sender(self._publisher)
        self._limiter = RateLimiter(settings.rate)
        self._feedback = RateLimiter(settings.feedback_rate)
        # stamp (ns) and steady time (s) of the newest sample
        self._stamp, self._arrival, self._has_inputs = 0, time.monotonic(), False
        self._was_heard = False
        self._warm_up()
        self._loads = LoadInputs(self, self._log, self._use_loads, is_follower=True)
        self._loads.configure(model, settings.frame_prefix, {})
        faults = Faults(CycleMonitor(), self._log)
        self._queue = InputQueue(
            self, lambda: self._pipeline, self._take, faults, self._log, lambda _: None
        )
        BaseInputs(
            *(self, lambda: self._pipeline, lambda: settings.frame_prefix, self._log), (topics.IMU,)
        )
        self._actions = GroupActions(
            self, controller, self._runs, settings.defaults, self._now, self._log
        )
        self._report = ControllerReport(self, controller, self._runs, self._missing, self._is_heard)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(WATCH_PERIOD, self._watch, clock=steady)
        self.create_timer(REPORT_PERIOD, self._report.publish, clock=steady)
        self.create_service(Trigger, "~/stop", self._stop)
        self.create_service(Trigger, "~/start", self._start)
        self.get_logger().info(
            f"'{model.name}' ready: {settings.control.mode}, {len(groups)} groups: "
            f"{', '.join(groups)}"
        )

    def _warm_up(self) -> None:
        """Compile or load all kernels before the first message arrives."""
        warm_up.prepare(NODE_NAME, None)
        self._pipeline.warm_up()
        model, controller = self._model, self._controller
        controller.update(0, model.kinematics(model.rest_position()))
        controller.effort(0)
        controller.lose("")

    def _use_loads(self) -> None:
        """Apply the known loads to the robot from the next sample on."""
        loaded = self._model.with_loads(self._loads.payloads, self._loads.wrenches)
        self._pipeline.carry(loaded)
        self._controller.carry(self._pipeline.model)

    def _now(self) -> int:
        return self._stamp

    def _missing(self) -> list[str]:
        now = time.monotonic()
        missing = self._pipeline.missing(now)
        if not missing and now - self._arrival > self._settings.input_timeout:
            return ["usable joint states"]  # there are some, which the log rejects
        return missing

    def _is_heard(self) -> bool:
        return self._publisher.get_subscription_count() > 0

    def _refusal(self) -> str:
        """Return why no goal can be executed now; empty: it can."""
        if self._settings.control.mode == GRAVITY_COMPENSATION:
            return "expected another mode than gravity_compensation, which follows no trajectories"
        if self._controller.is_stopped:
            return "the controller is stopped; call ~/start"
        if not self._has_inputs:
            return f"no recent inputs of {', '.join(self._missing()) or 'the joints'}"
        if not self._is_heard():
            return UNHEARD
        return ""

    def _take(self, arrived: Arrived, now: float) -> None:
        """Take a sample, and publish the efforts for it."""
        start = time.monotonic()
        if self._loads.expire(now, self._settings.input_timeout):
            self._use_loads()
        cycle = self._pipeline.take(*arrived, now)
        if cycle is None:
            return
        if self._pipeline.model is not self._controller.model:  # with the gravity of the imu
            self._controller.carry(self._pipeline.model)
        stamp = self._stamp = cycle.stamp
        self._arrival, was_lost = now, not self._has_inputs
        self._has_inputs = True
        ended = self._controller.update(stamp, cycle.state)
        if self._controller.was_interrupted and not was_lost:
            self._interrupt(JUMPS, "time jumped")
        self._runs.finish(ended)
        self._runs.advance(stamp)
        if self._limiter.passes(stamp):
            self._send(self._controller.effort(stamp))
        if self._runs.clients and self._feedback.passes(stamp):
            self._actions.publish_feedback(stamp)
        self._queue.slack.note_cycle(time.monotonic() - start)

    def _send(self, effort: Floats) -> None:
        self._numbers[:] = effort
        self._sender.send(self._template)

    def _watch(self) -> None:
        """Begin the fallback without inputs; end all goals without a subscriber."""
        if self._has_inputs and self._missing():
            self._has_inputs = False
            reason = f"no recent inputs of {', '.join(self._missing())}"
            self._runs.finish(self._controller.lose(reason))
            self._interrupt(LOSSES, reason)
        self._watch_subscribers()
        self._runs.advance(self._stamp)
        if not self._has_inputs and self._stamp:
            try:
                self._send(self._controller.effort(self._stamp))
            except CharmieError as error:
                self._log.warn("fallback", f"no efforts: {error}")

    def _watch_subscribers(self) -> None:
        """End all goals without a subscriber."""
        was_heard, self._was_heard = self._was_heard, self._is_heard()
        if self._was_heard:
            return
        if was_heard:
            self._report.note_intervention(DEAF, UNHEARD)
        self._runs.end_waiting(UNHEARD)
        for group in list(self._runs.clients):
            self._runs.finish(self._controller.stop_group(group, self._stamp, UNHEARD))

    def _interrupt(self, cause: str, reason: str) -> None:
        self._runs.end_waiting(reason)
        self._report.note_intervention(cause, reason)
        self._log.warn(
            "interruption", f"all goals end, {self._settings.control.fallback}: {reason}"
        )

    def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._runs.end_waiting("stopped")
        self._runs.finish(self._controller.stop(self._stamp))
        self._report.note_intervention(STOPS, "stopped")
        response.success, response.message = True, self._settings.control.fallback
        return response

    def _start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._controller.resume()
        response.success, response.message = True, self._settings.control.mode
        return response

    def destroy_node(self) -> None:
        """Give everything back to the middleware."""
        self._runs.close()
        self._actions.close()
        self._sender.close()
        super().destroy_node()


def main(args: list[str] | None = None) -> int:
    """Run the controller; the exit status is returned."""

    def prepare() -> None:
        for task in KERNELS:
            warm_up.prepare(NODE_NAME, args, task)

    return run_node(ControllerNode, NODE_NAME, args, prepare)


if __name__ == "__main__":
    sys.exit(main())
