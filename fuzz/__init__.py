"""Coverage-guided fuzzing of what reads model files and messages; see scripts/fuzz."""
