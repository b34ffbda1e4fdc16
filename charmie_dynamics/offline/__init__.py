"""What is made from a recorded bag, without ROS: plots, pictures and films. Needs rosbags."""
