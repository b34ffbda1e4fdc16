# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compare what `wire_player` sends in its two namespaces, and print the result as JSON.

A process of its own, so that it can run on another middleware than the tests.
"""

from __future__ import annotations

import json
from typing import Any

import rclpy
from graph import OUTPUTS, TYPES, Checker, qos_of, stamp_of

CYCLES = 6


def main() -> None:
    received: dict[tuple[str, str], dict[int, Any]] = {}
    with Checker() as checker:

        def listen(name: str, topic: str) -> None:
            messages = received[name, topic] = {}
            checker.node.create_subscription(
                TYPES[topic],
                f"/{name}/{topic.lstrip('/')}",
                lambda message: messages.update({stamp_of(message): message}),
                qos_of(topic),
            )

        for topic in OUTPUTS:
            listen("template", topic)
            listen("ordinary", topic)

        def common(topic: str) -> set[int]:
            return received["template", topic].keys() & received["ordinary", topic].keys()

        checker.wait_for(
            lambda: all(len(common(topic)) >= CYCLES for topic in OUTPUTS),
            f"{CYCLES} cycles on all topics",
        )
        result = {}
        for topic in OUTPUTS:
            stamps = common(topic)
            different = [
                stamp
                for stamp in sorted(stamps)
                if received["template", topic][stamp] != received["ordinary", topic][stamp]
            ]
            result[topic] = {"compared": len(stamps), "different": different}
    print(json.dumps(result))


if __name__ == "__main__":
    try:
        main()
    finally:
        rclpy.try_shutdown()
