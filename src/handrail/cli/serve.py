"""`handrail serve`: API, widget and demo page on one port."""

from __future__ import annotations

import gc
import socket
from importlib import import_module
from typing import Annotated

import typer

from handrail.accounts.demo import refuse_demo_agent
from handrail.cli import KB, notes, settings_for
from handrail.cli.desk import demo_agent, with_database
from handrail.errors import HandrailError, SettingsError
from handrail.observe import log_format
from handrail.settings import Settings, public

STREAMS_END_S = 3


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on. Default: server.host.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port. 0 picks a free one. Default: server.port.")
    ] = None,
    kb: KB = None,
) -> None:
    """Serve the API, the widget and the demo page until interrupted.

    Exits with code 1 if the knowledge base doesn't exist, or if server.public is set and something isn't ready for
    everybody.
    """
    import uvicorn

    settings = settings_for(kb)
    place = {"host": host or settings.server.host, "port": settings.server.port if port is None else port}
    settings = settings_for(kb, server=place)
    public.check(settings)
    if settings.server.public:
        with_database(settings, refuse_demo_agent)
    _indexed(settings)
    listener = listen(settings.server.host, settings.server.port)
    address = f"http://{settings.server.host}:{listener.getsockname()[1]}"
    # Named by text: the product never imports the HTTP layer.
    hopeless: list[HandrailError] = []

    def end(error: HandrailError) -> None:
        hopeless.append(error)
        server.should_exit = True

    application = import_module("api.app").create_app(settings, hopeless=end)
    notes.print(
        f"Handrail on [bold]{address}[/]  (demo page and widget; API reference at {address}/docs; Ctrl+C stops)"
    )
    if settings.server.demo_mode:
        email, password = demo_agent(settings)
        notes.print(f"Desk on [bold]{address}/desk[/]  (demo agent: {email}, password: [bold]{password}[/])")
    log_format.configure(settings.observe)
    config = uvicorn.Config(
        application,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STREAMS_END_S,  # live streams would keep it running for ever
        http="api.connections:Patient",
        proxy_headers=False,  # `server.trusted_proxies` decides whose word is taken, not uvicorn
    )
    server = uvicorn.Server(config)
    gc.collect()
    gc.freeze()  # what was imported stays: looking through it again and again would hold every stream up
    server.run(sockets=[listener])
    if hopeless:
        raise hopeless[0]


def _indexed(settings: Settings) -> None:
    """Raises KnowledgeError where nothing is on disk to answer from; a server is asked later."""
    from handrail.assembly.index import indexed
    from handrail.stores.store import not_indexed

    if not settings.storage.served_index and not indexed(settings):
        raise not_indexed(settings.knowledge.kb, settings.models.embedder)


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        raise SettingsError(
            f"can't listen on {host}:{port}: {error.strerror}. Choose another port with --port"
        ) from None
    return listener
