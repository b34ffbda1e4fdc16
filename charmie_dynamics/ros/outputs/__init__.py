"""What the nodes publish.

In reading order:

- ``topics``: every topic, its type and quality of service.
- ``conversions``: between messages and arrays.
- ``messages``: ordinary messages, made once and filled each cycle.
- ``templates``: serialised ones in their place.
- ``cycle_entries``, ``cycle_messages``: what of a state goes into which message.
- ``markers``: the scene as markers.
- ``measured_outputs``: what measured efforts tell.
- ``thinning``, ``give_way``, ``parts``: rates, turns, caches.
- ``sender``: sending without a copy.
- ``publishers``: all publishers.
- ``diagnostics``: counters as statuses.
"""
