# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One sample from its bytes to filled messages: the step that every sample takes.

One compiled call reads a live or recorded sample, admits it, updates the trackers, runs its cycle
and fills the messages. A code reports a late sample and a joint beyond a dead centre before
anything has changed, and a failed cycle after its sample was accepted; `exceptional_samples` treats
these cases.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.point_motion import (
    POINT_NUMBERS,
    move_auxiliary_point,
    move_points,
)
from charmie_dynamics.core.forward.loop_following import FollowingAddresses
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.model.description.robot import TrackedPoint
from charmie_dynamics.model.flat.loop_following import FollowedMotion
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.addresses import Address, address_of, address_of_block, call_at
from charmie_dynamics.numerics.blocks import first_numbers, lay_out
from charmie_dynamics.numerics.compiled_types.widths import JET_WIDTH
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints

from .estimation.entries import EntryTable
from .estimation.estimator import Estimator
from .estimation.kernels import accept, admit, lengths_from_joints
from .estimation.records import NEVER, Records
from .estimation.settling import settle
from .estimation.trackers import extrapolate
from .wire.cdr import read_doubles
from .wire.joint_states import REMEMBERED, Message, RowLayout, SampleLayout
from .wire.samples import JointSample
from .wire.scatter import NO_MESSAGES, MessageRecords, scatter

# outcome of a sample: it was accepted without a due cycle, or its messages are filled
TAKEN = 0
COMPUTED = 1
# nothing has changed: it is older than a sample before it, or a joint is beyond a dead centre
LATE = 2
BEYOND_DEAD_CENTRE = 3
# it was accepted, and the due cycle could not be computed
FAILED = 4

NO_DATA = b""
# frames of the tracked points (k,), the points in them (k, 3), and data for auxiliary bodies
PointRecords = tuple[Ints, Floats, Address, Floats]
# of a layout: (1,) array of FORM, room for a sample's doubles, (k,) array of ENTRY
LayoutRecords = tuple[Records, Floats, Records]


class Outcome(NamedTuple):
    """The outcome of a sample.

    Attributes
    ----------
    code : int
        TAKEN, COMPUTED, LATE, BEYOND_DEAD_CENTRE or FAILED.
    detail : int
        Stamp of the cycle (ns) that was computed; by how much the sample is late (ns); which of
        `Step.entries_of` is beyond its dead centre.
    block : (c,) array
        All numbers of the computed or failed cycle in the order of `Model.layout`, followed by the
        remaining settling time (s) of the estimates and the motion of the tracked points, see
        `core.equations.point_motion`.
    """

    code: int
    detail: int
    block: Floats


