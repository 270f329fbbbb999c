"""Verification: does each passage state the claim that cites it, and in which words?"""
