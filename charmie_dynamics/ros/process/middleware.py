# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Configuration of the middleware before it starts."""

from __future__ import annotations

import os
from pathlib import Path

from charmie_dynamics.model.description.files import share_file

from .allocator import keep_little

# Cyclone DDS: a publisher that ends waits for subscriptions which have not confirmed everything,
# each for a second by default. One that hangs or was killed never does, and nine publishers in
# turn keep a node for nine seconds. One that lives confirms within milliseconds.
LINGER = "<Internal><WriterLingerDuration>50ms</WriterLingerDuration></Internal>"
CYCLONE = "CYCLONEDDS_URI"
# Fast DDS: variables that name the user's profiles
PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
PROFILES_HERE = ("DEFAULT_FASTRTPS_PROFILES.xml", "DEFAULT_FASTDDS_PROFILES.xml")
USE_PROFILES = "RMW_FASTRTPS_USE_QOS_FROM_XML"


def configure() -> None:
    """Limit the waiting of publishers for dead peers, and release memory; call before `rclpy.init`.

    The configuration of the user takes precedence: for Cyclone DDS it is later in the list; for
    Fast DDS, which takes one file, it replaces the profiles of this package.
    """
    given = os.environ.get(CYCLONE, "")
    os.environ[CYCLONE] = f"{LINGER},{given}" if given else LINGER
    own = any(name in os.environ for name in (*PROFILES, USE_PROFILES))
    if not own and not any(Path(name).exists() for name in PROFILES_HERE):
        os.environ[PROFILES[0]] = str(share_file("config", "fast_dds.xml"))
        os.environ[USE_PROFILES] = "1"
    keep_little()
