"""What is made from a recording, without ROS: analyses, plots, pictures, films. Needs rosbags."""
