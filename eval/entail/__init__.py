"""Training of what tells whether a passage states a claim; see `python -m eval.entail --help`."""
