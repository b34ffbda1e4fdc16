"""From the bytes of inputs to the bytes of outputs, cycle by cycle; knows no ROS.

In reading order:

- ``wire``: serialised messages, read and written in place.
- ``estimation``: newest values, velocities and accelerations, efforts from outside.
- ``ordering``: lengths before the joints of the same moment.
- ``pipeline``: from samples to computed cycles.
- ``backlog``: what to do with several samples that wait.
- ``monitors``: counters of what came in and what the cycles cost.
- ``loads``: payloads and wrenches that are known at a time.
- ``measured``: measured efforts held against those of the model.
- ``bridge``: a robot's own messages as joint states and actuator lengths.
"""
