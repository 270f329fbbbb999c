"""Decisions: typed questions about a state, answered with probabilities by one model, local or bought.

The abstraction is `pydantic_ai.models.decision`. Here are the questions, the local model behind it, and what decides
whom to ask and what to do when nobody answers. Stages never import this room: assembly hands them what they ask.
"""
