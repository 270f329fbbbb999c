"""The API reference in a browser."""

from __future__ import annotations

import re

from starlette.testclient import TestClient


def test_reference_names_every_operation_and_field(client: TestClient) -> None:
    response = client.get("/docs")

    assert response.status_code == 200
    for operation in ("POST /ask", "POST /handoff", "GET /config", "GET /health", "GET /ready"):
        assert f"<code>{operation}</code>" in response.text
    for field in ("question", "turn_id", "citations[].excerpt", "meta.classification.label", "transcript[].author"):
        assert f"<code>{field}</code>" in response.text
    assert "partially_answered" in response.text


def test_reference_needs_no_script_and_nothing_from_elsewhere(client: TestClient) -> None:
    page, style = client.get("/docs"), client.get("/docs/reference.css")

    assert "<script" not in page.text
    assert "style=" not in page.text
    assert set(re.findall(r'<link [^>]*href="([^"]+)"', page.text)) == {"docs/reference.css"}
    assert "url(" not in style.text
    assert style.headers["Content-Type"].startswith("text/css")
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
