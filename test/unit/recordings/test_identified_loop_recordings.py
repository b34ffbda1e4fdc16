# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""charmie_identify with recordings of robots with loop joints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from loop_robots import four_bar

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are identified")

from charmie_dynamics import Model, load_model
from charmie_dynamics.studies.commands.identify_options import main

TIME = np.arange(2000) * 0.01
HEAVIER, VISCOUS, COULOMB = 1.2, 0.5, 0.3


def true_motion(model: Model, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the closed motion of the four-bar."""
    w = np.array([1.3, 2.9, 4.7])
    size = np.array([0.5, 0.25, 0.12])
    angle = time[:, None] * w + np.array([0.3, 1.1, 2.7])
    rows = ((size * np.sin(angle)).sum(1), (size * w * np.cos(angle)).sum(1),
            -(size * w * w * np.sin(angle)).sum(1))  # fmt: skip
    position = model.assemble(model.zero_position()).position
    motions = []
    for q, v, a in zip(*rows, strict=True):
        motions.append(model.assemble([q, *position[1:]], [v, 0.0, 0.0], [a, 0.0, 0.0]))
        position = motions[-1].position
    q, v, a = (np.array([motion[k] for motion in motions]) for k in range(3))
    return q, v, a


def write_table(folder: Path, position: Mapping[str, np.ndarray], effort: np.ndarray) -> None:
    """Write positions of some joints, and the effort of the crank; NaN where not measured."""
    names = list(position)
    layout = {
        "joints": names,
        "time": "t",
        "position": [f"p_{name}" for name in names],
        "effort": [f"e_{name}" for name in names],
    }
    (folder / "columns.yaml").write_text(
        "\n".join(
            f"{key}: {value if isinstance(value, str) else '[' + ', '.join(value) + ']'}"
            for key, value in layout.items()
        )
    )
    nothing = np.full(len(TIME), np.nan)
    columns = [TIME, *position.values()]
    columns += [effort if name == "crank_joint" else nothing for name in names]
    heading = ["t", *layout["position"], *layout["effort"]]
    rows = [
        ",".join("" if np.isnan(x) else repr(float(x)) for x in row)
        for row in zip(*columns, strict=True)
    ]
    (folder / "table.csv").write_text("\n".join([",".join(heading), *rows]))


def identified(folder: Path, *options: str) -> int:
    files = ["--urdf", str(folder / "four_bar.urdf"), "--mechanisms", str(folder / "four_bar.yaml")]
    table = [str(folder / "table.csv"), "--columns", str(folder / "columns.yaml")]
    out = ["--out", str(folder / "found"), "--quiet", "--no-pictures"]
    return main([*table, *files, *out, *options])


def measured(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (n, 3) with noise, and the effort of a heavier crank with friction."""
    motion = true_motion(model, TIME)
    effort = HEAVIER * model.compute(*motion).actuator_effort[:, 0]
    speed = motion[1][:, 0]
    effort += VISCOUS * speed + COULOMB * np.clip(speed / 0.01, -1.0, 1.0)
    rng = np.random.default_rng(3)
    effort += 0.01 * effort.std() * rng.normal(size=len(TIME))
    return motion[0] + 2e-5 * rng.normal(size=motion[0].shape), effort


@pytest.mark.parametrize("joints", [("crank",), ("crank", "rocker"), ("rocker",)])
def test_a_recorded_loop_is_identified(
    tmp_path: Path, joints: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    model = four_bar(tmp_path)
    position, effort = measured(model)
    names = {"crank": 0, "rocker": 2}
    given = {
        f"{name}_joint": position[:, k] if name in joints else np.full(len(TIME), np.nan)
        for name, k in names.items()
        if name in joints or name == "crank"
    }
    write_table(tmp_path, given, effort)
    assert identified(tmp_path) == 0
    assert "passive" not in capsys.readouterr().err
    found = load_model(
        tmp_path / "found" / "identified.urdf", tmp_path / "found" / "identified_mechanisms.yaml"
    )
    q, v, a = true_motion(model, 20.0 + TIME[:500])
    expected = HEAVIER * model.compute(q, v, a).actuator_effort
    error = found.compute(q, v, a, friction=False).actuator_effort - expected
    assert np.sqrt(np.mean(error**2)) < 0.03 * expected.std()
    friction = found.mechanisms.friction["crank_joint"]
    assert friction.viscous == pytest.approx(VISCOUS, rel=0.1)
    assert friction.coulomb == pytest.approx(COULOMB, rel=0.1)


def test_a_passive_joint_with_a_wrong_zero_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = four_bar(tmp_path)
    position, effort = measured(model)
    given = {"crank_joint": position[:, 0], "rocker_joint": position[:, 2] + 0.3}
    write_table(tmp_path, given, effort)
    assert identified(tmp_path) == 0
    text = capsys.readouterr().err
    assert "'rocker_joint': passive joint measured at" in text
    assert "check its zero and sign" in text
