"""Small weights and the places they can come from: a wheel in a folder, a server that answers as the Hub does."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from handrail.models.manifest import File, Hub, ModelSpec, Wheel

FILES = {"model.onnx": b"weights " * 1000, "tokenizer.json": b"{}"}
HUB = Hub(repository="acme/tiny", revision="abc123", folder="onnx")
WHEEL = Wheel(package="tiny-weights", version="1.0", folder="tiny_weights/data")


def spec(hub: Hub | None = None, wheel: Wheel | None = None) -> ModelSpec:
    files = {name: File(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data)) for name, data in FILES.items()}
    return ModelSpec(
        name="tiny", kind="embedder", title="Tiny", licence="MIT", files=files, dimensions=4, hub=hub, wheel=wheel
    )


def build_wheel(folder: Path, files: Mapping[str, bytes] = FILES) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tiny_weights-1.0-py3-none-any.whl"
    info = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"{WHEEL.folder}/{name}", data)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def hub_server(folder: Path, files: Mapping[str, bytes] = FILES) -> Iterator[str]:
    """Serves `files` at the addresses of the Hub; gives its endpoint."""
    place = folder / HUB.repository / "resolve" / HUB.revision / HUB.folder
    place.mkdir(parents=True)
    for name, data in files.items():
        (place / name).write_bytes(data)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()
