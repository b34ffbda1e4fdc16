# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulated robot of the demo differs from the model by a load and by friction."""

from __future__ import annotations

from pathlib import Path

import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.demo.run import next_commands
from charmie_dynamics.demo.simulated import write_simulated_robot
from charmie_dynamics.studies.commands.identify_options import parse_options


def test_the_simulated_robot_has_a_load_and_friction(charmie: Model, tmp_path: Path) -> None:
    urdf, mechanisms = write_simulated_robot(tmp_path)
    simulated = load_model(urdf, mechanisms)
    assert simulated.total_mass - charmie.total_mass == pytest.approx(0.5)
    assert simulated.has_friction and not charmie.has_friction
    assert simulated.actuator_names == charmie.actuator_names


@pytest.mark.parametrize("has_measured_efforts", [False, True])
def test_the_next_commands_compare_measured_efforts_if_there_are_some(
    has_measured_efforts: bool,
) -> None:
    _, _, analyze, *more = next_commands(Path("out/bag"), "", has_measured_efforts).splitlines()
    assert analyze.split()[-2:] == ["charmie_analyze", "out/bag"]
    assert len(more) == 2 * has_measured_efforts
    for identify, compare in [more] if more else []:
        words = identify.split("charmie_identify ")[1].split()
        assert compare.endswith("out/bag --measured --payload right=0.5")
        assert parse_options(words).find_payload == "right"
