# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots that are imported from MJCF move as in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from charmie_dynamics import Model, ModelFileError, UnknownNameError
from charmie_dynamics.conversion.import_command import import_robot
from charmie_dynamics.conversion.mjcf_writer import write_mjcf

CRANK = """
<mujoco model="slider">
  <compiler angle="degree"/>
  <worldbody>
    <light pos="0 0 3"/>
    <body name="crank" pos="0 0 1">
      <joint name="crank_joint" axis="0 1 0" damping="0.1" armature="0.02"/>
      <geom type="capsule" fromto="0 0 0 0.2 0 0.05" size="0.02" mass="1.5"/>
      <body name="rod" pos="0.2 0 0.05">
        <joint name="rod_joint" axis="0 1 0"/>
        <geom type="box" pos="0.3 0 0" size="0.3 0.01 0.02" mass="0.7"/>
      </body>
    </body>
    <body name="slider" pos="0.8 0 1.05">
      <joint name="slide" type="slide" axis="1 0 0" stiffness="40" springref="0.05"/>
      <geom type="sphere" size="0.05" mass="2"/>
      <site name="hook" pos="0 0 0.1"/>
      <body name="wrist" pos="0.1 0 0">
        <joint name="roll" axis="0 0 1" pos="0 0.02 0.01" ref="30"/>
        <joint name="pitch" axis="1 0 0" pos="0 0 0.03" range="-40 50" limited="true"/>
        <geom type="cylinder" size="0.02 0.1" mass="0.5"/>
        <geom type="ellipsoid" size="0.02 0.02 0.03" mass="0.1"/>
      </body>
    </body>
    <site name="post" pos="1.5 0 1.2"/>
  </worldbody>
  <tendon>
    <spatial name="coil" stiffness="30" damping="2" springlength="0.4">
      <site site="hook"/><site site="post"/>
    </spatial>
    <fixed name="belt"><joint joint="roll" coef="2"/><joint joint="pitch" coef="-1"/></fixed>
  </tendon>
  <equality>
    {loop}
    <tendon name="gear" tendon1="belt"/>
  </equality>
  <actuator><motor name="motor" joint="crank_joint" gear="5" ctrlrange="-2 2"/></actuator>
</mujoco>
"""
CLOSED = {
    "connect": '<connect name="pin" body1="rod" body2="slider" anchor="0.6 0 0"/>',
    "sites": '<connect name="pin" site1="end" site2="eye"/>',
}


def compiled(text: str, folder: Path) -> tuple[mujoco.MjModel, mujoco.MjData, Path]:
    file = folder / "robot.xml"
    file.write_text(text)
    model = mujoco.MjModel.from_xml_path(str(file))
    return model, mujoco.MjData(model), file


def random_tree(rng: np.random.Generator) -> str:
    """Return bodies with up to three joints each, at anchors of their own."""
    parts, bodies = [], 0

    def numbers(count: int, scale: float = 1.0) -> str:
        return " ".join(f"{x:.6f}" for x in rng.uniform(-scale, scale, count))

    def body(depth: int) -> None:
        nonlocal bodies
        bodies += 1
        name = f"body_{bodies}"
        parts.append(f'<body name="{name}" pos="{numbers(3)}" quat="{numbers(4)}">')
        moments = rng.uniform(0.5, 1.0, 3)
        parts.append(
            f'<inertial pos="{numbers(3, 0.3)}" quat="{numbers(4)}" '
            f'mass="{rng.uniform(0.5, 3):.6f}" '
            f'diaginertia="{moments[0]:.6f} {moments[1]:.6f} {moments[2]:.6f}"/>'
        )
        for k in range(rng.integers(0, 4)):
            kind = rng.choice(["hinge", "slide"])
            anchor = numbers(3, 0.2) if rng.random() < 0.7 else "0 0 0"
            parts.append(
                f'<joint name="{name}_{k}" type="{kind}" axis="{numbers(3)}" pos="{anchor}" '
                f'stiffness="{rng.uniform(0, 9):.6f}" springref="{rng.uniform(-1, 1):.6f}" '
                f'damping="{rng.uniform(0, 2):.6f}" armature="{rng.uniform(0, 0.2):.6f}" '
                f'ref="{rng.uniform(-1, 1):.6f}"/>'
            )
        for _ in range(rng.integers(0, 3) if depth < 3 else 0):
            body(depth + 1)
        parts.append("</body>")

    for _ in range(2):
        body(0)
    gravity = numbers(3, 10.0)
    return (
        f'<mujoco><compiler angle="radian"/><option gravity="{gravity}"/><worldbody>'
        f"{''.join(parts)}</worldbody></mujoco>"
    )


