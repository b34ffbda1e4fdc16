"""Serialised messages (CDR), read and written in place.

In reading order:

- ``stamps``: times in messages.
- ``samples``: one message's worth of values, checked.
- ``joint_states``: joint states, walked through once and then read in place.
- ``transform_layout``: the frames that a message with transforms tells about.
- ``cdr``: templates, messages whose numbers are changed in place.
- ``scatter``: numbers into the bytes of templates.
"""
