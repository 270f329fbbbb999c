"""Responses that are files: their type is in the description, too."""

from fastapi import Response


class Csv(Response):
    media_type = "text/csv; charset=utf-8; header=present"


class JsonLines(Response):
    media_type = "application/jsonl; charset=utf-8"
