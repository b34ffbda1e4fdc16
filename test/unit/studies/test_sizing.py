# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The smallest drive that can make a motion, against closed forms."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import InputError, ModelFileError, UnknownNameError, load_model
from charmie_dynamics.studies import size_drives
from charmie_dynamics.studies.commands.size_options import main
from charmie_dynamics.studies.design.study_motion import make_study_motion
from charmie_dynamics.studies.sizing.drive_table import (
    DriveTable,
    Gear,
    Motor,
    parse_drive_table,
)
from charmie_dynamics.studies.sizing.sizing import drive_use, motor_load

MOTOR = Motor("m", 1.0, 3.0, 300.0, 600.0, rotor_inertia=2e-4)
TABLE = """
motors:
  small: {rated_torque: 0.05, peak_torque: 0.2, rated_speed: 400, max_speed: 800, mass: 0.1}
  large: {rated_torque: 0.8, peak_torque: 2.4, rated_speed: 300, max_speed: 450, mass: 1.0}
gears:
  g50: {ratio: 50, efficiency: 0.8, mass: 0.2}
  g100: {ratio: 100, efficiency: 0.7, mass: 0.3}
  screw: {lead: 0.004, efficiency: 0.5, mass: 0.4}
"""


def test_a_gear_takes_its_share_of_the_power_in_either_direction() -> None:
    gear = Gear("g", 40.0, efficiency=0.8)
    velocity, effort = np.array([3.0, -3.0]), np.array([16.0, 16.0])
    load = motor_load(MOTOR, gear, velocity, np.zeros(2), effort)
    lost = effort * velocity - load.torque * load.speed
    assert load.speed == pytest.approx(40.0 * velocity)
    assert load.torque[0] * load.speed[0] == pytest.approx(16.0 * 3.0 / 0.8)
    assert load.torque[1] * load.speed[1] == pytest.approx(-16.0 * 3.0 * 0.8)
    assert (lost <= 0.0).tolist() == [True, True]


def test_rotor_and_gear_are_accelerated_too() -> None:
    gear = Gear("g", 40.0, inertia=1e-4)
    load = motor_load(MOTOR, gear, np.zeros(1), np.array([5.0]), np.zeros(1))
    assert load.torque[0] == pytest.approx((2e-4 + 1e-4) * 40.0 * 5.0)


def test_a_screw_turns_once_for_its_lead() -> None:
    screw = next(gear for gear in parse_drive_table(TABLE).gears if gear.linear)
    load = motor_load(MOTOR, screw, np.array([0.004]), np.zeros(1), np.array([100.0]))
    assert load.speed[0] == pytest.approx(2.0 * math.pi)
    assert load.torque[0] * load.speed[0] == pytest.approx(100.0 * 0.004 / 0.5)


@pytest.mark.parametrize(
    ("speed", "torque"), [(0.0, 3.0), (-300.0, 3.0), (450.0, 1.5), (600.0, 0.0), (900.0, 0.0)]
)
def test_a_motor_has_less_torque_above_its_rated_speed(speed: float, torque: float) -> None:
    assert MOTOR.peak_torque_at(np.array([speed]))[0] == pytest.approx(torque)


def test_a_motor_rests_while_the_motion_is_not_made() -> None:
    gear = Gear("g", 1.0)
    effort = np.array([0.0, 2.0, -2.0, 0.0])
    load = motor_load(MOTOR, gear, np.ones(4), np.zeros(4), effort)
    weight = np.full(4, 0.25)
    always, quarter = (drive_use(MOTOR, gear, load, effort, weight, duty) for duty in (1.0, 0.25))
    assert always.heat == pytest.approx(math.sqrt(2.0))
    assert quarter.heat == pytest.approx(math.sqrt(0.5))
    assert quarter.peak == always.peak == pytest.approx(2.0 / 3.0)
    assert (always.limit, quarter.limit) == ("heat", "heat")


def test_the_limits_of_gear_and_speed_count() -> None:
    gear = Gear("g", 10.0, rated_effort=4.0, peak_effort=8.0, max_input_speed=50.0)
    effort = np.array([6.0, 6.0])
    load = motor_load(MOTOR, gear, np.array([4.0, 4.0]), np.zeros(2), effort)
    use = drive_use(MOTOR, gear, load, effort, np.ones(2), 1.0)
    assert use.speed == pytest.approx(40.0 / 50.0)
    assert use.gear == pytest.approx(6.0 / 4.0)
    assert (use.largest, use.limit) == (use.gear, "gear")


