"""Long runs of the node under good input with faults mixed in; ``scripts/soak`` runs them."""
