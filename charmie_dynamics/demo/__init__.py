"""The demo: nodes and recorder on a real ROS 2 graph, then a table and pictures of the bag."""
