"""What happens around every request, as plain ASGI: ids, the access log, bounds, headers."""
