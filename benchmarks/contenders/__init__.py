"""The same workload, written once for each contender as one of its users would write it."""
