"""The desk under a strict policy, before a server that keeps the desk's contract in memory."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from api.middleware.headers import SecurityHeaders
from handrail.accounts.qr import drawn
from tests.browser import desk_reports
from tests.browser.contract_site import FRONTEND
from tests.browser.desk_records import ME, Json
from tests.browser.desk_state import DeskSite

COOKIE = "desk"
CSRF = "csrf-1"
PASSWORD = "correct horse battery"
HELP = "https://help.tillwick.example"


def _error(status: int, code: str, message: str = "", **more: Any) -> Response:
    return JSONResponse({"error": {"code": code, "message": message, **more}}, status)


def _user(site: DeskSite) -> Json:
    return {**ME, "role": site.role}


def _session(site: DeskSite) -> Json:
    return {"user": _user(site), "csrf": CSRF, "second_factor_missing": site.factor_required and not site.code}


class Endpoints:
    def __init__(self, site: DeskSite) -> None:
        self.site = site

    async def guard(self, request: Request) -> Response | None:
        """Why the request is refused, if it is; a write is kept."""
        site, path = self.site, request.url.path.removeprefix("/desk/api/")
        if path == "sign-in" and site.refuse.get(path) == 429:
            return _error(429, "rate_limited", retry_after_s=90)
        if site.down:
            return Response(status_code=502)
        if path not in ("sign-in", "ways") and request.cookies.get(COOKIE) != "yes":
            return _error(401, "unauthorized")
        if path != "sign-in" and request.method != "GET" and request.headers.get("X-CSRF-Token") != CSRF:
            return _error(403, "csrf")
        if request.method != "GET":
            raw = await request.body()
            site.writes.append((path, json.loads(raw) if raw else {}))
        for end, status in site.refuse.items():
            if path.endswith(end):
                return _error(status, "refused")
        return None

    async def sign_in(self, request: Request) -> Response:
        body = await request.json()
        code = body.pop("code", None)
        if body != {"email": ME["email"], "password": PASSWORD}:
            return _error(401, "wrong_password")
        if self.site.code and code != self.site.code:
            return _error(401, "wrong_code" if code else "code_needed")
        response = JSONResponse(_session(self.site))
        response.set_cookie(COOKIE, "yes", httponly=True, samesite="strict")
        return response

    async def account(self, request: Request) -> Response:
        """Sets up a second factor whose code is always the same; the password is the one that signs in."""
        site, what = self.site, request.path_params.get("what", "")
        body = await request.json() if request.method == "POST" else {}
        if "password" in body and body["password"] != PASSWORD:
            return _error(403, "wrong_password")
        if what == "second-factor":
            uri = "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"
            size, path = drawn(uri)
            given = {"secret": "JBSWY3DPEHPK3PXP", "uri": uri, "qr": {"size": size, "path": path}}
            return JSONResponse(given, 201)
        if what == "second-factor/confirm":
            if body["code"] != "123456":
                return _error(422, "wrong_code", "The code is wrong.")
            site.code = body["code"]
            return JSONResponse({"recovery": ["aaaaa-bbbbb-ccccc-ddddd", "eeeee-fffff-ggggg-hhhhh"]})
        if what == "second-factor/off":
            site.code = ""
            return Response(status_code=204)
        if what == "password":
            return JSONResponse({"user": _user(site), "csrf": CSRF})
        return JSONResponse({"password": True, "second_factor": bool(site.code), "recovery_left": 2})

    async def ways(self, _request: Request) -> Response:
        return JSONResponse(self.site.ways)

    async def sign_out(self, _request: Request) -> Response:
        response = Response(status_code=204)
        response.delete_cookie(COOKIE)
        return response

    async def me(self, _request: Request) -> Response:
        return JSONResponse(_session(self.site))

    async def listed(self, request: Request) -> Response:
        query = request.query_params
        items = [kept["item"] for kept in self.site.conversations.values()]
        counts = {
            "queued": sum(item["state"] == "queued" for item in items),
            "mine": sum(item["state"] == "person" and item["owner"] == {"id": "u1", "name": "Mira"} for item in items),
            "person": sum(item["state"] == "person" for item in items),
            "worth": sum(bool(item["concern"]) and item["state"] in ("bot", "handed_back") for item in items),
            "resolved": sum(item["state"] == "resolved" for item in items),
        }
        for name in ("state", "label", "reason", "lang"):
            if query.get(name):
                items = [item for item in items if item[name] == query[name]]
        if query.get("worth"):
            items = [item for item in items if item["concern"] and item["state"] in ("bot", "handed_back")]
        owner = {"me": "u1", "none": None}.get(query.get("owner", ""), query.get("owner"))
        if query.get("owner"):
            items = [item for item in items if (item["owner"] or {}).get("id") == owner]
        if query.get("q"):
            items = [item for item in items if query["q"].lower() in json.dumps(item).lower()]
        items = sorted(items, key=lambda item: -item["updated_at"])
        if query.get("sort") != "updated":
            items = sorted(
                items, key=lambda item: (item["queued_at"] or 0) if item["state"] == "queued" else float("inf")
            )
        first, size = int(query.get("cursor") or 0), int(query.get("limit") or 50)
        end = first + size
        return JSONResponse(
            {"items": items[first:end], "next": str(end) if end < len(items) else None, "counts": counts}
        )

    async def one(self, request: Request) -> Response:
        kept = self.site.conversations.get(request.path_params["id"])
        if kept is None:
            return _error(404, "unknown")
        return JSONResponse({"conversation": kept["item"], **{name: kept[name] for name in kept if name != "item"}})

    async def act(self, request: Request) -> Response:
        id_, action = request.path_params["id"], request.path_params["action"]
        site, body = self.site, await request.json()
        kept = site.conversations[id_]
        item = kept["item"]
        if action in ("take", "hand-back", "resolve", "transfer"):
            if body["version"] != item["version"]:
                return _error(409, "taken", owner=item["owner"] and {"id": item["owner"]["id"]})
            owner = {"id": "u1", "name": "Mira"} if action == "take" else None
            if action == "transfer":
                owner = next(
                    {"id": one["id"], "name": one["name"]} for one in site.people if one["id"] == body["user_id"]
                )
            state = {"hand-back": "handed_back", "resolve": "resolved"}.get(action, "person")
            site.say(id_, "system", f"{action} by Mira", kind="event")
            return JSONResponse(site.change(id_, state=state, owner=owner, resolve_cause=body.get("cause")))
        if action == "reply":
            if item["owner"] != {"id": "u1", "name": "Mira"}:
                return _error(409, "taken", owner=item["owner"] and {"id": item["owner"]["id"]})
            found = next((one for one in kept["messages"] if one["id"] == body["id"]), None)
            made = found or site.say(id_, "agent", body["text"], id=body["id"], user_id="u1", name="Mira")
            return JSONResponse(made, 201)
        if action == "note":
            made = {
                "id": f"n{len(kept['notes']) + 1}",
                "user_id": "u1",
                "name": "Mira",
                "text": body["text"],
                "at": time.time(),
            }
            kept["notes"].append(made)
            return JSONResponse(made, 201)
        if action == "draft":
            citation = {"index": 1, "title": "Cancel or pause your plan", "url": f"{HELP}/billing/cancel"}
            return JSONResponse({"text": "You can cancel at any time [1].", "citations": [citation]})
        if action == "read":
            item["unread"] = 0
        return Response(status_code=204)

    async def similar(self, _request: Request) -> Response:
        one = {
            "id": "old",
            "subject": "Cancelled by mistake",
            "resolve_cause": "fixed",
            "last_text": "All good now",
            "score": 0.8,
        }
        return JSONResponse({"items": [one]})

    async def plain(self, request: Request) -> Response:
        site, path = self.site, request.url.path.removeprefix("/desk/api/")
        if path == "users":
            if request.method == "POST":
                body = await request.json()
                site.people.append({"id": f"u{len(site.people) + 1}", "online": False, **body})
            return JSONResponse({"items": site.people})
        if path.startswith("users/"):
            changed = await request.json()
            site.people = [{**one, **changed} if path.endswith(one["id"]) else one for one in site.people]
            return JSONResponse({})
        if path == "presence":
            return Response(status_code=204)
        if path in ("pause", "resume"):
            if request.method == "POST":
                site.paused = {"since": time.time(), "by": "Mira"} if path == "pause" else None
                site.tell("pause", paused=site.paused)
            return JSONResponse({"paused": site.paused})
        if path == "now":
            return JSONResponse(desk_reports.NOW)
        if path.startswith("reports/"):
            return JSONResponse(desk_reports.REPORTS[path.removeprefix("reports/")])
        return JSONResponse({"items": {"gaps": desk_reports.GAPS, "drafts": desk_reports.DRAFTS}.get(path, [])})

    async def cases(self, request: Request) -> Response:
        site, id_ = self.site, request.path_params.get("id")
        if id_ is not None:
            change = await request.json()
            site.cases = [{**one, **change} if one["id"] == id_ else one for one in site.cases]
            return JSONResponse(next(one for one in site.cases if one["id"] == id_))
        status = request.query_params.get("status")
        return JSONResponse({"items": [one for one in site.cases if one["status"] == status]})

    async def grades(self, request: Request) -> Response:
        site = self.site
        if request.method == "PUT":
            one = next(one for one in site.grades if one["turn_id"] == request.path_params["id"])
            one["grades"]["person"] = await request.json()
            return Response(status_code=204)
        day = request.query_params.get("day") or desk_reports.DAYS[-2]
        items = site.grades if day == desk_reports.DAYS[-2] else []
        return JSONResponse({"day": day, "items": items, "fall": site.fall})

    async def letters(self, request: Request) -> Response:
        site, id_ = self.site, request.path_params.get("id")
        if request.method == "GET":
            state = request.query_params.get("state")
            return JSONResponse({"items": [one for one in site.letters if one["state"] == state]})
        dead = [one for one in site.letters if one["state"] == "dead" and id_ in (None, one["id"])]
        for letter in dead:
            letter["state"] = "waiting"
        return JSONResponse({"due": len(dead)})

    async def visitor(self, request: Request) -> Response:
        found = self.site.visitors
        name = request.path_params["name"]
        if request.method == "DELETE":
            return JSONResponse({"deleted": found.pop(name, 0)})
        return JSONResponse({"visitor": name, "conversations": [{}] * found.get(name, 0)})

    async def audit(self, request: Request) -> Response:
        wanted = request.query_params.get("action")
        return JSONResponse({"items": [one for one in desk_reports.AUDIT if wanted in (None, one["action"])]})

    async def draft(self, request: Request) -> Response:
        return JSONResponse({**desk_reports.DRAFTS[0], **await request.json(), "machine_made": False})

    async def approve(self, request: Request) -> Response:
        return JSONResponse({"id": request.path_params["id"], "status": "approved"})

    async def canned(self, request: Request) -> Response:
        site, id_ = self.site, request.path_params.get("id")
        if request.method == "POST":
            site.canned.append({"id": f"k{len(site.canned) + 1}", **await request.json()})
        if request.method == "PUT":
            site.canned = [{**one, **await request.json()} if one["id"] == id_ else one for one in site.canned]
        if request.method == "DELETE":
            site.canned = [one for one in site.canned if one["id"] != id_]
        return JSONResponse({"items": site.canned})

    async def events(self, _request: Request) -> Response:
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self.site.loop = asyncio.get_running_loop()
        self.site.listeners.append(queue)

        async def stream() -> AsyncIterator[str]:
            try:
                yield "retry: 200\n: open\n\n"
                while (text := await queue.get()) is not None:
                    yield text
            finally:
                self.site.listeners = [one for one in self.site.listeners if one is not queue]

        return StreamingResponse(stream(), media_type="text/event-stream")


def build_app(site: DeskSite) -> Starlette:
    endpoints = Endpoints(site)

    def route(path: str, work: Callable[[Request], Any], *methods: str) -> Route:
        async def guarded(request: Request) -> Response:
            refusal = await endpoints.guard(request)
            answer: Response = refusal if refusal is not None else await work(request)
            return answer

        return Route(f"/desk/api/{path}", guarded, methods=list(methods or ("GET",)))

    async def config(_request: Request) -> Response:
        return JSONResponse({"brand": {"name": "Tillwick"}})

    async def ready(_request: Request) -> Response:
        status = "degraded" if site.degraded else "ok"
        return JSONResponse({"ready": True, "status": status, "degraded": site.degraded, "checks": {}})

    return Starlette(
        middleware=[Middleware(SecurityHeaders)],
        routes=[
            Route("/config", config),
            Route("/ready", ready),
            route("sign-in", endpoints.sign_in, "POST"),
            route("ways", endpoints.ways),
            route("sign-out", endpoints.sign_out, "POST"),
            route("me", endpoints.me),
            route("account", endpoints.account),
            route("account/{what:path}", endpoints.account, "POST"),
            route("events", endpoints.events),
            route("conversations", endpoints.listed),
            route("conversations/{id}", endpoints.one),
            route("conversations/{id}/similar", endpoints.similar),
            route("conversations/{id}/{action}", endpoints.act, "POST"),
            route("canned", endpoints.canned, "GET", "POST"),
            route("canned/{id}", endpoints.canned, "PUT", "DELETE"),
            route("cases", endpoints.cases),
            route("cases/{id}", endpoints.cases, "PUT"),
            route("grades", endpoints.grades),
            route("grades/{id}", endpoints.grades, "PUT"),
            route("letters", endpoints.letters),
            route("letters/retry", endpoints.letters, "POST"),
            route("letters/{id}/retry", endpoints.letters, "POST"),
            route("visitors/{name}", endpoints.visitor, "DELETE"),
            route("visitors/{name}/export", endpoints.visitor),
            route("audit", endpoints.audit),
            route("drafts/{id}", endpoints.draft, "PUT"),
            route("drafts/{id}/approve", endpoints.approve, "POST"),
            route("{path:path}", endpoints.plain, "GET", "POST", "PUT"),
            Mount("/desk", StaticFiles(directory=FRONTEND / "desk/dist", html=True)),
        ],
    )


class _Server(uvicorn.Server):
    def install_signal_handlers(self) -> None:
        """Signals belong to pytest; this server runs beside it in a thread."""


@contextmanager
def serve_desk_site() -> Iterator[DeskSite]:
    site = DeskSite()
    server = _Server(uvicorn.Config(build_app(site), host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("The desk site did not start.")
        time.sleep(0.01)
    address: Any = server.servers[0].sockets[0].getsockname()
    site.url = f"http://127.0.0.1:{address[1]}"
    yield site
    site.cut()
    server.should_exit = True
    thread.join(timeout=5)
