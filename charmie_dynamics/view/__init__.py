# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A live view in the browser, from the topics of the dynamics node. Needs viser.

In reading order:

- ``options``: the options of charmie_view.
- ``node``: charmie_view, the node.
- ``page``: the web server with its scene and panel.
- ``panel``: the panel next to the scene.
- ``layer``: the markers of one topic.
- ``messages``: read serialised messages in place.
- ``poses``: poses of frames, from the transforms between them.
- ``batches``: markers as a few nodes of a browser scene.
- ``solids``: meshes of unit size.
- ``stage``: the scene of the robot.
- ``camera``: the camera, which keeps the whole robot in view.
- ``history``: the efforts of the last seconds.
- ``robot``: actuators, units and doubtful parts of a URDF.
"""
