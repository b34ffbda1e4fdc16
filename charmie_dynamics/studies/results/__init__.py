# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What studies have found.

In reading order:

- ``table``: all candidates, as Parquet and xarray.
- ``winners``: the robots' files, and the report.
- ``pictures``: fronts, sensitivities, before and after.
"""
