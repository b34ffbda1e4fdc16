# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Results of studies.

In reading order:

- ``table``: all candidates, as Parquet and xarray.
- ``winners``: the files of the best robots, and the report.
- ``pictures``: fronts, sensitivities, before and after.
"""
