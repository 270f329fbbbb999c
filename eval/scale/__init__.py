"""How large a knowledge base may be: `python -m eval.scale --help`."""
