# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of the reference, made from the tables in the code.

``python -m validation.interface`` writes them into the pages of ``docs/reference``, each between
two comments. Those that only ROS 2 can tell are left alone where there is none; ``scripts/docs
--write`` writes all.

In reading order:

- ``document``: a page, and the places of its tables.
- ``topics``: topics and the service.
- ``parameters``: parameters of the nodes.
- ``launch_arguments``: arguments of the launch files.
- ``diagnostics``: statuses, warnings and errors, causes of refusals.
- ``commands``: commands and their options.
- ``mechanisms_file``: keys of a mechanisms file.
- ``world_file``: keys of a world file.
- ``study_file``: keys of a study file.
- ``examples``: the examples.
- ``sections``: which table stands where.
"""
