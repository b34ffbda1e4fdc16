# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tasks of studies.

In reading order:

- ``study_job``: the tasks of a study, independent of the worker.
- ``methods``: methods as sequences of tasks.
"""
