# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laser scanner: distances to the shapes of a world along rays of a plane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from charmie_dynamics.collision.ray_casts import ray_distances
from charmie_dynamics.numerics.vectors import Floats

from .sensors import Measurement, TrueSample
from .settings import SessionSettings, period_of
from .simulated_system import SimulatedSystem

SEED = 3  # distinguishes its noise from that of other sensors


class LaserScanner:
    """Measures distances in the plane z = 0 of a frame, at angles from its x axis.

    All rays of a scan are cast at the time of its stamp. The shapes of its own robot are
    transparent. Ranges are as in REP 117: infinite without a shape within `scan_range_max`, minus
    infinite if it is nearer than `scan_range_min`.

    Parameters
    ----------
    frame : str
        In the model of the system.
    system_of : callable
        Returns the present system.
    settings : SessionSettings
    """

    def __init__(
        self, frame: str, system_of: Callable[[], SimulatedSystem], settings: SessionSettings
    ) -> None:
        self._frame, self._system_of, self._settings = frame, system_of, settings
        self._period = period_of(settings, settings.scan_rate)
        angles = np.linspace(settings.scan_angle_min, settings.scan_angle_max, settings.scan_count)
        self._rays = np.column_stack((np.cos(angles), np.sin(angles), np.zeros_like(angles)))
        self.begin()

    def begin(self) -> None:
        """Restart the noise from the seed."""
        self._random = np.random.default_rng([self._settings.seed, SEED])

    def measure(self, measured: Measurement, true: TrueSample) -> Floats | None:
        """Return the ranges (n,) of a sample (m); None if no scan is due."""
        if true.stamp % self._period:
            return None
        system, settings = self._system_of(), self._settings
        state = system.model.kinematics(true.position)
        p, R = state.frame(self._frame)
        rays = self._rays @ R.T
        ranges = np.full(len(rays), np.inf)
        own = "" if system.robot is None else system.robot.name
        for shape in () if system.contacts is None else system.contacts.shapes:
            if shape.entity != own:
                p_link, R_link = state.frame(shape.link)
                R_shape = R_link @ shape.R_link_shape
                origin = R_shape.T @ (p - p_link - R_link @ shape.p_link_shape)
                np.minimum(ranges, ray_distances(shape, origin, rays @ R_shape), out=ranges)
        if settings.scan_noise:
            ranges += settings.scan_noise * self._random.standard_normal(len(ranges))
        ranges[ranges > settings.scan_range_max] = np.inf
        ranges[ranges < settings.scan_range_min] = -np.inf
        return ranges
