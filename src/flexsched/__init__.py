"""flexsched."""
