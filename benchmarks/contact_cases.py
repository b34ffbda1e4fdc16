# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots on a floor, and the servo that moves them, the same for every program."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.control import LegDrive, SwedishWheels
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.description.world import WorldDescription, parse_world
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import ContactScene, World

PERIOD = 1e-3  # s, over which efforts are held
DURATION = 2.0  # s; of ATHENA a step of each tripod
LEAST = 1e-3  # N/m: what stiffness of friction there has to be
DAMPING_RATIO = 0.7  # of joints that are held
FREQUENCY = 15.0  # rad/s, likewise
WHEEL_GAIN = 5.0  # N m s/rad
GRAVITY = 9.81  # m/s^2
# of the world file of ATHENA: stiffness of friction by that across the surface under the weight,
# and damping by its root
SCALE_STIFFNESS, SCALE_DAMPING = 1.0, 0.16
SPEED, RAMP = 0.5, 0.5  # m/s, s
CONTACTS = re.compile(r"^contacts:\n(?:  .*\n)+", re.MULTILINE)


class SpringDamper(NamedTuple):
    """A contact: stiffness (N/m), damping (N s/m), coefficient of friction."""

    stiffness: float
    damping: float
    friction: float

    @property
    def text(self) -> str:
        """As a world file says it: friction is a damper up to what slides."""
        return (
            "contacts:\n  default:\n    normal: kelvin_voigt\n"
            f"    stiffness: {self.stiffness!r}\n    damping: {self.damping!r}\n"
            f"    friction: elasto_plastic\n    kinetic: {self.friction!r}\n"
            f"    tangential_stiffness: {LEAST!r}\n    tangential_damping: {self.damping!r}\n"
        )


class Servo(NamedTuple):
    """What is asked of the actuators in each period.

    Attributes
    ----------
    effort, position, velocity : (k, a) array
    kp, kd : (a,) array
    """

    effort: Floats
    position: Floats
    velocity: Floats
    kp: Floats
    kd: Floats

    def at(self, period: int, position: Floats, velocity: Floats) -> Floats:
        """Return the efforts (a,) of a period, by what is measured at its beginning."""
        found: Floats = self.effort[period] + self.kp * (self.position[period] - position)
        found += self.kd * (self.velocity[period] - velocity)
        return found

    def first(self, periods: int) -> Servo:
        """Return the first periods of it."""
        effort, position, velocity = (part[:periods] for part in self[:3])
        return Servo(effort, position, velocity, self.kp, self.kd)


class Case(NamedTuple):
    """A robot on a floor.

    Attributes
    ----------
    name, entity : str
        Of the world file, and of the robot in it.
    own_world, spring_world : World
        With the contacts of its world file, and with `contact`.
    contact : SpringDamper
        As stiff as those of the world file under the weight.
    servo : Servo
    """

    name: str
    entity: str
    own_world: World
    spring_world: World
    contact: SpringDamper
    servo: Servo

    def with_contacts(self, text: str) -> World:
        """Return the world with the contacts of a text."""
        start = self.own_world.position[self.own_world.columns(self.entity, "position")]
        return _world(self.name, self.entity, text, start)


def feet_of(case: Case) -> tuple[float, float]:
    """Return the radius of the feet (m), and the share of the weight of each (N)."""
    radii = [shape.size[0] for shape in case.own_world.contacts.shapes if shape.kind == "sphere"]
    return radii[0], case.own_world.model.total_mass * GRAVITY / len(radii)


def athena() -> Case:
    """Return the hexapod: it stands up to walk, and takes a step with each tripod."""
    model = load_model("athena")
    walk = LeggedWalk(model, "tripod")
    drive = LegDrive(model, walk, kp=0.0, kd=0.0, frequency=0.0, friction=False)
    times = PERIOD * np.arange(round(DURATION / PERIOD), dtype=float)
    motion = walk.sampled(times)
    effort = np.array([drive.loads(float(time)).effort for time in times])
    shape = len(model.actuator_names)
    servo = Servo(
        effort, motion.position, motion.velocity, np.full(shape, 20.0), np.full(shape, 0.5)
    )
    start = walk.whole(0.0)[0]
    return _case("athena", "athena", SpringDamper(1e5, 50.0, 0.6), start, servo)


def charmie() -> Case:
    """Return CHARMIE, which drives off; its wheels have friction in all directions.

    Rollers are left out since MuJoCo has no friction along an axis that moves with the robot; on
    the way forward they do not turn.
    """
    model = load_model("charmie_wheeled")
    world = World(_described("charmie_wheeled", ""))
    start = world.position[world.columns("charmie", "position")]
    start[2] = 0.0  # its wheels touch the floor
    wheels = SwedishWheels(model)
    names = model.actuator_names
    driven = [names.index(name) for name in wheels.joint_names]
    passive = [k for k, name in enumerate(names) if "suspension" in name or "roller" in name]
    mass = np.diag(model.equations(start).mass_matrix)[model.actuator_index]
    kp, kd = mass * FREQUENCY**2, 2.0 * DAMPING_RATIO * FREQUENCY * mass
    kp[driven], kd[driven] = 0.0, WHEEL_GAIN
    kp[passive] = kd[passive] = 0.0
    held = model.compute(start).actuator_effort.copy()
    held[driven] = held[passive] = 0.0
    count = round(DURATION / PERIOD)
    share = np.minimum(1.0, PERIOD * np.arange(count) / RAMP)
    velocity = np.zeros((count, len(names)))
    velocity[:, driven] = share[:, None] * wheels.rates((0.0, SPEED, 0.0))
    at = start[[model.position_names.index(name) for name in names]]
    servo = Servo(np.tile(held, (count, 1)), np.tile(at, (count, 1)), velocity, kp, kd)
    return _case("charmie_wheeled", "charmie", SpringDamper(3.4e5, 770.0, 0.6), start, servo)


CASES: dict[str, Callable[[], Case]] = {"athena": athena, "charmie_wheeled": charmie}


def _described(name: str, contacts: str) -> WorldDescription:
    text = share_file("worlds", f"{name}.yaml").read_text(encoding="utf-8")
    return parse_world(CONTACTS.sub(contacts, text) if contacts else text, name)


def _case(name: str, entity: str, contact: SpringDamper, start: Floats, servo: Servo) -> Case:
    own, spring = (_world(name, entity, text, start) for text in ("", contact.text))
    return Case(name, entity, own, spring, contact, servo)


def _world(name: str, entity: str, contacts: str, start: Floats) -> World:
    description = _described(name, contacts)
    world = World(description, name)
    world.position[world.columns(entity, "position")] = start
    shapes = [replace(shape, u_shape_axle=None) for shape in world.contacts.shapes]
    world.contacts = ContactScene(world.model.flat, shapes, description.contacts)
    return world
