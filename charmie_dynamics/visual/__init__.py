"""What the robot looks like; knows no ROS.

- ``scene``: what a picture shows, whoever draws it.
- ``pictures``: pictures, films and charts in files.
"""
