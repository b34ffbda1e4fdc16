"""Recordings of all kinds.

In reading order:

- ``bag``: a rosbag2, topic by topic.
- ``joint_state_cdr``: recorded joint states, decoded.
- ``received``: samples and loads in the order in which they were recorded.
- ``load_topics``: what a bag tells of loads.
- ``recorded_bag``: the inputs of a robot in a bag, whole or damaged.
- ``salvage``: what can still be read of a damaged bag.
- ``columns``, ``tabular``: tables, and the file that says what their columns mean.
- ``ordering``: samples in the order in which the node takes them in.
- ``recording``: a recorded motion as arrays over time.
- ``transforms``: poses of frames.
- ``robots``: the model of the robot that a bag was recorded from.
"""
