# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Work in parts that can be computed anywhere: in this process, on this machine, on many.

In reading order:

- ``task``: a part of some work, and the work that knows how it is computed.
- ``versions``: which code computes.
- ``journal``: what has been computed.
- ``engine``: one task after the other, in this process.
- ``dask_engine``: by the workers of dask.
- ``options``: options of commands that say where tasks are computed, and their progress bar.
"""
