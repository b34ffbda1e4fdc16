"""What the middleware has to be told before it starts."""

from __future__ import annotations

import os

# Cyclone DDS: a publisher that ends waits for subscriptions which have not confirmed everything,
# each for a second by default. One that hangs or was killed never does, and nine publishers in
# turn keep a node for nine seconds. One that lives confirms within milliseconds.
LINGER = "<Internal><WriterLingerDuration>50ms</WriterLingerDuration></Internal>"
CONFIGURATION = "CYCLONEDDS_URI"


def end_soon() -> None:
    """Let publishers not wait long for subscriptions that have died; before `rclpy.init`.

    What the user has configured comes later in the list, and so wins.
    """
    given = os.environ.get(CONFIGURATION, "")
    os.environ[CONFIGURATION] = f"{LINGER},{given}" if given else LINGER
