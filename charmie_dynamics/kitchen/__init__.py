# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CHARMIE in the kitchen of `worlds/kitchen.yaml`: a can on a table, and another table.

In reading order:

- ``scene``: names, directions of approach, drives, starts, forbidden contacts.
- ``scripted_grasp``: grip the can and put it on the other table, by a script.
"""
