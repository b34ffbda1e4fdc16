# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loads that are known at a time: payloads that links hold, and wrenches from outside."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.model.loads import Payload, Wrench, payload_from_numbers
from charmie_dynamics.model.model import Model


class Loads(NamedTuple):
    """Payloads and wrenches by link, as `Model.with_loads` takes them."""

    payloads: Mapping[str, Payload]
    wrenches: Mapping[str, Wrench]


class KnownLoads:
    """Loads from messages and parameters. Independent of ROS and of clocks.

    Messages are those of rclpy or of rosbags, whose fields have the same names.

    Attributes
    ----------
    links : dict of str to str
        Links that can hold a payload, by the names of the payloads.
    payloads : dict of str to Payload
        By link.
    """

    def __init__(self) -> None:
        self.links: dict[str, str] = {}
        self.payloads: dict[str, Payload] = {}
        self._model: Model | None = None
        self._prefix = ""
        self._bodies: set[str] = set()
        # the values that the parameters have given last, by the names of the payloads
        self._given: dict[str, tuple[float, ...]] = {}
        self._wrenches: dict[str, tuple[Wrench, float]] = {}
        self._oldest = math.inf

    def configure(self, model: Model, prefix: str, given: Mapping[str, Payload | None]) -> bool:
        """Take a model and the payloads that parameters give into use.

        Loads from messages are kept unless the model or the parameter has changed.

        Parameters
        ----------
        model : Model
        prefix : str
            Of frames.
        given : mapping of str to Payload or None
            By the names of the payloads.

        Returns
        -------
        bool
            Whether a parameter has another value than before.
        """
        if model is not self._model:
            self.payloads.clear()
            self._wrenches.clear()
            self._oldest = math.inf
            self._given = {}
        self._model = model
        self._prefix = prefix
        self._bodies = set(model.flat.body_names)
        self.links = dict(model.mechanisms.payload_links)
        values = {name: values_of(given.get(name)) for name in self.links}
        changed = [name for name in self.links if values[name] != self._given.get(name)]
        for name in changed:
            self.hold(name, given.get(name))
            self._given[name] = values[name]
        return bool(changed)

    @property
    def wrenches(self) -> dict[str, Wrench]:
        """Wrenches in force, by link."""
        return {link: wrench for link, (wrench, _) in self._wrenches.items()}

    def now(self) -> Loads:
        """Return the known loads; later messages do not change them."""
        return Loads(dict(self.payloads), self.wrenches)

    def link_of(self, name: str) -> str:
        """Return the link that holds a payload.

        Raises
        ------
        UnknownNameError
            If the model lacks the name.
        """
        if name not in self.links:
            robot = "no robot" if self._model is None else f"'{self._model.name}'"
            raise UnknownNameError(
                f"payload '{name}': the mechanisms file of {robot} names no link for it under "
                f"payload_links{choices(name, self.links) if self.links else ''}"
            )
        return self.links[name]

    def hold(self, name: str, payload: Payload | None) -> None:
        """Attach a payload to a link in place of its present one; None removes it.

        Raises
        ------
        UnknownNameError
            If there is no link for it.
        """
        link = self.link_of(name)
        self.payloads.pop(link, None)
        if payload is not None:
            self.payloads[link] = payload

    def take_payload(self, name: str, message: Any) -> None:
        """Take a geometry_msgs/msg/InertiaStamped for a payload; a mass of zero removes it.

        Raises
        ------
        CharmieError
            If it is not in the link's frame, if no body can have its values, or if there is no
            link for it.
        """
        frame, expected = message.header.frame_id, self._prefix + self.link_of(name)
        if frame not in ("", expected):
            raise InputError(f"expected the frame '{expected}' or none, got '{frame}'")
        self.hold(name, payload_of(message))

    def take_wrench(self, message: Any, now: float) -> str:
        """Take a geometry_msgs/msg/WrenchStamped in place of the last on its link.

        Parameters
        ----------
        message : WrenchStamped
            In the frame of the link that it pushes.
        now : float
            On a steady clock (s).

        Returns
        -------
        str
            The link.

        Raises
        ------
        InputError
            If it is in no link's frame, or not finite.
        """
        frame = message.header.frame_id
        link: str = frame[len(self._prefix) :] if frame.startswith(self._prefix) else frame
        if link not in self._bodies:
            raise InputError(f"expected the frame of a link, got '{frame}'")
        self.push(link, message.wrench, now)
        return link

    def push(self, link: str, wrench: Any, now: float) -> None:
        """Let a link be pushed by a geometry_msgs/msg/Wrench, in place of the last on it.

        Raises
        ------
        InputError
            If there is no such link, or the wrench is not finite.
        """
        if link not in self._bodies:
            raise InputError(f"expected the frame of a link, got '{link}'")
        f, t = wrench.force, wrench.torque
        self._wrenches[link] = Wrench((f.x, f.y, f.z), (t.x, t.y, t.z)), now
        self._oldest = min(arrival for _, arrival in self._wrenches.values())

    def go_on_with(self, model: Model) -> None:
        """Take another model; the wrenches on links that it has stay in force."""
        wrenches = self._wrenches
        self.configure(model, self._prefix, {})
        self._wrenches = {k: pushed for k, pushed in wrenches.items() if k in self._bodies}
        self._oldest = min((t for _, t in self._wrenches.values()), default=math.inf)

    def expire(self, now: float, timeout: float) -> bool:
        """Drop wrenches older than `timeout` at `now` (s); return whether any was dropped."""
        if now - self._oldest <= timeout or not self._wrenches:
            return False
        kept = {k: (w, t) for k, (w, t) in self._wrenches.items() if now - t <= timeout}
        dropped = len(kept) < len(self._wrenches)
        self._wrenches = kept
        self._oldest = min((t for _, t in kept.values()), default=math.inf)
        return dropped

    def described(self) -> dict[str, str]:
        """Return the assumed loads as readable text."""
        held = {f"payload on {link} (kg)": f"{p.mass:.3f}" for link, p in self.payloads.items()}
        pushed = {
            f"wrench on {link} (N, N m)": " ".join(f"{x:.2f}" for x in (*w.force, *w.torque))
            for link, w in self.wrenches.items()
        }
        return {**held, **pushed}


def payload_of(message: Any) -> Payload | None:
    """Return the payload of a geometry_msgs/msg/InertiaStamped; None for no payload.

    Raises
    ------
    InputError
        If no body can have its values.
    """
    i = message.inertia
    return payload_from_numbers(
        [i.m, i.com.x, i.com.y, i.com.z, i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz]
    )


def values_of(payload: Payload | None) -> tuple[float, ...]:
    """Return the numbers that identify a payload; empty without a payload."""
    if payload is None:
        return ()
    return (payload.mass, *np.ravel(payload.p_link_com), *np.ravel(payload.inertia))
