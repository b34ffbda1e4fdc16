# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Services of simulation_interfaces for worlds and their named poses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Any

from geometry_msgs.msg import Point, Pose, Quaternion
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from simulation_interfaces.msg import NamedPose, Result

from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    MissingFileError,
    ModelFileError,
    choices,
    shown,
)
from charmie_dynamics.model.description.description_warnings import warning_lines
from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.package_robots import PACKAGE_WORLDS, world_file
from charmie_dynamics.model.description.world import NamedWorldPose
from charmie_dynamics.model.description.world.world_headers import (
    ENDINGS,
    WorldHeader,
    folder_headers,
    package_headers,
    world_header,
)
from charmie_dynamics.simulation import World, load_world, world_of
from charmie_dynamics.simulation.session.message_buffers import quaternion
from charmie_dynamics.simulation.session.session import PlayState, Session
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

from .bounds_messages import bounds_message
from .offering import failure, offer, passes, resource_field, type_of
from .player import Player
from .resources import ResourceError, path_of

# result codes of LoadWorld, GetCurrentWorld, UnloadWorld and GetAvailableWorlds; version 1.0 has
# no such types
UNSUPPORTED_FORMAT, NO_RESOURCE, RESOURCE_PARSE_ERROR, MISSING_ASSETS = 101, 102, 103, 104
UNSUPPORTED_ELEMENTS = 106
NO_WORLD_LOADED = DEFAULT_SOURCES_FAILED = 101
ALONE = "a robot alone is simulated, no world is loaded"
POLL_PERIOD = 0.01  # s of real time


