# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotors and joint springs on random trees against Pinocchio's armature and MuJoCo.

Mimic joints and linear actuators, which the programs do not have, are the same joints moved
dependently there: M = G^T M' G with the matrix G of the dependence.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
import pinocchio as pin
import pytest
import yaml

from charmie_dynamics import Model
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf

SEEDS = range(8)
LINKS = 7


class Tree(NamedTuple):
    """A random tree, with the rotors and springs of each of its joints, and those that mimic."""

    urdf: str
    independent: str  # the same without mimics
    joints: list[str]
    reflected: np.ndarray
    law: np.ndarray  # stiffness, rest, damping
    leader: np.ndarray
    multiplier: np.ndarray
    offset: np.ndarray


def text(values: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in values)


def random_tree(seed: int, mimics: bool) -> Tree:
    rng = np.random.default_rng(seed)
    leader, multiplier, offset = np.arange(LINKS), np.ones(LINKS), np.zeros(LINKS)
    parts: list[list[str]] = [['<link name="l0"/>'], ['<link name="l0"/>']]
    for k in range(LINKS):
        kind = rng.choice(["revolute", "prismatic", "continuous"])
        parent = rng.integers(max(0, k - 2), k + 1)
        own = ""
        if mimics and k in (3, 5, 6):
            leader[k] = rng.choice([0, 1, 2, 4] if k > 4 else [0, 1, 2])
            multiplier[k], offset[k] = rng.uniform(-1.5, 1.5), rng.uniform(-0.2, 0.2)
            own = (
                f'<mimic joint="j{leader[k]}" multiplier="{float(multiplier[k])!r}" '
                f'offset="{float(offset[k])!r}"/>'
            )
        i, mass = float(rng.uniform(0.005, 0.02)), float(rng.uniform(0.5, 3.0))
        com, turn = text(rng.uniform(-0.2, 0.2, 3)), text(rng.uniform(-1, 1, 3))
        link = (
            f'<link name="l{k + 1}"><inertial><mass value="{mass}"/>'
            f'<origin xyz="{com}" rpy="{turn}"/>'
            f'<inertia ixx="{i}" iyy="{1.2 * i}" izz="{1.5 * i}" ixy="0" ixz="0" iyz="0"/>'
            "</inertial></link>"
        )
        head = (
            f'<joint name="j{k}" type="{kind}"><parent link="l{parent}"/><child link="l{k + 1}"/>'
            f'<origin xyz="{text(rng.uniform(-0.4, 0.4, 3))}" rpy="{text(rng.uniform(-2, 2, 3))}"/>'
            f'<axis xyz="{text(rng.normal(size=3))}"/>'
            '<limit lower="-9" upper="9" effort="9" velocity="9"/>'
        )
        parts[0].append(f"{link}{head}{own}</joint>")
        parts[1].append(f"{link}{head}</joint>")
    law = np.column_stack(
        (rng.uniform(0, 40, LINKS), rng.uniform(-0.5, 0.5, LINKS), rng.uniform(0, 3, LINKS))
    )
    urdfs = [f'<robot name="tree">{"".join(each)}</robot>' for each in parts]
    joints = [f"j{k}" for k in range(LINKS)]
    reflected = rng.uniform(0.0, 2.0, LINKS)
    return Tree(*urdfs, joints, reflected, law, leader, multiplier, offset)


def model_of(tree: Tree) -> Model:
    rows = zip(tree.joints, tree.reflected.tolist(), tree.law.tolist(), strict=True)
    rotors, springs = {}, {}
    for k, (joint, inertia, (stiffness, rest, damping)) in enumerate(rows):
        gear = 10.0**k / 100.0
        rotors[joint] = {"inertia": inertia / gear**2, "gear_ratio": gear}
        springs[f"on_{joint}"] = {
            "joint": joint, "stiffness": stiffness, "rest": rest, "damping": damping,
        }  # fmt: skip
    file = yaml.safe_dump({"rotors": rotors, "joint_springs": springs})
    return Model(parse_urdf(tree.urdf, "tree.urdf"), parse_mechanisms(file, "tree.yaml"))


def dependence(tree: Tree, model: Model) -> np.ndarray:
    """Return the matrix G of the motion of all joints by that of the independent ones."""
    G = np.zeros((LINKS, len(model.actuator_names)))
    for k in range(LINKS):
        G[k, model.actuator_names.index(f"j{tree.leader[k]}")] = tree.multiplier[k]
    return G


