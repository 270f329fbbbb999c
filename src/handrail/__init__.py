"""Handrail: a customer-support assistant that answers from help articles and shows its evidence."""

import os

# Products of matrices are small here, and texts are worked on side by side: a second thread for each waits more than it
# works, most of all on a busy machine. NumPy reads this when it is imported; what the operator sets wins.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
