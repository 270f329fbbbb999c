"""The messages that labels are learnt from."""
