# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from charmie_dynamics import Model
from charmie_dynamics.errors import InputError, UnknownNameError
from charmie_dynamics.live.loads import KnownLoads
from charmie_dynamics.model.loads import Payload

TOOL, OTHER = "left_tool", "right_tool"
NOTHING = {"left": None, "right": None}


@pytest.fixture
def known(charmie: Model) -> KnownLoads:
    loads = KnownLoads()
    loads.configure(charmie, "r/", NOTHING)
    return loads


def inertia(mass: float, frame: str = "") -> Any:
    body = SimpleNamespace(m=mass, com=SimpleNamespace(x=0.0, y=0.0, z=0.0))
    for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        setattr(body, name, 0.0)
    return SimpleNamespace(header=SimpleNamespace(frame_id=frame), inertia=body)


def wrench(frame: str, force: float = 1.0) -> Any:
    pushed = SimpleNamespace(
        force=SimpleNamespace(x=force, y=0.0, z=0.0), torque=SimpleNamespace(x=0.0, y=0.0, z=0.0)
    )
    return SimpleNamespace(header=SimpleNamespace(frame_id=frame), wrench=pushed)


def masses(known: KnownLoads) -> dict[str, float]:
    return {link: payload.mass for link, payload in known.payloads.items()}


def test_a_payload_takes_the_place_of_the_last(known: KnownLoads) -> None:
    known.take_payload("left", inertia(1.5, "r/left_tool"))
    known.take_payload("left", inertia(0.5))
    assert masses(known) == {TOOL: 0.5}


def test_a_refused_payload_leaves_the_last(known: KnownLoads) -> None:
    known.take_payload("left", inertia(1.5))
    for message in (inertia(-1.0), inertia(1.0, "left_tool"), inertia(float("nan"))):
        with pytest.raises(InputError):
            known.take_payload("left", message)
    assert masses(known) == {TOOL: 1.5}


def test_a_payload_of_an_unknown_name_is_refused_with_the_valid_ones(known: KnownLoads) -> None:
    with pytest.raises(UnknownNameError, match=r"payload 'lefd'.*'charmie'.*did you mean 'left'"):
        known.take_payload("lefd", inertia(1.0))


def test_a_parameter_that_stays_does_not_drop_what_was_told(
    known: KnownLoads, charmie: Model
) -> None:
    known.take_payload("left", inertia(1.5))
    given = {"left": None, "right": Payload(0.3)}
    assert known.configure(charmie, "r/", given)
    assert masses(known) == {TOOL: 1.5, OTHER: 0.3}
    assert not known.configure(charmie, "r/", given)


def test_a_parameter_that_changes_takes_the_place_of_what_was_told(
    known: KnownLoads, charmie: Model
) -> None:
    known.take_payload("left", inertia(1.5))
    assert known.configure(charmie, "r/", {"left": Payload(0.3), "right": None})
    assert masses(known) == {TOOL: 0.3}


def test_another_model_knows_of_nothing(known: KnownLoads, charmie: Model) -> None:
    known.take_payload("left", inertia(1.5))
    known.take_wrench(wrench(OTHER), 0.0)
    known.configure(charmie.with_loads(), "r/", NOTHING)
    assert known.now() == ({}, {})


def test_wrenches_expire_link_by_link(known: KnownLoads) -> None:
    known.take_wrench(wrench("r/right_tool"), 1.0)
    known.take_wrench(wrench(TOOL), 1.3)
    assert not known.expire(1.5, 0.5) and set(known.wrenches) == {TOOL, OTHER}
    assert known.expire(1.6, 0.5) and set(known.wrenches) == {TOOL}
    assert known.expire(1.9, 0.5) and not known.wrenches
    assert not known.expire(9.0, 0.5)


def test_a_wrench_that_is_told_again_stays(known: KnownLoads) -> None:
    known.take_wrench(wrench(TOOL, 1.0), 1.0)
    assert known.take_wrench(wrench(TOOL, 2.0), 1.4) == TOOL
    assert not known.expire(1.8, 0.5)
    assert known.wrenches[TOOL].force.tolist() == [2.0, 0.0, 0.0]


def test_a_refused_wrench_leaves_the_last(known: KnownLoads) -> None:
    known.take_wrench(wrench(TOOL, 1.0), 1.0)
    for message in (wrench("nowhere"), wrench(TOOL, float("inf"))):
        with pytest.raises(InputError):
            known.take_wrench(message, 1.4)
    assert known.expire(1.6, 0.5)


def test_what_was_known_stays_as_it_was(known: KnownLoads) -> None:
    known.take_payload("left", inertia(1.5))
    before = known.now()
    known.take_payload("left", inertia(0.0))
    assert set(before.payloads) == {TOOL} and not known.now().payloads


def test_what_is_assumed_is_described(known: KnownLoads) -> None:
    known.take_payload("left", inertia(1.5))
    known.take_wrench(wrench(OTHER), 0.0)
    assert known.described() == {
        "payload on left_tool (kg)": "1.500",
        "wrench on right_tool (N, N m)": "1.00 0.00 0.00 0.00 0.00 0.00",
    }
