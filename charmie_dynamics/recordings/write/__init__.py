# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Results as bags, tables, charts and reports.

In reading order:

- ``bag_writer``: a bag on topics of the table.
- ``output_bag``: the messages of computed cycles in a bag.
- ``export``: tables.
- ``charts``, ``measured_chart``, ``contact_chart``: charts.
- ``report``: the text that charmie_analyze prints.
- ``friction_file``: identified friction, for a mechanisms file.
"""
