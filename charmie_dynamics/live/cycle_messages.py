# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The messages of one robot's cycles, made once from the table of outputs and filled each cycle."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from charmie_dynamics.model.flat.load_sharing import shared_cylinders
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from . import outputs
from .measured import Comparison
from .outputs import Content, CycleOutput, MeasuredOutput
from .rate_limiter import RateLimiter
from .settings import LiveSettings
from .topics import Topic
from .wire.filling import Filler
from .wire.messages import joint_state
from .wire.templates import Template

# sets of named actuators whose messages are kept, for each topic
REMEMBERED = 8


class CycleMessage:
    """One message of a cycle.

    Attributes
    ----------
    topic : Topic
    template : Template
        As `CycleMessages.filler` has filled it last.
    decisive : int
        See `Content`.
    is_always : bool
        Whether it is due with every cycle.
    """

    def __init__(self, output: CycleOutput, content: Content) -> None:
        self.topic = output.topic
        self.template = content.template
        self.decisive = content.decisive
        self.is_always = not output.rate and content.decisive < 0
        self._limiter = RateLimiter(output.rate)
        self._on_change = output.on_change
        self._newest = math.nan

    def is_due(self, stamp: int, block: Floats, decisive: int) -> bool:
        """Return whether it is published for a cycle; call once for each cycle.

        Parameters
        ----------
        stamp : int
            ns.
        block : (b,) array
            Numbers of a state.
        decisive : int
            Index of `decisive` among them.
        """
        passes = self._limiter.passes(stamp)
        if self._on_change:
            before, self._newest = self._newest, block[decisive]
            return passes or bool(self._newest != before)
        return passes and (self.decisive < 0 or bool(block[decisive] > 0.0))


class CycleMessages:
    """All messages that hold numbers of a state, in the order of publication.

    Attributes
    ----------
    messages : list of CycleMessage
    filler : Filler
        Fills them in one pass.
    """

    def __init__(self, model: Model, settings: LiveSettings) -> None:
        of_cycles = outputs.cycle_outputs(model, settings)
        known = [(output, output.content(model, settings)) for output in of_cycles]
        found = [(output, content) for output, content in known if content is not None]
        self.messages = [CycleMessage(output, content) for output, content in found]
        self.filler = Filler([(content.template, content.sources) for _, content in found])

    def columns(self) -> Ints:
        """Return which numbers of a block are read, ascending."""
        decisive = [message.decisive for message in self.messages if message.decisive >= 0]
        return np.union1d(self.filler.columns(), np.array(decisive, dtype=np.int64))


class CylinderMessages:
    """The message about the linear actuators that share the load of a joint.

    Attributes
    ----------
    shared : list of int
        These linear actuators; without any, or without loads, there is no message.
    """

    def __init__(self, model: Model, settings: LiveSettings) -> None:
        flat, fields = model.flat, ("position", "velocity", "effort")
        self.shared = shared_cylinders(flat) if settings.compute_dynamics else []
        names = [flat.linear_actuator_names[k] for k in self.shared]
        world = settings.frame_prefix + settings.world_frame
        self._template = joint_state(names, world, fields)
        self._places = np.stack([self._template.places(name).ravel() for name in fields])

    def filled(self, stamp: int, loads: Sequence[Floats]) -> Template:
        """Return the message of a cycle, valid until the next call.

        Parameters
        ----------
        stamp : int
            ns.
        loads : sequence of three (k,) arrays
            Lengths (m), velocities (m/s) and efforts (N) of the linear actuators `shared`.
        """
        self._template.set_stamp(stamp)
        self._template.float64[self._places] = np.stack(loads)
        return self._template


class MeasuredMessages:
    """The messages about measured efforts; each names some of the actuators."""

    def __init__(self, model: Model, settings: LiveSettings) -> None:
        frame = settings.frame_prefix + settings.world_frame
        self._outputs = [
            _Measured(output, model.actuator_names, frame)
            for output in outputs.MEASURED_OUTPUTS
            if output.is_known(model)
        ]

    def filled(self, comparison: Comparison) -> Iterator[tuple[Topic, Template]]:
        """Yield the topics and messages of a comparison, each valid until the next call."""
        for output in self._outputs:
            template = output.filled(comparison)
            if template is not None:
                yield output.topic, template


class _Measured:
    """One topic of measured efforts."""

    def __init__(self, output: MeasuredOutput, names: tuple[str, ...], frame: str) -> None:
        self.topic = output.topic
        self._output = output
        self._names = names
        self._frame = frame
        self._limiter = RateLimiter(output.rate)
        self._newest = b""  # flags of the actuators named last
        self._template_of = lru_cache(REMEMBERED)(self._make)
        self._template_of(np.ones(len(names), dtype=bool).tobytes())

    def _make(self, named: bytes) -> tuple[Template, Ints, Ints]:
        """Return the message for some actuators, their indices and the places of the efforts."""
        rows = np.flatnonzero(np.frombuffer(named, dtype=bool))
        template = joint_state([self._names[i] for i in rows], self._frame, ("effort",))
        return template, rows, template.places("effort").ravel()

    def filled(self, comparison: Comparison) -> Template | None:
        """Return the message of a comparison; None if it is not published."""
        named = getattr(comparison, self._output.named).tobytes()
        changed = named != self._newest
        if not self._limiter.passes(comparison.stamp) and not changed:
            return None
        self._newest = named
        template, rows, places = self._template_of(named)
        template.set_stamp(comparison.stamp)
        template.float64[places] = getattr(comparison, self._output.effort)[rows]
        return template
