"""How results are shown and written: each report a fold over the same results."""
