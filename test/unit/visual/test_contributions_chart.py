# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The chart of contributions: lengths of its bars, names of the bodies."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from charmie_dynamics import InputError, Model, UnknownNameError, load_model
from charmie_dynamics.model.contributions import Contributions
from charmie_dynamics.visual.pictures import plot_contributions
from charmie_dynamics.visual.pictures.themes import DARK, LIGHT


@pytest.fixture(scope="module")
def contributions(charmie: Model) -> Contributions:
    position = charmie.zero_position()
    for name, value in charmie.mechanisms.rest_pose.items():
        position[charmie.actuator_names.index(name)] = value
    return charmie.contributions(position)


@pytest.fixture(scope="module")
def boom(repository: Path) -> Contributions:
    """A robot of two bodies: the first colours are theirs."""
    model = load_model(urdf=repository / "examples" / "robots" / "boom.urdf")
    return model.contributions([0.0, 0.5])


def texts(path: Path) -> list[str]:
    return re.findall(r"<text [^>]*>(.*?)</text>", path.read_text(encoding="utf-8"))


def widths(path: Path, color: str) -> list[int]:
    """Return how many pixels of a colour stand in each row of pixels below the legend."""
    image = imread(path)[..., :3]
    own = np.abs(image - np.array(to_rgb(color))).max(axis=2) < 0.02
    return own[140:].sum(axis=1).tolist()


def test_bars_are_as_long_as_the_contributions(boom: Contributions, tmp_path: Path) -> None:
    path = tmp_path / "s.png"
    plot_contributions(path, boom)
    # of the boom itself in the inertia and weight that the hinge moves; none in those of the wrist
    own = boom.body_names.index("boom")
    inertia = boom.inertia[own, 0, 0] / boom.inertia[:, 0, 0].sum()
    weight = boom.gravity_effort[own, 0] / boom.gravity_effort[:, 0].sum()
    half = (1600 - 200 - 2 * 144) / 2
    expected = half * (inertia + weight / 2.06)
    found = np.array(widths(path, LIGHT.lines[0]))
    assert found.max() == pytest.approx(expected, abs=6.0)
    bar = np.flatnonzero(found)
    assert 18 <= bar[-1] - bar[0] <= 28  # one row


def test_every_actuator_and_the_largest_bodies_are_named(
    contributions: Contributions, tmp_path: Path
) -> None:
    path = tmp_path / "s.svg"
    plot_contributions(path, contributions, title="Heavy", subtitle="at rest")
    found = texts(path)
    assert {"Heavy", "at rest", *contributions.velocity_names} <= set(found)
    named = [name for name in contributions.body_names if name in found]
    assert len(named) == 12
    assert {"base", "lower_body", "upper_body", "head"} <= set(named)
    assert {"12 other bodies", "springs"} <= set(found)
    lift = contributions.inertia[:, 3, 3].sum()
    assert f"{lift:.3g} kg" in found


def test_a_robot_of_few_bodies_has_no_others_and_without_springs_no_springs(
    boom: Contributions, tmp_path: Path
) -> None:
    path = tmp_path / "s.svg"
    plot_contributions(path, boom)
    found = texts(path)
    assert {"boom", "tool"} <= set(found)
    assert not [text for text in found if "other" in text or text == "springs"]


def test_dark_ground_has_its_own_colours(boom: Contributions, tmp_path: Path) -> None:
    path = tmp_path / "s.png"
    plot_contributions(path, boom, theme="dark")
    np.testing.assert_allclose(imread(path)[0, 0, :3], to_rgb(DARK.background), atol=0.01)
    assert max(widths(path, DARK.lines[0])) > 200


def test_other_files_and_themes_are_refused(boom: Contributions, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected the ending \.png or \.svg, got '\.pdf'"):
        plot_contributions(tmp_path / "s.pdf", boom)
    with pytest.raises(UnknownNameError, match="theme 'gray' is unknown"):
        plot_contributions(tmp_path / "s.png", boom, theme="gray")
    assert not list(tmp_path.iterdir())
