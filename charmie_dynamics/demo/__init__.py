"""The demo: nodes and recorder on a real ROS 2 graph, then a table and pictures of the bag.

In reading order:

- ``run``: the main program; starts and ends the processes.
- ``check``: the check of the recorded bag.
- ``report``: the table and the pictures.
- ``launch_file``: a runner of launch files.
"""
