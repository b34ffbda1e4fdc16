# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Distances of the robot's shapes from each other and from the shapes of a world file."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from charmie_dynamics.collision.clearance import Clearance, ShapeDistances
from charmie_dynamics.collision.monitor import GROUPS, CollisionMonitor
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.wire.messages import Status, diagnostics
from charmie_dynamics.model.description.package_robots import model_files, world_file
from charmie_dynamics.model.description.world import read_world
from charmie_dynamics.model.model import Model
from charmie_dynamics.ros.process.parameters import Settings

from .diagnostics import clearance_fields


class ClearanceOutput:
    """The topic `clearance`, if there is a world file.

    Parameters
    ----------
    publish : callable
        Publishes a serialised DiagnosticArray.
    log : callable
        Logs a line.

    Attributes
    ----------
    nearest : Clearance or None
        The nearest pair of the last computed cycle.
    """

    def __init__(self, publish: Callable[[bytes], None], log: Callable[[str], Any]) -> None:
        self._publish, self._log = publish, log
        self._monitor_of = lru_cache(1)(collision_monitor)
        self._monitor: CollisionMonitor | None = None
        self.nearest: Clearance | None = None

    def prepare(self, model: Model, settings: Settings) -> CollisionMonitor | None:
        """Return the monitor of a model and a world file; None without a file."""
        if not settings.world:
            return None
        return self._monitor_of(model, settings.world, settings.model, settings.mechanisms)

    def configure(self, monitor: CollisionMonitor | None, model: Model, settings: Settings) -> None:
        """Take a monitor and settings into use."""
        if monitor is not None and monitor is not self._monitor:
            for text, names in (
                ("links that touch at the start or move along a plane", monitor.touching),
                ("entities that move or are other robots", monitor.ignored),
            ):
                if names:
                    self._log(f"clearance: not monitored are {text}: {', '.join(names)}")
            if not len(monitor.distances.pairs):
                self._log(f"clearance: no two shapes of '{model.name}' and its world can meet")
        self._monitor, self.nearest = monitor, None
        self._margin, self._hardware = settings.clearance_margin, model.name
        self._frame = settings.frame_prefix + model.frame_names[0]
        self._limiter = RateLimiter(settings.clearance_rate)

    @property
    def distances(self) -> ShapeDistances | None:
        """The monitored pairs."""
        return None if self._monitor is None else self._monitor.distances

    def note(self, cycle: Cycle) -> None:
        """Publish the distances of a cycle, if it is due."""
        if self._monitor is None or not self._limiter.passes(cycle.stamp):
            return
        found = self._monitor.at(cycle.state)
        self.nearest = min(found, key=lambda clearance: float(clearance.distance))
        statuses = []
        for name, clearance in zip(GROUPS, found, strict=True):
            level, text, values = clearance_fields(clearance, self._margin)
            statuses.append(Status(level, name, text, self._hardware, values))
        self._publish(diagnostics(cycle.stamp, self._frame, statuses))


def collision_monitor(model: Model, world: str, urdf: str, mechanisms: str) -> CollisionMonitor:
    """Return the monitor of a robot in a world file.

    Parameters
    ----------
    model : Model
    world : str
        Path of a world file, or a world of this package.
    urdf, mechanisms : str
        As for `read_model`.
    """
    path, _ = model_files(urdf, mechanisms)
    return CollisionMonitor(model, read_world(world_file(world)), str(path))
