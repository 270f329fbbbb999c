"""What the local classifier head is trained on, and how."""
