# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear actuators with mass, across two joints, and several on one joint.

References are the same machines with links and loop joints written by hand, and statics.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import Model, ModelFileError
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.simulation import simulate, world_of

Floats = np.ndarray
BARREL, ROD = {"mass": 3.0, "center": 0.12, "inertia": 0.02}, {"mass": 1.2, "center": 0.2}
AXES = {"revolute": "0 1 0.2", "prismatic": "0.1 0.2 1"}  # of joint ``a``
PASSIVE = ("swing", "lean", "stroke")


def urdf_of(kinds: tuple[str, str], more: str = "") -> str:
    """Return a base, an arm and a hand, with joints ``a`` and ``b`` of two types."""
    links = "".join(
        f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
        '<inertia ixx="0.1" iyy="0.3" izz="0.25" ixy="0.01" ixz="0" iyz="0.02"/></inertial></link>'
        for name, com, mass in (("arm", "0.5 0.1 0.05", 4.0), ("hand", "0.1 0.1 0.05", 2.0))
    )
    places = 'xyz="0 0.1 0.2" rpy="0.1 0.2 0.3"', 'xyz="0.1 0 0.1" rpy="0.2 -0.1 0.1"'
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/><origin {place}/>'
        '<limit lower="-1" upper="1" effort="90" velocity="9"/></joint>'
        for name, kind, parent, child, axis, place in (
            ("a", kinds[0], "base", "arm", AXES[kinds[0]], places[0]),
            ("b", kinds[1], "arm", "hand", "1 0 0.1", places[1]),
        )
    )
    return f'<robot name="r"><link name="base"/>{links}{joints}{more}</robot>'


def model_of(mechanisms: dict[str, Any], urdf: str = urdf_of(("revolute", "revolute"))) -> Model:
    return Model(parse_urdf(urdf, "urdf"), parse_mechanisms(json.dumps(mechanisms), "file"))


