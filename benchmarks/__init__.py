"""What evalkit costs, as ratios measured in one run: `python -m benchmarks`."""
