"""Two prompts, models or settings on the same rows: which is better, and whether it may be released."""
