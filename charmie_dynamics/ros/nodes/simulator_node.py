# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulator: plays the robot or a world, from efforts or trajectories to sensors."""

from __future__ import annotations

import sys

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once

    end_at_once()

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.model.description.description_warnings import warning_lines
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.ros.process.log import Log
from charmie_dynamics.ros.process.running import run_node
from charmie_dynamics.ros.simulator.command_inputs import CommandInputs
from charmie_dynamics.ros.simulator.parameters import declare_parameters
from charmie_dynamics.ros.simulator.plain_services import PlainServices
from charmie_dynamics.ros.simulator.player import Player
from charmie_dynamics.ros.simulator.report import SimulatorReport
from charmie_dynamics.ros.simulator.robot_topics import RobotTopics
from charmie_dynamics.ros.simulator.samples import Samples
from charmie_dynamics.simulation import World, load_world
from charmie_dynamics.simulation.session.sensors import SimulatedSample
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

from . import warm_up

NODE_NAME = "charmie_simulator"
# of kernels: inverse and forward dynamics, steps, the inertias that stops are made for, the base
TASKS = ("node", "forward", "simulation", "equations", "points")
CONTACTS = "contacts"  # of worlds


class SimulatorNode(Node):
    """Publishes joint states, actuator lengths and the time of a robot that moves under efforts.

    A world also has other entities and contacts.

    Parameters of the node: `SPECS` of `ros.simulator.parameters`.

    Raises
    ------
    CharmieError
        From the constructor, for a parameter or a model file that cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        self._settings = declare_parameters(self)
        self._log = Log(self)
        system = self._read()
        model, robot = system.model, system.robot
        for line in warning_lines(model.warnings):
            self.get_logger().warning(line)
        for line in self._settings.session.rounded_values:
            self.get_logger().warning(line)
        self._session = Session(system, self._settings.session, self._settings.frame_prefix)
        _, why = self._session.parts
        if why:
            self.get_logger().info(why)
        self._session.warm_up()  # before a client can wait for it
        self._robot: RobotTopics | None = None
        replaced: frozenset[str] = frozenset()
        if robot is not None:
            self._robot = RobotTopics(self, robot.model, self._settings.bridge, self._log)
            replaced = self._robot.names
        self._samples = Samples(self, self._session, self._settings, replaced)
        self._player = Player(
            self, self._session, self._settings.speed, self._publish, self._on_fault,
            self._samples.follow,
        )  # fmt: skip
        stamped = self._settings.stamped_cmd_vel
        self._commands = CommandInputs(self, self._session, self._log, stamped)
        PlainServices(self, self._session, self._player)
        self._stepping = self._offer_simulation_interfaces()
        self._report = SimulatorReport(self, self._session, self._commands)
        self._report.speed = self._settings.speed
        self.add_on_set_parameters_callback(self._on_set_parameters)
        begin = self._session.pause if self._settings.paused else self._session.play
        begin()
        self._player.follow_state()
        self._log_readiness()

    def _read(self) -> SimulatedSystem:
        """Return the system to simulate, with its kernels prepared."""
        settings = self._settings
        if not settings.world:
            return SimulatedSystem.alone(read_model(settings.model, settings.mechanisms))
        world = _read_world(lambda: load_world(settings.world, settings.session.seed))
        return SimulatedSystem.of_world(world, settings.robot)

    def _prepare(self, read: Callable[[], World]) -> SimulatedSystem:
        """Return the system of a world that can be simulated, or raise."""
        world, robot = _read_world(read), self._settings.robot
        system = SimulatedSystem.of_world(world, robot if robot in world.entities else "")
        Session(system, self._settings.session, self._settings.frame_prefix).warm_up()
        return system

    def _adopt(self, system: SimulatedSystem | None) -> None:
        """Restart with another world, or without one; if this raises, nothing is changed."""
        robot, topics = None if system is None else system.robot, None
        if robot is not None:
            topics = RobotTopics(self, robot.model, self._settings.bridge, self._log)
        if self._robot is not None:
            self._robot.close()
        self._robot = topics
        if system is None:
            self._session.unload()
        else:
            self._session.load(system)
        self._samples.begin(frozenset() if topics is None else topics.names)
        self._commands.follow()
        self._player.follow_state()
        if system is None:
            self.get_logger().info("no world is loaded")
        else:
            self._log_readiness()

    def _log_readiness(self) -> None:
        system, settings = self._session.system, self._session.settings
        of_world = ""
        if system.world is not None:
            robot = "no robot with actuators" if system.robot is None else system.robot.name
            of_world = f"{len(system.entities)} entities, topics of {robot}, "
        self.get_logger().info(
            f"'{system.model.name}' ready: {of_world}{len(system.model.actuator_names)} actuators, "
            f"steps of {settings.step:g} s, a sample every {settings.steps_per_sample}, "
            f"{self._session.state.value}"
        )

    def _offer_simulation_interfaces(self) -> Any:
        """Offer the services and the action of simulation_interfaces, if it is installed."""
        if find_spec("simulation_interfaces") is None:
            self.get_logger().warning(
                "the package simulation_interfaces is not installed: only the services 'pause' and "
                "'reset' are offered"
            )
            return None
        from charmie_dynamics.ros.simulator.entities import EntityServices
        from charmie_dynamics.ros.simulator.simulation_state import SimulationStateServices
        from charmie_dynamics.ros.simulator.spawning import SpawnServices
        from charmie_dynamics.ros.simulator.stepping import SteppingAction
        from charmie_dynamics.ros.simulator.world_services import WorldServices

        settings = self._settings
        frame = settings.frame_prefix + settings.world_frame
        follow = self._samples.follow
        SimulationStateServices(self, self._session, self._player)
        EntityServices(self, self._session, frame, follow)
        SpawnServices(self, self._session, frame, follow, settings.frame_prefix)
        WorldServices(self, self._session, self._player, settings.world, self._prepare, self._adopt)
        return SteppingAction(self, self._session, self._player)

    def _publish(self, sample: SimulatedSample) -> None:
        self._samples.publish(sample)
        if sample.measured is not None and self._robot is not None:
            self._robot.publish(sample.measured)

    def _on_fault(self, error: CharmieError) -> None:
        self.get_logger().error(
            f"paused: {self._session.fault}; reset the simulation, or send another command and "
            "continue"
        )

    def _on_set_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            if parameter.name == "speed":
                self._player.set_speed(parameter.value)
                self._report.speed = parameter.value
        return SetParametersResult(successful=True)

    def destroy_node(self) -> None:
        """Give everything back to the middleware."""
        self._samples.close()
        if self._stepping is not None:
            self._stepping.close()
        super().destroy_node()


def _read_world(read: Callable[[], World]) -> World:
    """Return a world, with its kernels prepared."""
    for task in (warm_up.DISTANCES, CONTACTS):
        warm_up.prepare(NODE_NAME, None, task)
    world = read()
    if world.model.mechanisms.loop_joints:
        warm_up.prepare(NODE_NAME, None, warm_up.LOOPS)
    return world


def main(args: list[str] | None = None) -> int:
    """Run the simulator; the exit status is returned."""

    def prepare() -> None:
        for task in TASKS:
            warm_up.prepare(NODE_NAME, args, task)

    return run_node(SimulatorNode, NODE_NAME, args, prepare)


if __name__ == "__main__":
    sys.exit(main())
