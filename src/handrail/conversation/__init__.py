"""What lasts longer than a turn: the memory of conversations, and streams that can be resumed."""
