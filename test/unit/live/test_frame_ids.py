# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Frame ids with their prefix: as long as ROS 2 takes names, and without a leading slash."""

from __future__ import annotations

import pytest

from charmie_dynamics import InputError, Model
from charmie_dynamics.live.frame_ids import require_frame_ids
from charmie_dynamics.live.settings import LiveSettings

LONGEST = 255


def refusal(model: Model, **settings: str) -> str:
    with pytest.raises(InputError) as caught:
        require_frame_ids(LiveSettings(**settings), model)
    return str(caught.value)


def test_prefix_may_be_as_long_as_the_longest_frame_id_lets_it(charmie: Model) -> None:
    name = max(charmie.frame_names, key=len)
    fits = "p" * (LONGEST - len(name))
    require_frame_ids(LiveSettings(frame_prefix=fits), charmie)
    assert refusal(charmie, frame_prefix=fits + "p") == (
        f"frame_prefix: the frame id of '{name}' with frame_prefix has 256 characters; expected at "
        "most 255"
    )


def test_world_frame_counts_with_its_prefix(charmie: Model) -> None:
    world = "w" * (LONGEST - 2)
    require_frame_ids(LiveSettings(world_frame=world, frame_prefix="p/"), charmie)
    message = refusal(charmie, world_frame=world + "w", frame_prefix="p/")
    assert message.startswith("world_frame: the frame id of 'www")
    assert message.endswith("with frame_prefix has 256 characters; expected at most 255")


def test_world_frame_without_a_prefix_has_the_same_limit(charmie: Model) -> None:
    require_frame_ids(LiveSettings(world_frame="w" * LONGEST), charmie)
    message = refusal(charmie, world_frame="w" * 100_000)
    assert message.endswith("...' has 100000 characters; expected at most 255")
    assert len(message) < 300


@pytest.mark.parametrize(
    ("settings", "subject"),
    [
        ({"frame_prefix": "/left/"}, "frame_prefix: the frame id '/left/odom'"),
        ({"world_frame": "/map"}, "world_frame: the frame id '/map'"),
    ],
)
def test_leading_slash_is_refused(charmie: Model, settings: dict[str, str], subject: str) -> None:
    assert refusal(charmie, **settings).startswith(f"{subject} begins with '/'")


def test_slash_elsewhere_is_no_fault(charmie: Model) -> None:
    require_frame_ids(LiveSettings(frame_prefix="left/", world_frame="a/map"), charmie)
    require_frame_ids(LiveSettings(frame_prefix="left", world_frame="/map"), charmie)
