# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""From the bytes of inputs to the bytes of outputs, cycle by cycle; knows no ROS.

In reading order:

- ``wire``: serialised messages, read and written in place.
- ``estimation``: newest values, velocities and accelerations, efforts from outside.
- ``step``: one sample from its bytes to filled messages, in one compiled call.
- ``exceptional_samples``: late samples, dead centres and failed cycles.
- ``ordering``: lengths before joints with the same stamp.
- ``mobile_base``: the moving or inclined base of a cycle, and the forces of the floor.
- ``pipeline``: from samples to computed cycles.
- ``backlog``: treatment of several waiting samples.
- ``loads``: the payloads and wrenches known at a time.
- ``measured``: comparison of measured efforts with those of the model.
- ``floor_contacts``: the points on which the floor acts, as a table.
- ``monitors``: counters of inputs and durations of cycles.
- ``findings``: all warnings and errors of /diagnostics, with their remedies.
- ``settings``: the defaults of estimation and publication.
- ``frame_ids``: checks of frame names.
- ``tracked_points``: points whose motion is published.
- ``topics``: definitions of all topics.
- ``outputs``: the table of outputs: topics, rates and sources of their numbers.
- ``cycle_messages``: the messages of that table, created once and filled in each cycle.
- ``rate_limiter``: selection of cycles for a limited rate.
- ``bridge``: a robot's own messages as joint states and actuator lengths.
"""
