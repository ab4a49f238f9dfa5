"""How fast and how big flexsched is, beside its targets: ``python -m benchmarks``."""
