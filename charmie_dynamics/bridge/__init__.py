"""From a robot's own messages to joint states and actuator lengths. Knows no ROS."""