def pins(base: str, tip: str, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    lower, upper = (0.3, 0.1, -0.2), (0.4, -0.1, 0.3)
    ends = {"base": lower, "arm": upper, "hand": upper} if base == "base" else {}
    ends = ends or {base: upper, tip: lower}
    points = {link: (np.array(p) + 0.05 * rng.normal(size=3)).tolist() for link, p in ends.items()}
    return {
        **{"base_body": base, "base_point": points[base]},
        **{"tip_body": tip, "tip_point": points[tip]},
    }


def by_hand(entry: dict[str, Any], kinds: tuple[str, str], passive: str) -> tuple[Model, float]:
    """Return the machine with links for a cylinder, and its length at zero."""
    tree = model_of({}, urdf_of(kinds))
    zero = tree.compute(tree.zero_position())
    (p_base, R_base), (p_tip, R_tip) = (zero.frame(entry[f"{end}_body"]) for end in ("base", "tip"))
    line = R_base.T @ (p_tip + R_tip @ entry["tip_point"] - p_base) - entry["base_point"]
    length = float(np.linalg.norm(line))
    yaw, pitch = math.atan2(line[1], line[0]), -math.asin(line[2] / length)
    xyz = " ".join(map(repr, entry["base_point"]))

    def link(name: str, solid: dict[str, float] | None, sign: float) -> str:
        if solid is None:
            return f'<link name="{name}"/>'
        across = solid.get("inertia", 0.0)
        return (
            f'<link name="{name}"><inertial><origin xyz="{sign * solid["center"]!r} 0 0"/>'
            f'<mass value="{solid["mass"]!r}"/><inertia ixx="0" iyy="{across!r}" izz="{across!r}" '
            'ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )

    def joint(name: str, kind: str, ends: tuple[str, str], axis: str, origin: str) -> str:
        limit = '<limit lower="-9" upper="9" effort="9" velocity="9"/>'
        return (
            f'<joint name="{name}" type="{kind}"><parent link="{ends[0]}"/>'
            f'<child link="{ends[1]}"/><axis xyz="{axis}"/><origin {origin}/>{limit}</joint>'
        )

    more = (
        link("cross", None, 1.0)
        + link("own_barrel", entry.get("barrel"), 1.0)
        + link("own_rod", entry.get("rod"), -1.0)
        + joint("one", "continuous", (entry["base_body"], "cross"), "0 1 0",
                f'xyz="{xyz}" rpy="0 {pitch!r} {yaw!r}"')
        + joint("two", "continuous", ("cross", "own_barrel"), "0 0 1", "")
        + joint("slide", "prismatic", ("own_barrel", "own_rod"), "1 0 0", f'xyz="{length!r} 0 0"')
    )  # fmt: skip
    pin = {
        "type": "spherical",
        "first_body": "own_rod",
        **{"second_body": entry["tip_body"], "second_point": entry["tip_point"]},
    }
    mechanisms = {"loop_joints": {"pin": pin}, "passive_joints": ["one", "two", passive]}
    return model_of(mechanisms, urdf_of(kinds, more)), length


def by_name(model: Model, values: Floats) -> dict[str, float]:
    return dict(zip(model.velocity_names, values.tolist(), strict=True))


def length_at(entry: dict[str, Any], tree: Model, joints: Floats) -> float:
    """Return the distance of the pins with the joints of a bare tree at some positions."""
    state = tree.kinematics(joints)
    base, tip = (
        state.motion(entry[f"{end}_body"], entry[f"{end}_point"]).position
        for end in ("base", "tip")
    )
    return float(np.linalg.norm(tip - base))


def compare(
    entry: dict[str, Any], model: Model, hand: Model, length: float, seed: int, reach: float = 0.5
) -> None:
    """Compare the efforts of two machines in one random state."""
    rng = np.random.default_rng(seed)
    start = model.zero_position()
    joints = rng.uniform(-reach, reach, len(start))
    joints[[name not in "ab" for name in model.joint_names]] = 0.0
    assert {f"c_{part}" for part in PASSIVE} <= set(model.joint_names)
    position = start.copy()
    for k, name in enumerate(model.joint_names):
        if name in "ab":
            moved = model.velocity_names[k] == "c"
            position[k] = model.actuator_from_joint(name, joints[k])[0] if moved else joints[k]
        elif model.velocity_names[k] == "c":
            position[k] = length_at(entry, model.open_tree(), joints)
    v, a = rng.uniform(-2.0, 2.0, (2, len(start)))
    motion = model.assemble(position, v, a)
    state = model.compute(*motion)
    values = [by_name(model, part) for part in motion]
    joint_values = [
        dict(zip(model.joint_names, part.tolist(), strict=True))
        for part in (state.joint_position, state.joint_velocity, state.joint_acceleration)
    ]
    given = []
    for k in range(3):
        own = {"slide": values[k]["c"] - (length if k == 0 else 0.0), **joint_values[k]}
        given.append(np.array([own.get(name, 0.0) for name in hand.velocity_names]))
    reference = hand.assemble(*given)
    efforts = dict(zip(hand.actuator_names, hand.compute(*reference).actuator_effort, strict=True))
    own = dict(zip(model.actuator_names, state.actuator_effort, strict=True))
    size = max(1.0, *map(abs, efforts.values()))
    assert set(own) == {"c" if name == "slide" else name for name in efforts}
    for name, effort in efforts.items():
        assert own["c" if name == "slide" else name] == pytest.approx(effort, abs=1e-9 * size)
    # the barrel lies along the line in both
    for mine, other in (("c_barrel", "own_barrel"), ("c_piston", "own_rod")):
        p, R = state.frame(mine)
        p_hand, R_hand = hand.kinematics(reference.position).frame(other)
        np.testing.assert_allclose(p, p_hand, atol=1e-9)
        np.testing.assert_allclose(R[:, 0], R_hand[:, 0], atol=1e-9)
    assert model.energy(*motion[:2]).total == pytest.approx(
        hand.energy(*reference[:2]).total, abs=1e-9
    )


@pytest.mark.parametrize("parts", [("barrel", "rod"), ("barrel",), ("rod",)])
@pytest.mark.parametrize("ends", [("base", "arm"), ("arm", "base")])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_efforts_with_mass_equal_those_of_links(
    parts: tuple[str, ...], ends: tuple[str, str], kind: str
) -> None:
    kinds = kind, "revolute"
    masses = {key: value for key, value in (("barrel", BARREL), ("rod", ROD)) if key in parts}
    entry = {**pins(*ends), **masses}
    model = model_of({"linear_actuators": {"c": {"joint": "a", **entry}}}, urdf_of(kinds))
    hand, length = by_hand(entry, kinds, "a")
    for seed in range(20):
        compare(entry, model, hand, length, seed)


@pytest.mark.parametrize("kinds", [("revolute", "revolute"), ("prismatic", "revolute")])
@pytest.mark.parametrize("joints", [["a", "b"], ["b", "a"]])
@pytest.mark.parametrize("ends", [("base", "hand"), ("hand", "base")])
def test_efforts_across_two_joints_equal_those_of_links(
    kinds: tuple[str, str], joints: list[str], ends: tuple[str, str]
) -> None:
    entry = {**pins(*ends, seed=3), "barrel": BARREL, "rod": ROD}
    model = model_of({"linear_actuators": {"c": {"joints": joints, **entry}}}, urdf_of(kinds))
    hand, length = by_hand(entry, kinds, joints[1])
    assert set(model.actuator_names) == {joints[0], "c"}
    assert model.zero_position()[model.position_names.index("c")] == pytest.approx(length)
    for seed in range(20):
        compare(entry, model, hand, length, seed, 0.2)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("ends", [("base", "arm"), ("arm", "base")])
def test_the_zero_position_of_an_inverted_cylinder_is_closed(
    kind: str, ends: tuple[str, str]
) -> None:
    entry = {"joint": "a", **pins(*ends), "branch": "inverted", "barrel": BARREL}
    model = model_of({"linear_actuators": {"c": entry}}, urdf_of((kind, "revolute")))
    zero = model.zero_position()
    assert abs(model.constraints(zero).error).max() < 1e-12
    assert abs(model.kinematics(zero).joint_position[0]) > 0.1
    state, (p, R) = model.kinematics(zero), model.kinematics(zero).frame("c_barrel")
    pin = state.motion(entry["tip_body"], entry["tip_point"]).position
    np.testing.assert_allclose(R[:, 0], (pin - p) / np.linalg.norm(pin - p), atol=1e-12)


def test_without_mass_links_change_no_effort() -> None:
    """Of a joint with a cylinder of hardly any mass, against closed form."""
    entry = {"joint": "a", **pins("base", "arm")}
    plain = model_of({"linear_actuators": {"c": entry}})
    light = model_of({"linear_actuators": {"c": {**entry, "rod": {"mass": 1e-12, "center": 0.1}}}})
    rng = np.random.default_rng(1)
    for _ in range(10):
        x = np.array([plain.actuator_from_joint("a", rng.uniform(-0.5, 0.5))[0], 0.3])
        v, a = rng.normal(size=(2, 2))
        given = (np.concatenate([part, np.zeros(3)]) for part in (x, v, a))
        state = light.compute(*light.assemble(*given))
        expected = plain.compute(x, v, a).actuator_effort
        np.testing.assert_allclose(state.actuator_effort, expected, atol=1e-8)


def pair(**more: Any) -> dict[str, Any]:
    """Return mechanisms with two cylinders on joint ``a``."""
    entries = {
        "left": {"joint": "a", **pins("base", "arm")},
        "right": {"joint": "a", **pins("base", "arm", 5), **more},
    }
    return {"linear_actuators": entries}


def test_actuators_of_one_joint_share_its_load() -> None:
    model = model_of(pair(share=0.3))
    single = model_of({"linear_actuators": {"left": pair()["linear_actuators"]["left"]}})
    assert model.actuator_names == ("left", "b")
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = float(rng.uniform(-0.5, 0.5))
        x = np.array([model.actuator_from_joint("a", q)[0], 0.3])
        v, a = rng.normal(size=(2, 2))
        state, alone = model.compute(x, v, a), single.compute(x, v, a)
        assert state.actuator_effort == pytest.approx(alone.actuator_effort, rel=1e-12)
        lengths, step = [], 1e-5
        for dq in (-step, 0.0, step):  # dL/dq by differences, from the frames of the pins
            moved = [model.actuator_from_joint("a", q + dq)[0], 0.3]
            at = model.kinematics(moved)
            lengths.append(
                [np.linalg.norm(at.frame(f"{n}_rod")[0] - at.frame(f"{n}_tube")[0])
                 for n in ("left", "right")]
            )  # fmt: skip
        arms = (np.array(lengths[2]) - lengths[0]) / (2.0 * step)
        torque = state.dynamics.joint_effort[0]  # type: ignore[union-attr]
        forces, own = np.array([0.7, 0.3]) * torque / arms, state.linear_actuator_effort
        assert [own["left"], own["right"]] == pytest.approx(forces, rel=1e-7)
        assert [*state.linear_actuator_length.values()] == pytest.approx(lengths[1], abs=1e-12)
        rates = arms * state.joint_velocity[0]
        assert [*state.linear_actuator_velocity.values()] == pytest.approx(rates, rel=1e-7)
        power = sum(own[n] * state.linear_actuator_velocity[n] for n in own)
        assert power == pytest.approx(state.actuator_effort[0] * v[0])


def test_the_hinge_bears_what_the_shared_forces_leave() -> None:
    """Force and torque of the hinge and of both cylinders are those on the arm."""
    model = model_of(pair(share=0.3))
    state = model.compute(model.zero_position(), [0.3, -0.4], [0.5, 0.6])
    dynamics, arm = state.dynamics, model.flat.body_names.index("arm")
    assert dynamics is not None
    p, R = state.frame("arm")
    force, torque = dynamics.joint_force[arm].copy(), dynamics.joint_torque[arm].copy()
    for name, effort in state.linear_actuator_effort.items():
        tip, tube = state.frame(f"{name}_rod")[0], state.frame(f"{name}_tube")[0]
        push = R.T @ (effort * (tip - tube) / np.linalg.norm(tip - tube))
        force += push
        torque += np.cross(R.T @ (tip - p), push)
    np.testing.assert_allclose(force, dynamics.link_force[arm], atol=1e-9)
    np.testing.assert_allclose(torque, dynamics.link_torque[arm], atol=1e-9)


def test_mirrored_cylinders_bear_equal_halves() -> None:
    urdf = urdf_of(("revolute", "revolute")).replace(
        'rpy="0.1 0.2 0.3"', 'rpy="0 0 0"'
    ).replace('"0 0.1 0.2"', '"0 0 0.2"').replace("0 1 0.2", "0 1 0")  # fmt: skip
    entries = {
        name: {
            "joint": "a",
            **{"base_body": "base", "base_point": [0.3, y, -0.2]},
            **{"tip_body": "arm", "tip_point": [0.4, y, 0.3]},
            **{"length_limits": [0.6, 0.8], "effort_limit": 100.0, "velocity_limit": 0.5},
        }
        for name, y in (("left", 0.2), ("right", -0.2))
    }
    model = model_of({"linear_actuators": entries}, urdf)
    state = model.compute(model.zero_position())
    halves = [*state.linear_actuator_effort.values()]
    assert halves == pytest.approx([0.5 * state.actuator_effort[0]] * 2)
    limit = model.actuator_limits()[0]
    assert (limit.effort, limit.velocity) == pytest.approx((200.0, 0.5))
    assert (limit.lower, limit.upper) == (0.6, 0.8)


def test_limits_of_an_inverted_pair_are_those_of_its_branch() -> None:
    entries = pair(effort_limit=10.0)["linear_actuators"]
    zero = model_of({"linear_actuators": entries}).zero_position()[0]
    entries["left"].update(branch="inverted", length_limits=[0.9 * zero, 1.05 * zero])
    model = model_of({"linear_actuators": entries})
    limits = []
    for length in np.linspace(0.9 * zero, 1.05 * zero, 2000):
        state = model.compute([length, 0.2])
        limits.append(10.0 * state.actuator_effort[0] / state.linear_actuator_effort["right"])
    expected = float(np.abs(limits).min())
    assert model.actuator_limits()[0].effort == pytest.approx(expected, rel=1e-3)


def test_states_of_many_positions_have_the_values_of_single_ones() -> None:
    model = model_of(pair())
    x = model.zero_position() + np.outer(np.arange(4), [0.01, 0.1])
    many = model.compute(x, np.ones((4, 2)))
    for k in range(4):
        one = model.compute(x[k], np.ones(2))
        for name in ("left", "right"):
            for what in ("length", "velocity", "effort"):
                found = getattr(many, f"linear_actuator_{what}")[name][k]
                assert found == getattr(one, f"linear_actuator_{what}")[name]


def test_a_shared_cylinder_may_have_mass() -> None:
    entries = pair(barrel=BARREL, rod=ROD)
    model = model_of(entries)
    assert model.position_names == ("left", "b", "right_swing", "right_lean", "right_stroke")
    swapped = {k: entries["linear_actuators"][k] for k in ("right", "left")}
    other = model_of({"linear_actuators": swapped})
    state, second = (m.compute(m.zero_position()) for m in (model, other))
    own, of_other = state.linear_actuator_effort, second.linear_actuator_effort
    for name in ("left", "right"):
        assert own[name] == pytest.approx(of_other[name], rel=1e-9)


def test_an_ankle_of_two_cylinders_balances_its_foot() -> None:
    """Virtual work by differences, without mass of the cylinders."""
    names = {"left": 0.1, "right": -0.1}
    entries = {
        name: {
            "joints": ["a", "b"],
            **{"base_body": "base", "base_point": [0.4, y, -0.2]},
            **{"tip_body": "hand", "tip_point": [0.3, y, 0.2]},
        }
        for name, y in names.items()
    }
    model, tree = model_of({"linear_actuators": entries}), model_of({})
    assert model.actuator_names == ("left", "right")
    state = model.compute(model.zero_position())
    q, step = np.array([state.joint_position[k] for k in range(2)]), 1e-6

    def lengths(q: Floats) -> Floats:
        at = tree.kinematics(q)
        (p, R), base = at.frame("hand"), at.frame("base")[0]
        tips = [p + R @ entries[name]["tip_point"] for name in names]
        return np.array(
            [np.linalg.norm(tip - base - entries[n]["base_point"])
             for tip, n in zip(tips, names, strict=True)]
        )  # fmt: skip

    J = np.column_stack(
        [(lengths(q + step * e) - lengths(q - step * e)) / (2.0 * step) for e in np.eye(2)]
    )
    torque = tree.compute(q).actuator_effort
    np.testing.assert_allclose(J.T @ state.actuator_effort, torque, atol=1e-6)


def test_names_of_groups_and_settings_stay_those_of_the_actuator() -> None:
    entry = {"joints": ["a", "b"], **pins("base", "hand"), "length_limits": [0.2, 0.9]}
    model = model_of(
        {
            "linear_actuators": {"c": entry},
            "joint_groups": {"all": ["a", "b"]},
            "friction": {"c": {"viscous": 2.0, "coulomb": 1.0}},
            "rotors": {"c": {"inertia": 1e-3, "gear_ratio": 50.0}},
            "rest_pose": {"c": 0.5, "b": 0.1},
        }
    )
    assert model.mechanisms.joint_groups == {"all": ("a", "c")}
    assert model.effort_units == ("N m", "N")
    limit = model.actuator_limits()[1]
    assert (limit.lower, limit.upper) == (0.2, 0.9)
    rest = model.rest_position()
    assert rest[model.position_names.index("c")] == 0.5
    assert rest[model.position_names.index("b")] == 0.1


def test_moved_pins_move_the_links() -> None:
    """A model of the changed description of a model, as studies make them."""
    entry = {"joint": "a", **pins("base", "arm"), "barrel": BARREL}
    model = model_of({"linear_actuators": {"c": entry}})
    (part,) = model.mechanisms.linear_actuators
    moved = {**entry, "base_point": [0.35, 0.0, -0.3]}
    expected = model_of({"linear_actuators": {"c": moved}})
    part = replace(part, base_point=(0.35, 0.0, -0.3))
    changed = replace(model.mechanisms, linear_actuators=(part,))
    again = Model(model.tree, changed)
    states = [m.compute(m.zero_position()) for m in (expected, again)]
    assert states[0].actuator_effort.tolist() == states[1].actuator_effort.tolist()
    assert again.velocity_names == expected.velocity_names


def test_worlds_have_these_cylinders(tmp_path: Any) -> None:
    (tmp_path / "r.urdf").write_text(urdf_of(("revolute", "revolute")))
    entries = {
        "c": {"joints": ["a", "b"], **pins("base", "hand"), "barrel": BARREL},
    }
    (tmp_path / "r.yaml").write_text(json.dumps({"linear_actuators": entries}))
    world = world_of(
        f"entities: {{one: {{urdf: {tmp_path}/r.urdf, mechanisms: {tmp_path}/r.yaml}}}}"
    )
    assert "one/c" in world.model.actuator_names
    alone = model_of({"linear_actuators": entries})
    found = world.model.compute(world.position).actuator_effort
    np.testing.assert_allclose(found, alone.compute(alone.zero_position()).actuator_effort)


def test_energy_is_balanced_in_a_simulation() -> None:
    entries = {
        "c": {"joint": "a", **pins("base", "arm"), "barrel": BARREL, "rod": ROD},
        "d": {"joint": "a", **pins("base", "arm", 5)},
    }
    model = model_of({"linear_actuators": entries})
    start = model.zero_position()
    hold = model.compute(start).actuator_effort
    run = simulate(model, start, np.zeros(len(start)), 0.2, 0.9 * hold)
    assert np.abs(run.energy.error).max() < 1e-6


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (pair(share=1.0)["linear_actuators"], ["add up to less than 1", "'left', 'right'", "omit"]),
        (
            {k: {**e, "share": 0.6} for k, e in pair()["linear_actuators"].items()},
            ["joint 'a'", "add up to 1", "got 1.2", "omit share"],
        ),
        (pair(share=0.0)["linear_actuators"], ["right.share", "0"]),
        ({"c": pins("base", "arm")}, ["'c'", "expected joint or joints", "neither"]),
        (
            {"c": {"joint": "a", "joints": ["a", "b"], **pins("base", "arm")}},
            ["expected joint or joints", "both"],
        ),
        ({"c": {"joints": ["a", "a"], **pins("base", "arm")}}, ["two joints", "'a' twice"]),
        (
            {"c": {"joints": ["a", "bb"], **pins("base", "hand")}},
            ["'bb' is no independent", "did you mean 'b'"],
        ),
        (
            {"c": {"joints": ["a", "d"], **pins("base", "hand")}},
            ["'a' and 'd' are not adjacent", "is the parent of the other", "prismatic joint"],
        ),
        (
            {"c": {"joints": ["a", "b"], **pins("base", "arm")}},
            ["one pin before joint 'a' and one behind 'b'", "got 'base' and 'arm'"],
        ),
        (
            {k: {"joints": ["a", "b"], **pins("base", "hand", k)} for k in (1, 2, 3)},
            ["'1' moves 'b'", "'2' moves 'a'", "by two at most"],
        ),
        ({"c": {"joints": ["a", "b"], **pins("base", "hand"), "share": 0.5}}, ["share", "two"]),
        (
            {"c": {"joint": "a", **pins("base", "arm"), "rod": {"mass": 1.0}}},
            ["c.rod", "'center' is a required"],
        ),
        (
            {"c": {"joint": "a", **pins("base", "arm"), "rod": {"mass": -1.0, "center": 0.0}}},
            ["c.rod.mass", "-1"],
        ),
        (
            {"arm": {"joint": "a", **pins("base", "arm"), "rod": ROD},
             "arm_c": {"joint": "d", **pins("hand", "tool"), "rod": ROD},
             "tool": {"joint": "a", **pins("base", "arm"), "barrel": BARREL}},
            ["'tool_barrel' has the name of another"],
        ),
        (
            {
                "left": {"joint": "a", **pins("base", "arm"), "length_limits": [0.5, 0.8]},
                "right": {"joint": "a", **pins("base", "arm", 5), "length_limits": [0.7, 0.71]},
            },
            ["'right'", "contain those of 'left'", "0.7 to 0.71", "Narrow"],
        ),
    ],
)  # fmt: skip
def test_refused(entries: dict[Any, Any], words: list[str]) -> None:
    more = (
        '<link name="tool"/><link name="tool_barrel"/>'
        '<joint name="d" type="revolute"><parent link="hand"/><child link="tool"/>'
        '<origin xyz="0.1 0 0"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="1" effort="9" velocity="9"/></joint>'
        '<joint name="e" type="fixed"><parent link="tool"/><child link="tool_barrel"/></joint>'
    )
    named = {str(name): entry for name, entry in entries.items()}
    with pytest.raises(ModelFileError) as refused:
        model_of({"linear_actuators": named}, urdf_of(("revolute", "revolute"), more))
    for word in words:
        assert word in str(refused.value)


def test_friction_of_a_shared_actuator_is_refused() -> None:
    mechanisms = {**pair(), "friction": {"right": {"viscous": 1.0, "coulomb": 0.0}}}
    with pytest.raises(ModelFileError, match=r"shares the load.*'left'.*sum of all"):
        model_of(mechanisms)
