# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from input_recordings import write_inputs
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from recordings import write_recording

from charmie_dynamics import Model
from charmie_dynamics.recordings.commands.plot_options import TOPICS, main
from charmie_dynamics.visual.pictures.themes import THEMES

Capture = pytest.CaptureFixture[str]


def texts(path: Path) -> str:
    root = ElementTree.parse(path).getroot()
    return " ".join("".join(t.itertext()) for t in root.iter("{http://www.w3.org/2000/svg}text"))


@pytest.fixture(scope="module")
def svg(bag: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The texts of all charts."""
    folder = tmp_path_factory.mktemp("svg")
    assert main([str(bag), "--format", "svg", "--output", str(folder)]) == 0
    return {topic: texts(folder / f"{topic}.svg") for topic in TOPICS}


def test_svg_texts_name_every_group_of_actuators_with_its_unit(svg: dict[str, str]) -> None:
    for title in ("Base", "Lift and torso", "Left arm", "Right arm", "Grippers", "Neck"):
        assert title in svg["efforts"]
    assert "force / N" in svg["efforts"]
    assert "torque / N m" in svg["efforts"]
    assert "time / s" in svg["efforts"]


def test_svg_texts_name_tools_components_and_where_they_are_from(svg: dict[str, str]) -> None:
    assert "left tool" in svg["tools"] and "right tool" in svg["tools"]
    for name in ("Force along z", "Torque about x", "as recorded"):
        assert name in svg["base_load"]
    for name in ("Tip-over margin", "Zero-moment point, x", "support polygon"):
        assert name in svg["stability"]


@pytest.mark.parametrize("theme", THEMES)
def test_charts_are_on_the_ground_of_their_theme(bag: Path, tmp_path: Path, theme: str) -> None:
    options = ["--theme", theme, "--topics", "stability", "--output", str(tmp_path)]
    assert main([str(bag), *options]) == 0
    image = imread(tmp_path / "stability.png")[..., :3]
    np.testing.assert_allclose(image[0, 0], to_rgb(THEMES[theme].background), atol=0.01)
    ink = np.abs(image - to_rgb(THEMES[theme].ink)).max(axis=2) < 0.02
    assert ink.sum() > 500


def test_a_recorded_zero_moment_point_is_used_where_it_is_there(
    tmp_path: Path, charmie: Model
) -> None:
    bag = write_recording(tmp_path / "b", charmie, without=("base_wrench",))
    options = ["--format", "svg", "--topics", "stability", "base_load", "--output", str(tmp_path)]
    assert main([str(bag), *options]) == 0
    assert "on the floor, as recorded" in texts(tmp_path / "stability.svg")
    assert "computed from the recorded efforts" in texts(tmp_path / "base_load.svg")


def test_what_cannot_be_drawn_is_told_and_the_rest_is_drawn(
    tmp_path: Path, charmie: Model, capsys: Capture
) -> None:
    bag = write_recording(
        tmp_path / "b", charmie, effort=False, without=("base_wrench", "stability")
    )
    assert main([str(bag), "--output", str(tmp_path)]) == 1
    printed = capsys.readouterr()
    assert printed.out.split() == [str(tmp_path / "tools.png")]
    for topic in ("efforts", "base_load", "stability"):
        assert f"{topic} could not be drawn" in printed.err


def test_a_robot_without_wheel_contacts_has_no_stability_chart(
    tmp_path: Path, crane: Model, data: Path, capsys: Capture
) -> None:
    urdf = (data / "crane.urdf").read_text()
    bag = write_recording(tmp_path / "b", crane, urdf=urdf)
    options = ["--mechanisms", str(data / "crane.yaml"), "--output", str(tmp_path)]
    assert main([str(bag), *options]) == 1
    printed = capsys.readouterr()
    assert "wheel_contacts" in printed.err
    assert [Path(line).name for line in printed.out.split()] == [
        "efforts.png",
        "tools.png",
        "base_load.png",
    ]


def test_a_bag_without_efforts_ends_with_status_1_and_no_traceback(
    tmp_path: Path, charmie: Model, capsys: Capture
) -> None:
    bag = write_recording(tmp_path / "b", charmie, without=("actuator_efforts",))
    assert main([str(bag), "--output", str(tmp_path / "plots")]) == 1
    assert "actuator_efforts" in capsys.readouterr().err
    assert not (tmp_path / "plots").exists()


def test_an_unknown_tool_is_named(bag: Path, tmp_path: Path, capsys: Capture) -> None:
    options = ["--topics", "tools", "--tools", "left_toll", "--output", str(tmp_path)]
    assert main([str(bag), *options]) == 1
    assert "did you mean 'left_tool'" in capsys.readouterr().err


def test_a_bag_with_inputs_alone_names_the_command_that_computes(
    tmp_path: Path, charmie: Model, capsys: Capture
) -> None:
    path = write_inputs(tmp_path / "inputs", charmie, 20)
    assert main([str(path), "--output", str(tmp_path / "plots")]) == 1
    assert f"charmie_analyze {path} --out NEW_BAG" in capsys.readouterr().err
