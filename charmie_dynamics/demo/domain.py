# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The ROS 2 domain of the demo, without other publishers of its topics."""

from __future__ import annotations

import os
import random
import time
from collections import Counter, defaultdict

import rclpy
from rclpy.context import Context

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.outputs import every_topic
from charmie_dynamics.live.topics import DIAGNOSTICS

VARIABLE = "ROS_DOMAIN_ID"
# below are the domains of users and the tests; above, the ports of DDS may be those of other
# connections
DOMAINS = range(51, 102)
LARGEST = 232  # of which DDS has ports
TRIES = 10
DISCOVERY = 2.0  # s
# of each node
COMMON = {"/rosout", "/parameter_events"}
# the nodes that the demo starts
OWN = {"/charmie_dynamics", "/charmie_simulator", "/motion_player", "/recorder"}
UNKNOWN = "_NODE_NAME_UNKNOWN_"  # until the discovery of a node has ended


class OtherPublishersError(CharmieError):
    """Another node publishes topics of the demo."""


def publishers_of(domain: int | None) -> dict[str, set[str]]:
    """Return the publishing nodes of a domain, each with its topics.

    Parameters
    ----------
    domain : int or None
        None: the domain of ``ROS_DOMAIN_ID``.
    """
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    try:
        node = rclpy.create_node("charmie_demo", context=context, enable_rosout=False)
        time.sleep(DISCOVERY)
        domains = defaultdict(set)
        for topic, _ in node.get_topic_names_and_types():
            for info in node.get_publishers_info_by_topic(topic) if topic not in COMMON else ():
                domains[f"{info.node_namespace.rstrip('/')}/{info.node_name}"].add(topic)
        node.destroy_node()
        return dict(domains)
    finally:
        rclpy.shutdown(context=context)


def demo_topics() -> set[str]:
    """Return the names of the topics that the demo publishes."""
    return {f"/{topic.name.lstrip('/')}" for topic in every_topic().values()}


class DomainWatch:
    """A node on the domain of the demo that finds publishers which the demo did not start."""

    def __enter__(self) -> DomainWatch:
        self._context = Context()
        rclpy.init(context=self._context)
        self._node = rclpy.create_node(
            "charmie_demo",
            context=self._context,
            enable_rosout=False,
            start_parameter_services=False,
        )
        self._topics = sorted(demo_topics())
        return self

    def __exit__(self, *_: object) -> None:
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def require_no_others(self) -> None:
        """Compare the publishers of the demo's topics with the nodes of the demo.

        Raises
        ------
        OtherPublishersError
            If another node, or a second node with the name of an own one, publishes such a topic.
        """
        found = defaultdict(set)
        for topic in self._topics:
            infos = self._node.get_publishers_info_by_topic(topic)
            for (name, space), count in Counter(
                (info.node_name, info.node_namespace) for info in infos
            ).items():
                node = f"{space.rstrip('/')}/{name}"
                # a node that compiles its kernels publishes its diagnostics twice
                is_second = count > 1 and topic != DIAGNOSTICS.name
                if name != UNKNOWN and (node not in OWN or is_second):
                    found[node].add(topic)
        if found:
            others = [f"{node} ({', '.join(sorted(topics))})" for node, topics in found.items()]
            raise OtherPublishersError(
                f"{VARIABLE}={os.environ[VARIABLE]}: expected no other publishers of the demo's "
                f"topics, got {'; '.join(sorted(others))}; the demo has ended its nodes: unset "
                f"{VARIABLE}, and the demo selects a free domain"
            )


def select_domain() -> str:
    """Check the domain of ``ROS_DOMAIN_ID``, or set it to a domain without publishers; return it.

    Raises
    ------
    CharmieError
        If the domain is no number of one, a node of it publishes a topic of the demo, or no free
        domain was found.
    """
    if domain := os.environ.get(VARIABLE):
        if not (domain.isascii() and domain.isdecimal() and int(domain) <= LARGEST):
            raise CharmieError(
                f"{VARIABLE}: expected a whole number from 0 to {LARGEST}, got '{domain}'"
            )
        own = demo_topics()
        robot = [
            f"{node} ({', '.join(sorted(topics & own))})"
            for node, topics in publishers_of(None).items()
            if topics & own
        ]
        if robot:
            raise CharmieError(
                f"{VARIABLE}={domain}: expected a domain without publishers of the demo's topics, "
                f"got {'; '.join(sorted(robot))}; end these nodes, or unset {VARIABLE} and the "
                "demo selects a free domain"
            )
        return domain
    for candidate in random.sample(DOMAINS, TRIES):
        if not publishers_of(candidate):
            os.environ[VARIABLE] = str(candidate)
            return os.environ[VARIABLE]
    raise CharmieError(
        f"{VARIABLE}: expected a free domain among {TRIES} of {DOMAINS[0]} to {DOMAINS[-1]}, all "
        f"of them have publishers; set {VARIABLE} to a free domain"
    )