class Step:
    """The step of the samples of one topic.

    Parameters
    ----------
    entries : EntryTable
        Destinations of the entries of messages on the topic.
    estimator : Estimator
    model : Model
        May be replaced by the same robot with other loads.
    is_trigger : bool
        Whether all samples of the topic trigger cycles; otherwise only those with a joint that is
        itself an actuator.
    followed : FollowedMotion, optional
        Of a robot some of whose coordinates are not given, see `following`.

    Attributes
    ----------
    messages : tuple of array
        Records for filling the messages of a cycle, see `wire.scatter`.
    followed : FollowedMotion or None
    """

    def __init__(
        self,
        entries: EntryTable,
        estimator: Estimator,
        model: Model,
        *,
        is_trigger: bool,
        followed: FollowedMotion | None = None,
    ) -> None:
        self.is_trigger = is_trigger
        self.messages: MessageRecords = NO_MESSAGES
        self._entries = entries
        self._records = estimator.records
        self._layouts: WeakKeyDictionary[SampleLayout, LayoutRecords] = WeakKeyDictionary()
        self._newest: tuple[SampleLayout | None, LayoutRecords | None, bool] = (None, None, False)
        self._rows: dict[tuple[tuple[str, ...], bool, bool], RowLayout] = {}
        self._points: tuple[TrackedPoint, ...] = ()
        self.followed = followed
        self.carry(model)

    def carry(self, model: Model) -> None:
        """Replace the loads: `model` is the same robot with the new ones."""
        self._model = model
        self.track(self._points)

    def track(self, points: tuple[TrackedPoint, ...]) -> None:
        """Compute the motion of these points in each cycle."""
        self._points, model = points, self._model
        frames = np.array([model.layout.frame_index[p.frame] for p in points], dtype=np.int64)
        p_frame_points = np.array([p.point for p in points], dtype=np.float64).reshape(-1, 3)
        auxiliary: tuple[Address, Floats] = 0, np.empty(0)
        if (frames >= model.flat.sizes.n).any():
            room = np.empty(JET_WIDTH * model.layout.size)
            auxiliary = address_of(move_auxiliary_point), room
        tracked = (frames, p_frame_points, *auxiliary)
        blocks = model.flat.blocks
        following: Address = 0
        kept = None
        if self.followed is not None:
            kept = self.followed.addresses(model.flat)
            following = address_of_block(kept)
        # addresses are valid for the lifetime of their blocks
        self._kept = blocks, kept
        self._robot = *blocks.addresses, address_of(run_cycle), tracked, following
        self._size = model.layout.size + 1 + POINT_NUMBERS * len(points)

    def take(
        self,
        sample: Message | JointSample,
        arrival: float,
        now: float,
        *,
        run: bool,
        drop_late: bool = False,
    ) -> Outcome:
        """Take a sample in, run the cycle that is due then, and fill its messages.

        Parameters
        ----------
        sample : Message or JointSample
        arrival : float
            Its arrival on a steady clock (s).
        now : float
            On that clock: nothing that a cycle needs may be stale then (s).
        run : bool
            False: no cycle is run.
        drop_late : bool
            Whether late entries are omitted; otherwise a sample with any is rejected.
        """
        block = np.empty(self._size)
        layout, is_trigger = self._layout_of(sample)
        code, detail = take(
            sample.data if isinstance(sample, Message) else NO_DATA,
            (sample.stamp, arrival, now),
            (run, drop_late, is_trigger),
            layout,
            self._robot,
            self._records,
            self.messages,
            block,
        )
        return Outcome(code, detail, block)

    def entries_of(self, sample: Message | JointSample) -> Records:
        """Return the entries (k,) of a sample that was taken last, as `kernels.admit` left them."""
        return self._layout_of(sample)[0][2]

    def triggers(self, sample: Message | JointSample) -> bool:
        """Return whether a sample triggers a cycle."""
        return self.is_trigger or self._layout_of(sample)[1]

    def _layout_of(self, sample: Message | JointSample) -> tuple[LayoutRecords, bool]:
        layout: SampleLayout
        if isinstance(sample, Message):
            layout = sample.layout
        else:
            layout = self._row_layout(sample)
            layout.write(sample)
        newest, found, is_trigger = self._newest
        if newest is not layout or found is None:
            found = self._layouts.get(layout)
            if found is None:
                entries = self._entries.entries_of(layout.names)
                found = self._layouts[layout] = layout.form, layout.doubles, entries
            is_trigger = self.is_trigger or self._entries.holds_direct(layout.names)
            self._newest = layout, found, is_trigger
        return found, is_trigger

    def _row_layout(self, sample: JointSample) -> RowLayout:
        """Return the layout of a row; most rows of a table have the same."""
        key = sample.names, sample.velocity is None, sample.effort is None
        row = self._rows.get(key)
        if row is None:
            if len(self._rows) >= REMEMBERED:
                self._rows.clear()
            row = self._rows[key] = RowLayout(sample)
        return row