def spring_efforts(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -tree.law[:, 0] * (q - tree.law[:, 1]) - tree.law[:, 2] * v


def state_of(model: Model, seed: int) -> np.ndarray:
    return np.random.default_rng(100 + seed).uniform(-1.0, 1.0, (3, len(model.actuator_names)))


@pytest.mark.parametrize("mimics", [False, True], ids=["independent", "mimics"])
@pytest.mark.parametrize("seed", SEEDS)
def test_efforts_and_mass_matrix_are_those_of_pinocchio(seed: int, mimics: bool) -> None:
    tree = random_tree(seed, mimics)
    model = model_of(tree)
    theirs = pin.buildModelFromXML(tree.independent)
    data = theirs.createData()
    index = [theirs.joints[theirs.getJointId(name)].idx_v for name in tree.joints]
    theirs.armature[index] = tree.reflected
    position, velocity, acceleration = state_of(model, seed)
    G = dependence(tree, model)
    q, v, a = G @ position + tree.offset, G @ velocity, G @ acceleration
    whole = pin.neutral(theirs)
    for name, x in zip(tree.joints, q, strict=True):
        joint = theirs.joints[theirs.getJointId(name)]
        whole[joint.idx_q : joint.idx_q + joint.nq] = x if joint.nq == 1 else (np.cos(x), np.sin(x))
    order = np.argsort(index)
    effort = pin.rnea(theirs, data, whole, v[order], a[order])[index]
    mass = pin.crba(theirs, data, whole)
    mass = (np.triu(mass) + np.triu(mass, 1).T)[np.ix_(index, index)]
    state = model.compute(position, velocity, acceleration)
    np.testing.assert_allclose(model.equations(position).mass_matrix, G.T @ mass @ G, atol=1e-12)
    expected = G.T @ (effort - spring_efforts(tree, q, v))
    np.testing.assert_allclose(state.actuator_effort, expected, atol=1e-11)
    found = model.forward(position, velocity, expected).acceleration
    np.testing.assert_allclose(found, acceleration, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_and_energy_are_those_of_mujoco(seed: int) -> None:
    tree = random_tree(seed, mimics=False)
    model = model_of(tree)
    compiler = '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco>'
    urdf = tree.urdf.replace('<robot name="tree">', f'<robot name="tree">{compiler}')
    theirs = mujoco.MjModel.from_xml_string(urdf)
    data = mujoco.MjData(theirs)
    places = [theirs.joint(name).dofadr[0] for name in tree.joints]
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    theirs.dof_armature[places] = tree.reflected
    theirs.dof_damping[places] = tree.law[:, 2]
    for name, (stiffness, rest, _) in zip(tree.joints, tree.law, strict=True):
        joint = theirs.joint(name)
        joint.stiffness[:] = stiffness
        theirs.qpos_spring[joint.qposadr[0]] = rest
    mujoco.mj_setConst(theirs, mujoco.MjData(theirs))
    position, velocity, effort = state_of(model, seed)
    order = [model.actuator_names.index(name) for name in tree.joints]
    data.qpos[places], data.qvel[places] = position[order], velocity[order]
    data.qfrc_applied[places] = effort[order]
    theirs.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    mujoco.mj_forward(theirs, data)
    found = model.forward(position, velocity, effort)
    np.testing.assert_allclose(found.acceleration[order], data.qacc[places], rtol=1e-8, atol=1e-8)
    energy = model.energy(position, velocity)
    assert energy.kinetic == pytest.approx(data.energy[1], rel=1e-9)
    assert energy.gravitational + energy.elastic == pytest.approx(data.energy[0], rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_linear_actuator_is_that_of_pinocchio_at_its_joint(seed: int) -> None:
    rng = np.random.default_rng(seed)
    own, at_joint = rng.uniform(1.0, 20.0), rng.uniform(0.1, 1.0)
    urdf = """<robot name="boom"><link name="base"/><link name="boom"><inertial>
      <origin xyz="0.4 0.05 0.1"/><mass value="5"/><inertia ixx="0.1" iyy="0.3" izz="0.3" ixy="0"
      ixz="0" iyz="0"/></inertial></link><joint name="hinge" type="revolute"><parent link="base"/>
      <child link="boom"/><origin rpy="0.2 0.1 0.3"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="1" effort="9" velocity="9"/></joint></robot>"""
    file = yaml.safe_dump(
        {
            "linear_actuators": {
                "cylinder": {
                    "joint": "hinge",
                    "base_body": "base",
                    "base_point": [0.1, 0.0, -0.4],
                    "tip_body": "boom",
                    "tip_point": [0.5, 0.03, -0.05],
                }
            },
            "rotors": {"cylinder": {"inertia": own}, "hinge": {"inertia": at_joint}},
        }
    )
    model = Model(parse_urdf(urdf, "boom.urdf"), parse_mechanisms(file, "boom.yaml"))
    length = model.zero_position() + rng.uniform(-0.05, 0.05)
    rate, change = rng.uniform(-1.0, 1.0, (2, 1))
    state = model.compute(length, rate, change)
    theirs = pin.buildModelFromXML(urdf)
    theirs.armature[0] = at_joint
    joints = state.joint_position, state.joint_velocity, state.joint_acceleration
    torque = pin.rnea(theirs, theirs.createData(), *joints)[0]
    ratio = state.joint_velocity[0] / rate[0]
    expected = ratio * torque + own * change[0]
    assert state.actuator_effort[0] == pytest.approx(expected, rel=1e-11)
