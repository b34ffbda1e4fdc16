# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Work that is divided into tasks, for this process, this machine or several machines.

In reading order:

- ``task``: a task, and the job that executes it.
- ``versions``: optional libraries, and versions of the code.
- ``journal``: stored results.
- ``engine``: execute tasks one by one, in this process.
- ``dask_engine``: execute tasks by workers of dask.
- ``options``: options of commands for the workers, and the progress bar.
"""
