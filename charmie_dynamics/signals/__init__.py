"""From stamped samples to aligned positions, velocities and accelerations; knows no ROS."""
