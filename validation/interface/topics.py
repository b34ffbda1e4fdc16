# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the topics, from the table of outputs in the package, and of the service."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.topics import Qos, Topic
from charmie_dynamics.live.tracked_points import mechanisms_of
from charmie_dynamics.simulation.session import topics as simulated

from .cells import code, table_of

HEADINGS = ("topic", "type", "content", "quality of service")


def incoming() -> str:
    """Return the table of topics that the dynamics node subscribes to."""
    return table_of(HEADINGS, _rows(_inputs()))


def outgoing() -> str:
    """Return the table of topics that it publishes."""
    inputs = _inputs()
    return table_of(HEADINGS, _rows([t for t in outputs.every_topic().values() if t not in inputs]))


def simulator_incoming() -> str:
    """Return the table of topics that the simulator reads."""
    return table_of(HEADINGS, _rows((*simulated.READ, topics.EXTERNAL_WRENCH)))


def simulator_outgoing() -> str:
    """Return the table of topics that the simulator publishes."""
    return table_of(HEADINGS, _rows(simulated.PUBLISHED))


def simulator_services() -> str:
    """Return the table of the services and the action of the simulator."""
    from charmie_dynamics.ros.simulator.reference import SERVICES

    rows = [
        (code(name), kind.replace("/srv/", "/").replace("/action/", "/"), text)
        for name, (kind, text) in SERVICES.items()
    ]
    return table_of(("service or action", "type", "content"), rows)


def of_controller() -> str:
    """Return the table of topics of the controller."""
    from charmie_dynamics.ros.controller.topics import COMMANDED_EFFORTS, trajectory_topic

    return table_of(HEADINGS, _rows((COMMANDED_EFFORTS, trajectory_topic("GROUP"))))


def controller_actions() -> str:
    """Return the table of the actions and services of the controller."""
    from charmie_dynamics.ros.controller.topics import ACTIONS

    rows = [(code(name), kind, text) for name, kind, text in ACTIONS]
    return table_of(("action or service", "type", "content"), rows)


def policy_outgoing() -> str:
    """Return the table of topics that the policy node publishes."""
    from charmie_dynamics.ros.nodes.policy_node import COMMANDS, SUCCESS

    return table_of(HEADINGS, _rows((COMMANDS, SUCCESS)))


def _inputs() -> tuple[Topic, ...]:
    return (*topics.INPUTS, *topics.requests(mechanisms_of().payload_links))


def _rows(every: list[Topic] | tuple[Topic, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each content; topics of the same content share one."""
    first = {topic.content: place for place, topic in reversed(list(enumerate(every)))}
    alike = sorted(every, key=lambda topic: first[topic.content])
    for content, group in groupby(alike, key=lambda topic: topic.content):
        same = list(group)
        services = dict.fromkeys(_quality(topic.qos) for topic in same)
        names = ", ".join(code(topic.name) for topic in same)
        yield names, same[0].type.replace("/msg/", "/"), content, "; ".join(services)


def _quality(qos: Qos) -> str:
    reliability = "reliable" if qos.reliable else "best effort"
    return f"{reliability}, transient local" if qos.latched else f"{reliability}, {qos.depth}"


def service() -> str:
    """Return the table of the service."""
    from charmie_dynamics.ros.inputs import payload_service

    kind = payload_service.TYPE.replace("/srv/", "/")
    row = (code(payload_service.NAME), kind, payload_service.CONTENT)
    return table_of(("service", "type", "content"), [row])