def every_choice(table: DriveTable, actuator: str, duty: float) -> list[tuple[float, str, str]]:
    """Return mass and names of all drives that are enough, found one by one."""
    model = load_model()
    motion = make_study_motion("wave", model)
    k = model.actuator_names.index(actuator)
    state = model.compute(motion.position, motion.velocity, motion.acceleration)
    effort = state.actuator_effort[:, k]
    found = []
    for gear in table.gears:
        if gear.linear == actuator.endswith("_actuator"):
            for motor in table.motors:
                columns = motion.velocity[:, k], motion.acceleration[:, k], effort
                use = drive_use(
                    motor, gear, motor_load(motor, gear, *columns), effort, motion.weight, duty
                )
                if max(use) <= 1.0:
                    found.append((motor.mass + gear.mass, motor.name, gear.name))
    return sorted(found)


@pytest.mark.parametrize("actuator", ["lift_actuator", "left_arm_joint_2", "neck_pan_joint"])
@pytest.mark.parametrize("duty", [1.0, 0.2])
def test_the_drive_is_the_lightest_of_all_that_are_enough(actuator: str, duty: float) -> None:
    model, table = load_model(), parse_drive_table(TABLE)
    (drive,) = size_drives(model, make_study_motion("wave", model), table, [actuator], duty=duty)
    _, motor, gear = every_choice(table, actuator, duty)[0]
    assert (drive.motor.name, drive.gear.name, drive.is_enough) == (motor, gear, True)


def test_where_no_drive_is_enough_the_nearest_is_told() -> None:
    model = load_model()
    few = TABLE.replace("0.05, peak_torque: 0.2", "0.01, peak_torque: 0.04")
    weak = parse_drive_table(few.replace("0.8, peak_torque: 2.4", "0.005, peak_torque: 0.02"))
    names = ["left_arm_joint_2"]
    (drive,) = size_drives(model, make_study_motion("wave", model), weak, names)
    assert not drive.is_enough
    assert drive.use.largest > 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("peak_torque: 0.2", "peak_torque: 0.01"), r"small.*rated_torque of at most peak_torque"),
        (("ratio: 50", "ratio: 50, lead: 0.1"), r"g50.*one of ratio and lead"),
        (("efficiency: 0.8", "efficiency: 1.8"), r"g50\.efficiency: 1\.8"),
        (("rated_speed: 400, ", ""), r"small.*rated_speed"),
    ],
)
def test_a_table_that_cannot_be_is_refused(change: tuple[str, str], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        parse_drive_table(TABLE.replace(*change))


def test_a_table_without_screws_is_refused_for_a_linear_actuator() -> None:
    model = load_model()
    gears = parse_drive_table(TABLE.replace("  screw: {lead: 0.004", "  g20: {ratio: 20"))
    with pytest.raises(InputError, match=r"lift_actuator.*screw.*lead"):
        size_drives(model, make_study_motion("wave", model), gears, ["lift_actuator"])


def test_wrong_names_and_shares_are_refused() -> None:
    model, table = load_model(), parse_drive_table(TABLE)
    motion = make_study_motion("wave", model, duration=1.0)
    with pytest.raises(UnknownNameError, match=r"lift_acuator.*lift_actuator"):
        size_drives(model, motion, table, ["lift_acuator"])
    with pytest.raises(UnknownNameError, match="weight"):
        size_drives(model, motion, table, smallest="weight")
    with pytest.raises(InputError, match=r"duty.*1\.5"):
        size_drives(model, motion, table, duty=1.5)


def test_the_command_prints_a_drive_for_each_actuator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "drives.yaml"
    path.write_text(TABLE, encoding="utf-8")
    picture = tmp_path / "motors.png"
    arguments = ["--motion", "wave", "--table", str(path), "--plot", str(picture)]
    status = main([*arguments, "--actuators", "lift_actuator", "neck_pan_joint"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["actuator", "lift_actuator", "neck_pan_joint"]
    assert status == 0
    assert picture.stat().st_size > 0


def test_the_command_says_which_bag_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "drives.yaml"
    path.write_text(TABLE, encoding="utf-8")
    assert main(["--bag", str(tmp_path / "none"), "--table", str(path)]) == 1
    assert "there is no such folder" in capsys.readouterr().err


def test_a_lead_too_small_for_a_ratio_is_refused() -> None:
    text = TABLE[: TABLE.index("gears:")] + "gears: {screw: {lead: 1.0e-320}}"
    with pytest.raises(ModelFileError, match="gear 'screw': expected a finite ratio above 0"):
        parse_drive_table(text)
