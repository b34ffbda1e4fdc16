# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""From the bytes of inputs to the bytes of outputs, cycle by cycle; knows no ROS.

In reading order:

- ``wire``: serialised messages, read and written in place.
- ``estimation``: newest values, velocities and accelerations, efforts from outside.
- ``step``: one sample from its bytes to filled messages, in one compiled call.
- ``unusual``: what becomes of a sample that is not as usual.
- ``ordering``: lengths before the joints of the same moment.
- ``pipeline``: from samples to computed cycles.
- ``backlog``: what to do with several samples that wait.
- ``loads``: payloads and wrenches that are known at a time.
- ``measured``: measured efforts held against those of the model.
- ``monitors``: counters of what came in and what the cycles cost.
- ``findings``: all warnings and errors of /diagnostics, with what to do about them.
- ``settings``: the defaults of what is estimated and published.
- ``frame_ids``: whether the frames can be published under these.
- ``tracked_points``: points whose motion is published.
- ``topics``: every topic once.
- ``outputs``: the table of outputs: what is published when, from which numbers.
- ``cycle_messages``: the messages of that table, made once and filled each cycle.
- ``rate_limiter``: some cycles of many.
- ``bridge``: a robot's own messages as joint states and actuator lengths.
"""
