# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact forces of recorded motions, by charmie_analyze."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest
from recordings import write_recording  # skips the module where rosbags is missing
from walking_recordings import write_walk

from charmie_dynamics import load_model
from charmie_dynamics.model.contact_forces import ContactForces, ContactPoint
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.recordings.commands.options import main

FEET = """\
friction: 0.6
contacts:
  leg_1_foot: {radius: 0.018}
  leg_2_foot: {radius: 0.018}
  leg_3_foot: {radius: 0.018}
  leg_4_foot: {radius: 0.018}
  leg_5_foot: {radius: 0.018}
  leg_6_foot: {radius: 0.018}
"""
TIME = np.arange(200) * 0.01
MIDDLE = slice(20, 180)  # where the estimates have samples on both sides
BASE = ("--urdf", "athena", "--cutoff", "25")
Walk = tuple[Floats, ...]
Printed = tuple[int, str, str]


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model("athena")


@pytest.fixture(scope="module")
def motion(model: Model) -> Walk:
    walk = LeggedWalk(model, "tripod")
    position, velocity, acceleration = zip(*(walk.whole(1.2 + t) for t in TIME), strict=True)
    return np.array(position), np.array(velocity), np.array(acceleration)


@pytest.fixture
def feet(tmp_path: Path) -> Path:
    path = tmp_path / "feet.yaml"
    path.write_text(FEET)
    return path


def analyze(capsys: pytest.CaptureFixture[str], *arguments: object) -> Printed:
    status = main([*map(str, arguments), "--quiet"])
    out, err = capsys.readouterr()
    return status, out, err


class Analysis(Protocol):
    """Write a recorded walk and analyse it; return status, output and errors."""

    def __call__(self, *options: object, walk: Walk = ..., **recorded: Any) -> Printed: ...


@pytest.fixture
def analysis(
    tmp_path: Path, model: Model, motion: Walk, feet: Path, capsys: pytest.CaptureFixture[str]
) -> Analysis:
    def run(*options: object, walk: Walk = motion, **recorded: Any) -> Printed:
        bag = tmp_path / "bag"
        if not bag.exists():
            write_walk(bag, model, walk[:2], **recorded)
        contacts = () if "--contacts" in options else ("--contacts", feet)
        return analyze(capsys, bag, *BASE, *contacts, *options)

    return run


def columns(path: Path) -> dict[str, Floats]:
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name] or "nan") for row in rows]) for name in rows[0]}


def test_forces_and_efforts_are_those_of_the_motion(
    tmp_path: Path, model: Model, motion: Walk, analysis: Analysis
) -> None:
    status, out, err = analysis("--export", tmp_path / "t.csv", "--json", tmp_path / "s.json")
    assert status == 0, err
    found = columns(tmp_path / "t.csv")
    walk = LeggedWalk(model, "tripod")
    names = walk.legs.foot_names
    share = np.array([walk.in_stance(1.2 + t) for t in TIME], dtype=float)
    points = [ContactPoint(name, 0.6, radius=0.018) for name in names]
    expected = ContactForces(model, points).of_batch(*motion, share=share)
    normal = np.column_stack([found[f"{name}.normal_force"] for name in names])
    same = ((normal > 0.0) == (share > 0.0)).all(axis=1)  # landings are seen a little later
    same[: MIDDLE.start] = same[MIDDLE.stop :] = False
    assert same.sum() > 120
    np.testing.assert_allclose(normal[same], expected.normal_force[same], atol=0.3)
    effort = np.column_stack([found[f"{name}.effort"] for name in model.actuator_names])
    np.testing.assert_allclose(effort[same], expected.effort[same], atol=0.05)
    missing = np.column_stack([found[f"missing.force_{axis}"] for axis in "xyz"])
    assert np.abs(missing[same]).max() < 1e-6
    assert "leg_1_foot" in out and "leg_6_foot" in out
    summary = json.loads((tmp_path / "s.json").read_text())["contact_forces"]
    assert [contact["name"] for contact in summary["contacts"]] == list(names)
    assert summary["flight"] == 0 and summary["unbalanced"] == 0


def test_the_name_of_a_world_tells_the_contacts(
    tmp_path: Path, feet: Path, analysis: Analysis
) -> None:
    tables = []
    for contacts in (feet, "athena"):
        path = tmp_path / f"{len(tables)}.csv"
        status, out, _ = analysis("--contacts", contacts, "--export", path)
        assert status == 0
        tables.append(columns(path))
    name = "leg_2_foot.normal_force"
    np.testing.assert_allclose(tables[0][name], tables[1][name], atol=1e-9)
    assert "16 more never bore anything" in out  # the rims of the torso


