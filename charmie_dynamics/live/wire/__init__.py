# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Serialised messages (CDR), read and written in place.

In reading order:

- ``stamps``: times in messages.
- ``cdr``: the encoding and its reader.
- ``samples``: the checked values of one message.
- ``joint_states``: joint states, parsed once and then read in place.
- ``base_messages``: inertial measurements and odometry.
- ``transform_layout``: the frames of a message with transforms.
- ``templates``: messages that are built once, whose numbers are written in place.
- ``messages``: the messages that are published, field by field.
- ``contact_points``: tables of contact points as point clouds.
- ``scatter``: numbers into the bytes of messages, compiled.
- ``filling``: the locations of these numbers in a block.
"""
