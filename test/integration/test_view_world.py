# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A simulated world in the live view: its entities and contacts, seen by a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import COMMAND, Viewer, differing, open_browser
from graph import Checker
from view_process import free_port, start_view

from charmie_dynamics.live import topics
from charmie_dynamics.live.wire.messages import transforms
from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.ros.outputs.markers import SceneMarkers
from charmie_dynamics.ros.outputs.profiles import make_publisher
from charmie_dynamics.ros.outputs.shape_markers import ShapeMarkers
from charmie_dynamics.simulation import Plant, world_of
from charmie_dynamics.visual.scene import Shape, contact_parts
from charmie_dynamics.visual.scene.entities import entity_shapes
from charmie_dynamics.visual.shapes.appearance import first_appearance

pytestmark = pytest.mark.skipif(
    not COMMAND, reason="no browser: CHARMIE_BROWSER names the command of a Chromium"
)

BOX = """
contacts: {default: {normal: hooke, stiffness: 1.0e5, friction: coulomb, kinetic: 0.5}}
entities:
  ground: {shape: plane}
  box: {shape: box, size: [0.4, 0.3, 0.2], mass: 2.0, pose: [0, 0, 0.09995, 0, 0, 0]}
"""
LAYERS = ("entities", "contacts", "contact_points", "friction_cones")
SIZE, LENGTH = 5.0, 0.1  # N, m
VISIBLE = 8  # blocks, at least, of each layer


class Simulated:
    """Publishes what a simulator would of a box on a floor."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        world = world_of(BOX)
        plant = Plant(world.model, world.position, contacts=world.contacts)
        self.parts = contact_parts(plant.contacts, frame="world", size=SIZE, length=LENGTH)
        self.shapes = entity_shapes(world.model, world.entities.values())
        self._markers = ShapeMarkers("", 0.0)
        node = checker.node
        self._publishers: dict[topics.Topic, Any] = {
            topic: make_publisher(node, topic)
            for topic in (topics.TF, topics.ENTITY_MARKERS, topics.CONTACT_MARKERS, topics.MARKERS)
        }

    def send(self, topic: topics.Topic, template: Template) -> None:
        """Publish when somebody listens."""
        publisher = self._publishers[topic]
        self._checker.wait_for(lambda: publisher.get_subscription_count() > 0, topic.name)
        publisher.publish(bytes(template))

    def put_box(self, x: float) -> None:
        frames = transforms([("world", "ground"), ("world", "box")])
        frames.float64[frames.places("translation")] = ((0.0, 0.0, 0.0), (x, 0.0, 0.1))
        frames.float64[frames.places("rotation")] = (0.0, 0.0, 0.0, 1.0)
        self.send(topics.TF, frames)

    def send_contacts(self, parts: list[Shape]) -> None:
        self.send(topics.CONTACT_MARKERS, self._markers.write(0, parts))

    def send_shapes(self, topic: topics.Topic, shapes: list[Shape]) -> None:
        self.send(topic, SceneMarkers(shapes, "", 0.0).write(0, first_appearance(shapes)))


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    number = free_port()
    with start_view(folder, "--port", str(number)):
        yield number


@pytest.fixture(scope="module")
def simulated() -> Iterator[Simulated]:
    with Checker((), name="simulated") as checker:
        yield Simulated(checker)


@pytest.fixture(scope="module")
def viewer(port: int, simulated: Simulated) -> Iterator[Viewer]:
    with open_browser() as browser:
        viewer = Viewer(browser, port)
        viewer.wait_for_text("waiting for markers")
        viewer.dismiss_notes()
        viewer.switch("shadows")
        simulated.put_box(0.0)
        simulated.send_shapes(topics.ENTITY_MARKERS, simulated.shapes)
        simulated.send_contacts(simulated.parts)
        for name in LAYERS:
            viewer.wait_for_text(name)
        viewer.steady_scene()
        viewer.switch("follow robot")  # the camera stays as it is from now on
        yield viewer


@pytest.fixture(scope="module")
def shown(viewer: Viewer) -> np.ndarray:
    return viewer.steady_scene()


def test_the_view_waits_for_the_robot(viewer: Viewer) -> None:
    assert "waiting for markers" in viewer.text()


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_is_seen_and_can_be_hidden(
    viewer: Viewer, shown: np.ndarray, layer: str
) -> None:
    viewer.switch(layer)
    without = viewer.steady_scene()
    viewer.switch(layer)
    assert differing(viewer.steady_scene(), shown) < VISIBLE < differing(without, shown)


def test_the_colours_of_cones_are_explained(viewer: Viewer, shown: np.ndarray) -> None:
    assert "friction cone, far from slipping" in viewer.text()


def test_contacts_that_are_over_vanish(
    viewer: Viewer, simulated: Simulated, shown: np.ndarray
) -> None:
    simulated.send_contacts([])
    viewer.wait_for(lambda: differing(viewer.scene(), shown) > VISIBLE, "contacts to vanish")
    simulated.send_contacts(simulated.parts)
    viewer.wait_for(lambda: differing(viewer.scene(), shown) < VISIBLE, "contacts to return")


def test_entities_go_where_their_frames_go(
    viewer: Viewer, simulated: Simulated, shown: np.ndarray
) -> None:
    simulated.put_box(0.1)
    viewer.wait_for(lambda: differing(viewer.scene(), shown) > VISIBLE, "the box to move")
    simulated.put_box(0.0)
    viewer.wait_for(lambda: differing(viewer.scene(), shown) < VISIBLE, "the box to return")


def test_the_same_namespace_of_another_topic_replaces_nothing(
    viewer: Viewer, simulated: Simulated, shown: np.ndarray
) -> None:
    ball = Shape("entities", 0, "sphere", "box", (0.0, 0.0, 0.15), scale=(0.1, 0.1, 0.1))
    simulated.send_shapes(topics.MARKERS, [ball])
    both = viewer.steady_scene()
    viewer.switch("entities")
    without = viewer.steady_scene()
    viewer.switch("entities")
    assert differing(both, without) > VISIBLE


def test_the_page_has_no_errors(viewer: Viewer, shown: np.ndarray) -> None:
    assert viewer.errors == []
