"""Newest values of all actuators, estimated rates, and what pushes the robot.

In reading order:

- ``records``: what is kept of each actuator.
- ``trackers``: causal estimates of velocity and acceleration, one sample at a time.
- ``differentiate``: the trackers of all actuators.
- ``layouts``: which entries of a message are used, and where they go.
- ``kernels``: what is done with every sample, compiled.
- ``align``: all actuators at one time; what is missing or stale.
- ``friction``: friction of joints.
- ``observer``: efforts from outside, from measured ones.
"""
