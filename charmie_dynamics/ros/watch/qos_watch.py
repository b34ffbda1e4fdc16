# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Endpoints without communication because of an incompatible quality of service.

The middleware reports each endpoint on discovery, with one policy. The graph gives its node, every
incompatible policy and its disappearance.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rclpy.duration import Duration, Infinite
from rclpy.node import Node
from rclpy.qos import (
    QoSCompatibility,
    QoSLivelinessPolicy,
    QoSProfile,
    qos_check_compatible,
    qos_policy_name_from_kind,
)

from charmie_dynamics.live.topics import Topic
from charmie_dynamics.ros.outputs.profiles import qos_profile

try:
    from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
except ImportError:  # its name on Humble
    from rclpy.qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks

# s, for which a policy is reported that is known only from the middleware: the graph may learn of
# the endpoint a little later, and does not contain all policies
MEMORY = 2.0
# policies that a profile may leave open: the open value, and the value in the middleware and the
# graph
OPEN: dict[str, tuple[Any, Any]] = {
    "deadline": (Duration(), Infinite),
    "liveliness": (QoSLivelinessPolicy.SYSTEM_DEFAULT, QoSLivelinessPolicy.AUTOMATIC),
    "liveliness_lease_duration": (Duration(), Infinite),
}
POLICIES = ("reliability", "durability", *OPEN)
# name in the graph of a node of which only the endpoint is known
UNKNOWN = "_NODE_NAME_UNKNOWN_"


def incompatible_policies(offered: QoSProfile, requested: QoSProfile) -> list[str]:
    """Return the names of the policies by which a publisher does not reach a subscription.

    Parameters
    ----------
    offered : QoSProfile
        Of the publisher.
    requested : QoSProfile
        Of the subscription.
    """
    return [name.upper() for name in POLICIES if _is_incompatible(name, offered, requested)]


def _is_incompatible(policy: str, offered: QoSProfile, requested: QoSProfile) -> bool:
    """Whether a policy alone keeps a publisher from reaching a subscription.

    The middleware checks whole profiles and names the policies in sentences alone, so it is queried
    with profiles that contain only this one.
    """
    pair = (QoSProfile(depth=1, **{policy: _taken(policy, p)}) for p in (offered, requested))
    return qos_check_compatible(*pair)[0] == QoSCompatibility.ERROR


def _taken(policy: str, profile: QoSProfile) -> Any:
    """Return a policy of a profile as the middleware takes it."""
    value = getattr(profile, policy)
    left_open, taken = OPEN.get(policy, (None, None))
    return taken if value == left_open else value


@dataclass
class _Suspect:
    """A topic on which the middleware has found an unfit endpoint.

    Attributes
    ----------
    events : set of str
        Policies reported by the middleware, until the graph contains the endpoint.
    found : list of (str, list of str)
        Nodes and policies in the graph.
    """

    topic: Topic
    find: Callable[[], list[tuple[str, list[str]]]]
    last_event: float = 0.0
    events: set[str] = field(default_factory=set)
    found: list[tuple[str, list[str]]] = field(default_factory=list)

    def look(self) -> None:
        """Query the graph."""
        self.found = self.find()
        if self.found:
            self.events.clear()


class QosWatch:
    """Knows the endpoints that are incompatible with those of this node.

    Parameters
    ----------
    node : Node
    on_event : callable
        Called as soon as the middleware reports an endpoint.
    """

    def __init__(self, node: Node, on_event: Callable[[], None]) -> None:
        self.context = node.context
        self._node = node
        self._on_event = on_event
        self._suspects: dict[str, _Suspect] = {}

    def publisher_events(self, topic: Topic) -> PublisherEventCallbacks:
        """Return the event callbacks for the publisher of a topic."""
        find = partial(self._find_subscriptions, topic)
        return PublisherEventCallbacks(incompatible_qos=partial(self._note, topic, find))

    def subscription_events(self, topic: Topic) -> SubscriptionEventCallbacks:
        """Return the event callbacks for the subscription of a topic."""
        find = partial(self._find_publishers, topic)
        return SubscriptionEventCallbacks(incompatible_qos=partial(self._note, topic, find))

    def look(self, now: float) -> None:
        """Query the graph at steady time `now` (s); drop the suspects that have ended."""
        for suspect in list(self._suspects.values()):
            suspect.look()
            if not suspect.found and not (suspect.events and now - suspect.last_event < MEMORY):
                del self._suspects[suspect.topic.name]

    def incompatible(self) -> dict[str, tuple[list[str], list[str]]]:
        """Return for each topic the names of the policies and of the nodes, both sorted.

        Nodes that the graph does not know yet are omitted.
        """
        return {name: _summary(suspect) for name, suspect in sorted(self._suspects.items())}

    def _note(self, topic: Topic, find: Callable[[], Any], event: Any) -> None:
        """Process an event of the middleware."""
        suspect = self._suspects.setdefault(topic.name, _Suspect(topic, find))
        suspect.last_event = time.monotonic()
        suspect.events.add(qos_policy_name_from_kind(event.last_policy_kind))
        suspect.look()
        self._on_event()

    def _find_subscriptions(self, topic: Topic) -> list[tuple[str, list[str]]]:
        """Return the subscriptions that the publisher of a topic does not reach."""
        name = self._node.resolve_topic_name(topic.name)
        return [
            (_full_name(info), policies)
            for info in self._node.get_subscriptions_info_by_topic(name)
            if (policies := incompatible_policies(qos_profile(topic.qos), info.qos_profile))
        ]

    def _find_publishers(self, topic: Topic) -> list[tuple[str, list[str]]]:
        """Return the publishers that do not reach the subscription of a topic."""
        name = self._node.resolve_topic_name(topic.name)
        return [
            (_full_name(info), policies)
            for info in self._node.get_publishers_info_by_topic(name)
            if (policies := incompatible_policies(info.qos_profile, qos_profile(topic.qos)))
        ]


def _summary(suspect: _Suspect) -> tuple[list[str], list[str]]:
    policies = {policy for _, unfit in suspect.found for policy in unfit} or suspect.events
    return sorted(policies), sorted({name for name, _ in suspect.found if UNKNOWN not in name})


def _full_name(info: Any) -> str:
    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"
