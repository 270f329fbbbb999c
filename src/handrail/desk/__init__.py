"""What people at the desk see and do: hand-offs, what is sent out, what is learnt from them, and reports."""
