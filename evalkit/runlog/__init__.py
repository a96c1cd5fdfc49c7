"""The run log: a run as a file of records that survives anything, and can be gone on with."""
