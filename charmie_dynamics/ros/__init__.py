"""The nodes: parameters and topics in, cycles out. Computes nothing itself."""
