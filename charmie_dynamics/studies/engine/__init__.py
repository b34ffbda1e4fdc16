# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where studies are computed.

In reading order:

- ``tasks``: the parts of a study that can be computed anywhere.
- ``versions``: which code computes.
- ``journal``: what has been computed.
- ``engine``: one task after the other, in this process.
- ``dask_engine``: by the workers of dask.
- ``methods``: which tasks a method consists of.
"""