class WorldServices:
    """Loads, unloads and lists worlds, and lists the named poses of the present world.

    Parameters
    ----------
    node : Node
    session : Session
    player : Player
    world : str
        At the start: path or name; empty: a robot alone.
    prepare : callable
        Called in another thread with a function that reads a world; returns the system that
        simulates it, or raises.
    adopt : callable
        Called with the system, None: without a world. Restarts the session with it, or raises and
        changes nothing.
    """

    def __init__(
        self,
        node: Node,
        session: Session,
        player: Player,
        world: str,
        prepare: Callable[[Callable[[], World]], SimulatedSystem],
        adopt: Callable[[SimulatedSystem | None], None],
    ) -> None:
        self._node, self._session, self._player = node, session, player
        self._prepare, self._adopt = prepare, adopt
        self._header = world_header(read_text(world_file(world)), world) if world else None
        answers = {
            "unload_world": self._unload,
            "get_current_world": self._current,
            "get_available_worlds": self._available,
            "get_named_poses": self._named_poses,
            "get_named_pose_bounds": self._named_pose_bounds,
        }
        offer(node, session, answers)
        kind = type_of("load_world")
        if kind is not None:
            # other requests are answered during loading
            group = ReentrantCallbackGroup()
            node.create_service(kind, "load_world", self._load, callback_group=group)

    async def _load(self, request: Any, response: Any) -> Any:
        session, before = self._session, self._session.state
        if before is PlayState.LOADING_WORLD:
            response.result = failure(Result.RESULT_INCORRECT_STATE, "a world is loading")
            return response
        session.state = PlayState.LOADING_WORLD
        self._player.follow_state()
        try:
            found = await self._in_thread(lambda: self._read(request))
            if isinstance(found, CharmieError):
                raise found
            header, system = found
            self._adopt(system)
        except CharmieError as error:
            session.state = before
            self._player.follow_state()
            code = getattr(error, "code", Result.RESULT_OPERATION_FAILED)
            response.result = failure(code, str(error))
            return response
        self._header = header
        response.result.result, response.world = Result.RESULT_OK, _world_message(header)
        return response

    def _in_thread(self, work: Callable[[], Any]) -> Future:
        """Return the future of the result of a function, or of the error that it raises."""
        future, results = Future(), []

        def run() -> None:
            try:
                results.append(work())
            except CharmieError as error:
                results.append(error)
            except Exception as error:
                results.append(CharmieError(f"{type(error).__name__}: {error}"))

        def poll() -> None:
            if results:
                self._node.destroy_timer(timer)
                future.set_result(results[0])

        Thread(target=run, daemon=True).start()
        # the executor waits for timers, not for threads
        timer = self._node.create_timer(
            POLL_PERIOD, poll, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        return future

    def _read(self, request: Any) -> tuple[WorldHeader, SimulatedSystem]:
        given = resource_field(request)
        try:
            header, read = _world_of(given.uri, given.resource_string)
            seed = self._session.settings.seed
            system = self._prepare(lambda: read(seed))
        except MissingFileError as error:
            raise ResourceError(MISSING_ASSETS, str(error)) from error
        except ModelFileError as error:
            raise ResourceError(RESOURCE_PARSE_ERROR, str(error)) from error
        lines = warning_lines(system.model.warnings)
        if lines and request.fail_on_unsupported_element:
            raise ResourceError(UNSUPPORTED_ELEMENTS, "; ".join(lines))
        for line in lines:
            self._node.get_logger().warning(line)
        return header, system

    def _unload(self, _: Any, response: Any) -> Any:
        if self._lacks_world(response):
            return response
        self._adopt(None)
        self._header = None
        response.result.result = Result.RESULT_OK
        return response

    def _current(self, _: Any, response: Any) -> Any:
        if not self._lacks_world(response) and self._header is not None:
            response.result.result = Result.RESULT_OK
            response.world = _world_message(self._header)
        return response

    def _lacks_world(self, response: Any) -> bool:
        system = self._session.system
        if system.world is None:
            text = ALONE if system.is_alone else "no world is loaded"
            response.result = failure(NO_WORLD_LOADED, text)
        return system.world is None

    def _available(self, request: Any, response: Any) -> Any:
        headers, faults, code = [], [], Result.RESULT_NOT_FOUND
        try:
            headers += package_headers()
        except ModelFileError as error:
            faults.append(str(error))
            code = DEFAULT_SOURCES_FAILED
        for source in request.additional_sources:
            is_remote = "://" in source and not source.startswith("file:")
            if is_remote and request.offline_only:
                continue
            try:
                headers += folder_headers(path_of(source, Result.RESULT_FEATURE_UNSUPPORTED))
            except (InputError, ResourceError) as error:
                faults.append(str(error))
                code = getattr(error, "code", code)
        if not faults or (headers and request.continue_on_error):
            code = Result.RESULT_OK
            chosen = [header for header in headers if passes(request.filter, header.tags)]
            response.worlds = [_world_message(header) for header in chosen]
        response.result = failure(code, "; ".join(faults))
        return response

    def _poses(self) -> tuple[NamedWorldPose, ...]:
        world = self._session.system.world
        return () if world is None else world.description.named_poses

    def _named_poses(self, request: Any, response: Any) -> Any:
        chosen = [each for each in self._poses() if passes(request.tags, each.tags)]
        response.poses = [_pose_message(each) for each in chosen]
        response.result.result = Result.RESULT_OK
        return response

    def _named_pose_bounds(self, request: Any, response: Any) -> Any:
        found = {each.name: each for each in self._poses()}
        if request.name not in found:
            text = f"there is no pose '{shown(request.name)}'{choices(request.name, found)}"
            response.result = failure(Result.RESULT_NOT_FOUND, text)
            return response
        response.bounds = bounds_message(found[request.name].bounds)
        response.result.result = Result.RESULT_OK
        return response


def _world_of(uri: str, text: str) -> tuple[WorldHeader, Callable[[int], World]]:
    """Return the header of a requested world, and a function that reads it for a seed.

    Raises
    ------
    CharmieError
    """
    if not uri and not text:
        raise ResourceError(NO_RESOURCE, "expected uri or resource_string, got neither")
    if not uri:
        return world_header(text), lambda seed: world_of(text, seed=seed)
    if uri in PACKAGE_WORLDS:
        return world_header(read_text(world_file(uri)), uri), partial(load_world, uri)
    path = path_of(uri, UNSUPPORTED_FORMAT)
    if path.suffix.lower() not in ENDINGS:
        raise ResourceError(
            UNSUPPORTED_FORMAT,
            f"uri '{shown(uri)}': expected a file that ends with {', '.join(ENDINGS)}, or a world "
            f"of this package{choices(uri, PACKAGE_WORLDS)}",
        )
    if not path.is_file():
        raise ResourceError(Result.RESULT_NOT_FOUND, f"uri '{shown(uri)}': there is no such file")
    return world_header(read_text(path), uri), partial(load_world, path)


def _world_message(header: WorldHeader) -> Any:
    from simulation_interfaces.msg import WorldResource

    message = WorldResource(
        name=header.name, description=header.description, tags=list(header.tags)
    )
    resource = resource_field(message)
    resource.uri, resource.resource_string = header.uri, header.text
    return message


def _pose_message(named: NamedWorldPose) -> NamedPose:
    x, y, z = named.pose.p_world_body.tolist()
    qx, qy, qz, qw = quaternion(named.pose.R_world_body).tolist()
    pose = Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw))
    return NamedPose(
        name=named.name, description=named.description, tags=list(named.tags), pose=pose
    )
