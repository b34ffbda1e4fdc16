"""The commands that work on recordings.

- ``options``, ``analyze``: charmie_analyze.
- ``plot``: charmie_plot.
- ``render``: charmie_render.
"""
