"""A live view in the browser, from the topics of the dynamics node."""
