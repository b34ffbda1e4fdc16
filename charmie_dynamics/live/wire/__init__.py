# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Serialised messages (CDR), read and written in place.

In reading order:

- ``stamps``: times in messages.
- ``cdr``: the encoding, and reading it.
- ``samples``: one message's worth of values, checked.
- ``joint_states``: joint states, walked through once and then read in place.
- ``transform_layout``: the frames that a message with transforms tells about.
- ``templates``: messages that are built once, whose numbers are written in place.
- ``messages``: the messages that are published, field by field.
- ``scatter``: numbers into the bytes of messages, compiled.
- ``filling``: where in a block these numbers come from.
"""