def test_the_weight_of_a_robot_in_flight_is_missing(
    tmp_path: Path, motion: Walk, analysis: Analysis
) -> None:
    position = motion[0].copy()
    position[:, 2] += 0.5
    path = tmp_path / "t.csv"
    status, out, _ = analysis("--export", path, walk=(position, motion[1]))
    assert status == 0
    assert "in 200 cycles nothing touched: efforts are without contacts" in out
    assert columns(path)["missing.force_z"].mean() == pytest.approx(63.06, rel=0.02)


def test_charts_show_the_feet(tmp_path: Path, analysis: Analysis) -> None:
    pytest.importorskip("matplotlib")
    assert analysis("--plots", tmp_path / "charts")[0] == 0
    assert (tmp_path / "charts" / "contact_forces.png").stat().st_size > 20_000


def test_measured_efforts_are_compared_with_those_of_the_contacts(
    tmp_path: Path, model: Model, motion: Walk, analysis: Analysis
) -> None:
    walk = LeggedWalk(model, "tripod")
    points = [ContactPoint(name, 0.6, radius=0.018) for name in walk.legs.foot_names]
    forces = ContactForces(model, points)
    share = forces.touching(model.compute(*motion), height=2e-3, speed=0.05)
    effort = forces.of_batch(*motion, share=share).effort
    path = tmp_path / "s.json"
    assert analysis("--measured", "--json", path, effort=effort)[0] == 0
    measured = json.loads(path.read_text())["measured"]
    assert len(measured) == 18
    assert max(each["residual"] / each["measured"] for each in measured[1::3]) < 0.2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("contacts: {leg_1_fot: }", "line 1: contacts.leg_1_fot: link 'leg_1_fot' is unknown"),
        ("contacts: {leg_1_foot: }", "contacts.leg_1_foot: expected friction, here or for all"),
        ("friction: -1\ncontacts: {leg_1_foot: }", "line 1: friction: -1"),
        ("friction: 1\ncontacts: {leg_1_foot: {radius: -1}}", "contacts.leg_1_foot.radius: -1"),
        ("friction: 1\ncontacts: {}", "contacts: {}"),
        ("friction: 1\nfloor: {normal: [0, 0, 0]}\ncontacts: {leg_1_foot: }", "floor.normal: exp"),
        ("friction: 1\npassive: [leg]\ncontacts: {leg_1_foot: }", "actuator 'leg' is unknown"),
        ("friction: 1\nfeet: {}\ncontacts: {leg_1_foot: }", "unknown key 'feet'"),
    ],
)
def test_a_file_of_contacts_that_does_not_fit_is_refused(
    tmp_path: Path, motion: Walk, analysis: Analysis, text: str, message: str
) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    status, _, err = analysis("--contacts", path, walk=(motion[0][:9], motion[1][:9]))
    assert status == 1
    assert message in err


@pytest.mark.parametrize(
    ("topics", "frame", "message"),
    [
        (
            (),
            "base_link",
            "expected odometry on one topic, the motion of the base; got none",
        ),
        (("/a/odom", "/b/odom"), "base_link", "got /a/odom, /b/odom"),
        (("/odom",), "base_lnk", "frame 'base_lnk' is unknown; did you mean 'base_link'"),
        (("/odom",), "leg_1_foot", "fixed to the base body, got 'leg_1_foot', which joints move"),
    ],
)
def test_odometry_that_does_not_tell_of_the_base_is_refused(
    motion: Walk, analysis: Analysis, topics: tuple[str, ...], frame: str, message: str
) -> None:
    some = motion[0][:9], motion[1][:9]
    status, _, err = analysis(walk=some, topics=topics, frame=frame)
    assert status == 1
    assert message in err


def test_one_of_several_topics_with_odometry_is_chosen(analysis: Analysis) -> None:
    assert analysis("--odometry", "b/odom", topics=("/a/odom", "/b/odom"))[0] == 0
    status, _, err = analysis("--odometry", "c/odom")
    assert status == 1 and "those with odometry are: /a/odom, /b/odom" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "o"), "--out writes no contact forces"),
        (("--no-dynamics",), "which need dynamics"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["bag", "--contacts", "feet.yaml", *arguments])
    assert message in capsys.readouterr().err


def test_a_robot_on_a_fixed_base_is_refused(
    tmp_path: Path, charmie: Model, feet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bag = write_recording(tmp_path / "bag", charmie)
    given = ("--contacts", feet)
    status, _, err = analyze(capsys, bag, *given)
    assert status == 1
    assert "expected odometry on one topic" in err