def joints_of(model: mujoco.MjModel, robot: Model) -> list[int]:
    """Return where MuJoCo has the velocities of a robot."""
    return [int(model.joint(name).dofadr[0]) for name in robot.velocity_names]


@pytest.mark.parametrize("seed", range(12))
def test_efforts_of_a_tree_are_those_of_mujoco(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng([38, seed])
    model, data, file = compiled(random_tree(rng), tmp_path)
    converted, imported = import_robot(file, tmp_path / "out")
    robot = imported.model
    own = joints_of(model, robot)
    assert sorted(own) == list(range(model.nv)) and converted.dropped == []
    q, v, a = rng.uniform(-1.0, 1.0, (3, model.nv))
    data.qpos[:], data.qvel[:], data.qacc[:] = model.qpos0 + q, v, a
    mujoco.mj_inverse(model, data)
    found = robot.compute(q[own], v[own], a[own]).actuator_effort
    scale = 1.0 + np.abs(data.qfrc_inverse).max()
    np.testing.assert_allclose(found, data.qfrc_inverse[own], atol=1e-10 * scale)
    assert robot.total_mass == pytest.approx(model.body_subtreemass[0], rel=1e-12)


@pytest.fixture(params=list(CLOSED))
def slider(request: pytest.FixtureRequest, tmp_path: Path):
    text = CRANK.format(loop=CLOSED[request.param])
    if request.param == "sites":
        text = text.replace('mass="0.7"/>', 'mass="0.7"/><site name="end" pos="0.6 0 0"/>')
        text = text.replace('<site name="hook"', '<site name="eye"/><site name="hook"')
    model, data, file = compiled(text, tmp_path)
    return model, data, *import_robot(file, tmp_path / "out")


def test_a_loop_with_a_gear_and_springs_accelerates_as_with_rigid_constraints(slider) -> None:
    model, data, _, imported = slider
    robot = imported.model
    assert robot.actuator_names == ("crank_joint", "pitch")
    position, velocity = robot.zero_position(), np.zeros(len(robot.velocity_names))
    names = robot.velocity_names
    driven = [names.index(name) for name in robot.actuator_names]
    position[driven], velocity[driven] = (0.7, 0.3), (1.1, -0.4)
    closed = robot.assemble(position, velocity)
    by_name = dict(zip(names, zip(closed.position, closed.velocity, strict=True), strict=True))
    by_name["roll"] = tuple(0.5 * value for value in by_name["pitch"])
    for name, (q, v) in by_name.items():
        joint = model.joint(name)
        data.qpos[joint.qposadr[0]] = model.qpos0[joint.qposadr[0]] + q
        data.qvel[joint.dofadr[0]] = v
    mujoco.mj_forward(model, data)
    rows = data.ne
    J = data.efc_J[: rows * model.nv].reshape(rows, model.nv)
    np.testing.assert_allclose(data.efc_pos[:rows], 0.0, atol=1e-9)  # it is closed there, too
    np.testing.assert_allclose(J @ data.qvel, 0.0, atol=1e-9)
    effort = np.array([3.0, 0.2])
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    force = data.qfrc_passive - data.qfrc_bias
    for name, value in zip(robot.actuator_names, effort, strict=True):
        force[model.joint(name).dofadr[0]] += value
    bias = rate_of_rows(model, data, rows) @ data.qvel
    system = np.block([[M, J.T], [J, np.zeros((rows, rows))]])
    expected = np.linalg.lstsq(system, np.concatenate((force, -bias)), rcond=1e-12)[0][: model.nv]
    found = robot.forward(closed.position, closed.velocity, effort).acceleration
    np.testing.assert_allclose(found, expected[joints_of(model, robot)], atol=2e-6)


def rate_of_rows(model: mujoco.MjModel, data: mujoco.MjData, rows: int) -> np.ndarray:
    """Return the rate of the Jacobian of the equalities, by a central difference."""
    step, found = 1e-5, []
    for sign in (1.0, -1.0):
        other = mujoco.MjData(model)
        other.qpos[:] = data.qpos
        mujoco.mj_integratePos(model, other.qpos, data.qvel, sign * step)
        mujoco.mj_forward(model, other)
        found.append(other.efc_J[: rows * model.nv].reshape(rows, model.nv).copy())
    return (found[0] - found[1]) / (2.0 * step)


def test_the_report_names_everything_that_is_left_out(slider) -> None:
    _, _, converted, imported = slider
    assert converted.dropped == ["shape 'wrist_geom_4': ellipsoid", "1 lights"]
    report = "\n".join(imported.report())
    assert "undetermined reactions" in report and "loops are closed to" in report
    limits = dict(zip(imported.model.actuator_names, imported.model.actuator_limits(), strict=True))
    assert limits["crank_joint"].effort == 10.0


def test_a_leg_is_driven_by_its_motor_and_springs_but_not_by_the_spin_of_a_rod(
    tmp_path: Path,
) -> None:
    """The base is free, a ball joint holds the rod, and the loop closes near a keyframe."""
    text = """
    <mujoco><compiler angle="radian"/><worldbody><body name="hip" pos="0 0 1"><freejoint/>
      <geom type="box" size=".1 .1 .1" mass="5"/>
      <body name="rod" pos="0 0 0.1"><joint name="ball" type="ball"/>
        <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.01" mass="0.2"/></body>
      <body name="thigh"><joint name="knee" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="1"/>
        <body name="shin" pos="0.2 0 0"><joint name="shin_joint" axis="0 1 0" stiffness="1500"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1"/>
        <body name="leaf" pos="0.3 0 0"><joint name="leaf_joint" axis="0 1 0" stiffness="900"/>
          <geom type="capsule" fromto="0 0 0 0 0 0.1" size="0.01" mass="0.1"/></body></body></body>
    </body></worldbody>
    <equality><connect name="end" body1="rod" body2="leaf" anchor="0.5 0 0"/></equality>
    <actuator><motor joint="knee"/></actuator>
    <keyframe><key qpos="0 0 1 1 0 0 0 1 0 0 0 0.2 0.1 0"/></keyframe></mujoco>
    """
    _, _, file = compiled(text, tmp_path)
    converted, imported = import_robot(file, tmp_path / "out")
    robot = imported.model
    assert imported.pose and imported.closed < 1e-9
    assert robot.actuator_names == ("knee", "shin_joint")
    position = robot.assemble(robot.rest_position()).position
    assert np.isfinite(robot.compute(position).actuator_effort).all()
    ball, more = converted.dropped
    assert ball.startswith("ball joint 'ball'") and more.startswith(
        "free motions of the loops: shin_joint have no motor"
    )


EQUALITIES = {
    "polynomial": '<joint name="e" joint1="rod_joint" joint2="slide" polycoef="0 1 0.5 0 0"/>',
    "make it a fixed joint": '<joint name="e" joint1="rod_joint"/>',
    "not active": '<connect name="e" body1="rod" body2="slider" anchor="0 0 0" active="false"/>',
    "spatial tendon": '<tendon name="e" tendon1="coil"/>',
    "softness of the equality 'e' (solref 0.1 1)": (
        '<connect name="e" body1="rod" body2="slider" anchor="0.6 0 0" solref="0.1 1"/>'
    ),
    "softness of the equality 'e' (solref -100 -10)": (
        '<joint name="e" joint1="rod_joint" joint2="slide" solref="-100 -10"/>'
    ),
    "softness of the equality 'e' (solimp 0.1 0.95)": (
        '<joint name="e" joint1="rod_joint" joint2="slide" solimp="0.1 0.95 0.001"/>'
    ),
    "'e': pitch and roll follow other joints already": (
        '<joint name="e" joint1="pitch" joint2="roll"/>'
    ),
}


@pytest.mark.parametrize("message", list(EQUALITIES))
def test_equalities_that_are_not_rigid_or_not_linear_are_named(
    message: str, tmp_path: Path
) -> None:
    straps = '<fixed name="straps"><joint joint="rod_joint" coef="1"/></fixed>'
    gear = '<tendon name="gear" tendon1="belt"/>'
    text = CRANK.format(loop="").replace("</tendon>\n", f"{straps}</tendon>\n", 1)
    text = text.replace(gear, gear + EQUALITIES[message])
    _, _, file = compiled(text, tmp_path)
    converted, _ = import_robot(file, tmp_path / "out")
    assert any("'e'" in line and message in line for line in converted.dropped)


def chain(rng: np.random.Generator, count: int) -> str:
    """Return a chain of links whose joints two tendons of several joints relate."""
    bodies, motors, tendons, equalities = "", "", "", ""
    for k in range(count):
        kind, axis = rng.choice(["hinge", "slide"]), rng.normal(size=3)
        numbers = [" ".join(map(repr, rng.normal(size=3, scale=0.3).tolist())) for _ in range(2)]
        bodies += (
            f'<body name="b{k}" pos="{numbers[0]}"><joint name="j{k}" type="{kind}" '
            f'axis="{" ".join(map(repr, axis.tolist()))}" ref="{rng.normal()!r}" damping="0.3"/>'
            f'<geom type="box" size=".1 .2 .15" pos="{numbers[1]}" mass="{rng.uniform(0.5, 2)!r}"/>'
        )
        motors += f'<motor name="m{k}" joint="j{k}"/>' if k >= 2 else ""
    for n in range(2):
        own = rng.permutation(count)[: int(rng.integers(3, count + 1))]
        terms = "".join(f'<joint joint="j{k}" coef="{rng.uniform(0.5, 2)!r}"/>' for k in own)
        tendons += f'<fixed name="t{n}">{terms}</fixed>'
        equalities += f'<tendon name="e{n}" tendon1="t{n}" polycoef="{rng.uniform(-0.1, 0.1)!r}"/>'
    return (
        f'<mujoco><compiler angle="radian"/><worldbody>{bodies}{"</body>" * count}</worldbody>'
        f"<tendon>{tendons}</tendon><equality>{equalities}</equality>"
        f"<actuator>{motors}</actuator></mujoco>"
    )


@pytest.mark.parametrize("seed", range(6))
def test_tendons_over_several_joints_accelerate_as_with_rigid_constraints(
    seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    model, data, file = compiled(chain(rng, 5), tmp_path)
    converted, imported = import_robot(file, tmp_path / "out")
    robot = imported.model
    assert len(robot.actuator_names) == 3 and set(converted.joint_relations) == {"e0", "e1"}
    assert not any("e0" in line or "e1" in line for line in converted.dropped)
    q, v, _ = robot.assemble(*rng.normal(size=(3, len(robot.velocity_names)), scale=0.5))
    for name, position, velocity in zip(robot.velocity_names, q, v, strict=True):
        joint = model.joint(name)
        data.qpos[joint.qposadr[0]] = model.qpos0[joint.qposadr[0]] + position
        data.qvel[joint.dofadr[0]] = velocity
    mujoco.mj_forward(model, data)
    J = data.efc_J[: data.ne * model.nv].reshape(data.ne, model.nv)
    assert data.ne == 2
    np.testing.assert_allclose(data.efc_pos[:2], 0.0, atol=1e-9)
    np.testing.assert_allclose(J @ data.qvel, 0.0, atol=1e-9)
    effort = rng.normal(size=3)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    force = data.qfrc_passive - data.qfrc_bias
    for name, value in zip(robot.actuator_names, effort, strict=True):
        force[model.joint(name).dofadr[0]] += value
    system = np.block([[M, J.T], [J, np.zeros((2, 2))]])
    expected = np.linalg.solve(system, np.concatenate((force, np.zeros(2))))[: model.nv]
    found = robot.forward(q, v, effort).acceleration
    scale = 1.0 + abs(expected).max()
    np.testing.assert_allclose(found, expected[joints_of(model, robot)], atol=1e-7 * scale)

    (tmp_path / "again.xml").write_text(write_mjcf(robot, 1e-8))
    again = import_robot(tmp_path / "again.xml", tmp_path / "twice")[1].model
    assert again.actuator_names == robot.actuator_names
    returned = again.forward(q, v, effort).acceleration
    np.testing.assert_allclose(returned, found, atol=1e-7 * scale)


def test_a_second_relation_of_mimic_joints_is_kept(tmp_path: Path) -> None:
    names = "abcd"
    bodies = "".join(
        f'<body><joint name="{name}" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>'
        for name in names
    )
    pairs = [("b", "a", 2.0), ("d", "c", 3.0), ("d", "b", 0.5)]
    equalities = "".join(
        f'<joint name="{one}{two}" joint1="{one}" joint2="{two}" polycoef="0 {ratio} 0 0 0"/>'
        for one, two, ratio in pairs
    )
    text = (
        f"<mujoco><worldbody>{bodies}</worldbody><equality>{equalities}</equality>"
        '<actuator><motor joint="a"/></actuator></mujoco>'
    )
    _, _, file = compiled(text, tmp_path)
    converted, imported = import_robot(file, tmp_path / "out")
    assert converted.joint_relations == {"db": {"coefficients": {"d": 1.0, "b": -0.5}}}
    assert imported.model.actuator_names == ("a",)
    pose = dict(zip(imported.model.position_names, imported.model.closed_pose({"a": 0.6}),
                    strict=True))  # fmt: skip
    assert pose["c"] == pytest.approx(0.6 / 3.0)


def test_a_relation_of_two_belts_is_kept_and_the_joint_without_a_motor_follows(
    tmp_path: Path,
) -> None:
    text = """
    <mujoco><worldbody>
      <body name="a"><joint name="first" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
      <body name="b"><joint name="second" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
    </worldbody>
    <tendon><fixed name="one"><joint joint="first" coef="2"/></fixed>
      <fixed name="two"><joint joint="second" coef="3"/></fixed></tendon>
    <equality><tendon tendon1="two" tendon2="one" polycoef="0.5 4"/></equality>
    <actuator><motor joint="second"/></actuator></mujoco>
    """
    _, _, file = compiled(text, tmp_path)
    converted, imported = import_robot(file, tmp_path / "out")
    assert imported.model.actuator_names == ("second",) and converted.dropped == []
    (mimic,) = (joint.mimic for joint in imported.model.tree.joints if joint.mimic is not None)
    # 3 second = 0.5 + 4 * 2 first
    assert mimic.joint == "second"
    assert (mimic.multiplier, mimic.offset) == pytest.approx((3.0 / 8.0, -0.5 / 8.0))


def test_parts_of_physics_that_the_file_disables_are_left_out(tmp_path: Path) -> None:
    body = """<option>{}</option><worldbody><body gravcomp="{}"><joint name="j" axis="0 1 0"
      stiffness="5" springref="20" damping="2" frictionloss="1"/><geom size=".1" pos="1 0 0"/>
      </body></worldbody></mujoco>"""
    flags = '<flag gravity="disable" spring="disable" damper="disable" frictionloss="disable"/>'
    for flag, share, efforts in (("", 0.0, True), (flags, 0.0, False), (flags, 1.0, False)):
        _, _, file = compiled(f"<mujoco>{body.format(flag, share)}", tmp_path)
        converted, imported = import_robot(file, tmp_path / "out")
        effort = imported.model.compute([0.3], [0.7]).actuator_effort
        assert bool(effort.any()) is efforts
        assert any("gravcomp" in line for line in converted.dropped) is (share > 0.0)


def test_laws_and_motors_without_counterpart_are_named(tmp_path: Path) -> None:
    text = """
    <mujoco><compiler autolimits="true"/><option density="1.2"/><worldbody>
      <body name="hand"><joint name="ball" type="ball" stiffness="3" armature="1" range="0 40"/>
        <geom size=".1"/><site name="tip" pos="0 0 0.2"/>
        <body name="finger"><joint name="bend"/><joint name="turn" axis="1 0 0"/>
          <joint name="slip" type="slide"/><geom size=".1" pos=".1 0 0"/></body></body>
      <body name="stone"><freejoint/><geom size=".1"/></body>
      <site name="hook" pos="0 0 1"/><site name="post" pos="1 0 1"/>
    </worldbody>
    <tendon>
      <fixed name="band" stiffness="4" range="-1 1"><joint joint="bend" coef="1"/>
        <joint joint="turn" coef="2"/><joint joint="slip" coef="3"/></fixed>
      <spatial name="rope" damping="2"><site site="hook"/><site site="post"/><site site="tip"/>
      </spatial>
      <fixed name="pair"><joint joint="bend" coef="1"/><joint joint="turn" coef="1"/></fixed>
    </tendon>
    <actuator><motor name="pull" tendon="pair"/><motor name="push" site="tip" gear="0 0 1 0 0 0"/>
      <motor name="spin" joint="ball" gear="1 0 0"/><position name="servo" joint="slip" kp="9"/>
    </actuator></mujoco>
    """
    _, _, file = compiled(text, tmp_path)
    converted, imported = import_robot(file, tmp_path / "out")
    lines = "\n".join(converted.dropped)
    for expected in (
        "tendon 'band' over the joints bend, turn, slip: its stiffness, limits",
        "tendon 'rope' along the sites hook, post, tip: its damping",
        "actuator 'pull' of a tendon: each of bend, turn counts as driven",
        "actuator 'push': it does not act on one hinge or slide",
        "actuator 'spin': it does not act on one hinge or slide",
        "control laws of the actuators servo",
        "joint 'ball': its spring, armature, limits",
        "the medium: its density and viscosity",
    ):
        assert expected in lines
    assert "'pair'" not in lines and imported.model.total_mass > 0.0


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    file = tmp_path / "bad.xml"
    file.write_text("<mujoco><worldbody><body><geom/></body></worldbody></mujoco>")
    with pytest.raises(ModelFileError, match=r"bad\.xml"):
        import_robot(file, tmp_path / "out")
    _, _, good = compiled(CRANK.format(loop=CLOSED["connect"]), tmp_path)
    with pytest.raises(UnknownNameError, match="did you mean 'slide'"):
        import_robot(good, tmp_path / "out", ["slid"])
