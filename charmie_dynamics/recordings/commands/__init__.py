# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The commands that work on recordings.

- ``options``, ``staging``, ``one_recording``, ``analyze``: charmie_analyze.
- ``bag_options``: the options of the next two.
- ``plot_options``, ``plot``: charmie_plot.
- ``render_options``, ``render``: charmie_render.
"""