@compiled
def take(
    data: bytes,
    when: tuple[int, float, float],
    how: tuple[bool, bool, bool],
    layout: LayoutRecords,
    robot: tuple[Any, Floats, Address, PointRecords, Address],
    estimator: tuple[Records, Records, Records, Records],
    messages: MessageRecords,
    block: Floats,
) -> tuple[int, int]:
    """Take a sample in, run the cycle that is due then, and fill its messages.

    Records are passed in tuples: each tuple is one parameter, and costs a call as much as its
    arrays.

    Parameters
    ----------
    data : bytes
        The message, or nothing for a row whose doubles are in the layout.
    when : tuple
        Stamp of the sample (ns), its arrival and the time now on a steady clock (s).
    how : tuple
        Of `Step.take`: `run` and `drop_late`; whether the sample triggers a cycle.
    layout : tuple
        (1,) array of FORM, room for the sample's doubles, (k,) array of ENTRY.
    robot : tuple
        Addresses of the blocks of a `Robot` and of `run_cycle`, the k tracked points, and the
        address of a block of `FollowingAddresses`; 0 if all coordinates are given.
    estimator : tuple
        (1,) array of SETTINGS, (1,) array of PROGRESS, (n,) arrays of TRACKER and of INPUT.
    messages : tuple
        Of `scatter`, from `copies` on.
    block : (c + 1 + k * POINT_NUMBERS,) array
        Output: the floats of a `CycleRecord`, then how long (s) the estimates still settle, then
        the motion of the points.

    Returns
    -------
    code, detail : int
        Of `Outcome`.
    """
    stamp, arrival, now = when
    run, drop_late, is_trigger = how
    form_record, doubles, entries = layout
    ints, floats, cycle_address, (frames, p_frame_points, auxiliary, workspace), following = robot
    settings, progress_record, trackers, inputs = estimator
    form: Any = form_record[0]
    if form["start"] >= 0:
        read_doubles(data, form["start"], form["is_big"] == 1, doubles)
    position = doubles[form["position"] : form["position"] + form["number"]]
    velocity = doubles[form["velocity"] : form["velocity"] + form["velocities"]]
    effort = doubles[form["effort"] : form["effort"] + form["efforts"]]
    timeout = settings[0]["timeout"]
    sizes = sizes_in(ints)
    parts: Any = lay_out(Robot, ints, floats, sizes)
    admission = (stamp, arrival, timeout)
    usable, lag = admit(entries, position, velocity, admission, drop_late, trackers, inputs)
    beyond = lengths_from_joints(parts.tree, parts.mechanisms.actuators, entries)
    if beyond >= 0:
        return BEYOND_DEAD_CENTRE, beyond
    if lag > 0 and not drop_late:
        return LATE, lag
    progress: Any = progress_record[0]
    progress["absent"] += accept(
        entries, position, effort, (stamp, arrival), settings, trackers, inputs
    )
    if usable > 0:
        progress["accepted"] += 1
        if effort.shape[0] > 0:
            progress["has_efforts"] = 1
        if is_trigger and stamp > progress["newest"] and stamp > progress["waiting"]:
            progress["waiting"] = stamp
    oldest = arrival
    for i in range(inputs.shape[0]):
        if inputs[i]["optional"] != 1:
            oldest = min(oldest, inputs[i]["arrival"])
    progress["oldest"] = oldest
    due = progress["waiting"]
    if not run or due == NEVER or not now - oldest <= timeout:
        return TAKEN, 0
    progress["waiting"] = NEVER
    # the inputs are first in the block, see `CycleRecord`
    q = sizes.q
    p, v, a = block[:q], block[q : 2 * q], block[2 * q : 3 * q]
    is_estimated = settings[0]["with_acceleration"] == 1
    extrapolate(due, is_estimated, trackers, p, v, a)
    behind = block.shape[0] - 1 - POINT_NUMBERS * frames.shape[0]
    block[behind] = settle(due, settings, trackers)
    dynamics = settings[0]["with_dynamics"] == 1
    if following == 0:
        status = call_at(cycle_address, ints, floats, p, v, a, block, dynamics)
    else:
        run_followed_cycle = first_numbers(FollowingAddresses, following).run_followed_cycle
        status = call_at(run_followed_cycle, following, p, v, a, block, dynamics)
    if status == REACHED:
        kinematics = lay_out(CycleRecord, ints, block, sizes).kinematics
        status = move_points(
            ints, floats, parts.tree, kinematics, frames, p_frame_points,
            auxiliary, workspace, block, behind + 1,
        )  # fmt: skip
    if status != REACHED:
        return FAILED, status
    progress["newest"] = due
    copies, rotations, floors, stamps, memory = messages
    scatter(due, block, copies, rotations, floors, stamps, memory)
    return COMPUTED, due
