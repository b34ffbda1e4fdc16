"""What this package costs, beside others and on the wire. Not installed."""
