"""The claim check: its labelled pairs, and the trees over their signals."""
