"""Turns as server-sent events in the AI SDK's UI message stream, version 1."""
