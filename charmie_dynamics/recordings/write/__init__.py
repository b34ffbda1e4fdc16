"""Results as bags, tables, charts and reports.

In reading order:

- ``cdr_columns``: many messages of one kind at once, serialised.
- ``output_topics``, ``measured_topics``: the topics of the node, made from computed cycles.
- ``output_bag``: a bag with them.
- ``export``: tables.
- ``charts``, ``measured_chart``: charts.
- ``report``: what charmie_analyze says.
- ``friction_file``: identified friction, for a mechanisms file.
"""
