"""What a user of the desk is asked for after the password, and their own account."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyotp
import pytest
from sqlalchemy import text
from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from handrail.accounts.passwords import hash_password
from handrail.accounts.second_factor import STEP_S, SecondFactors
from handrail.cli.app import app
from handrail.cli.desk import with_database
from handrail.records.database import Database, open_database
from handrail.records.people import People
from handrail.records.second_factors import SecondFactorRecords
from tests.api.conftest import Serve
from tests.api.live import serving
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.clock import Clock

pytestmark = pytest.mark.usefixtures("each_database")

PASSWORD = "correct horse battery"
OTHER = "another long password"
ADA = "ada@example.com"
Post = Callable[..., Any]


@pytest.fixture
def client(tmp_path: Path, serve: Serve) -> TestClient:
    async def add(database: Database) -> None:
        for name in ("ada", "bob"):
            await People(database, "default").add(
                f"{name}@example.com", name.title(), "agent", await hash_password(PASSWORD), 1.0
            )

    with_database(settings_in(tmp_path), add)
    return serve()


def sign_in(client: TestClient, password: str = PASSWORD, email: str = ADA, **more: str) -> Any:
    client.cookies.clear()
    return client.post("/desk/api/sign-in", json={"email": email, "password": password, **more})


def code_of(client: TestClient, **more: str) -> str:
    """What signing in comes to."""
    answer = sign_in(client, **more)
    return "in" if answer.status_code == 200 else str(answer.json()["error"]["code"])


def account(client: TestClient, **more: str) -> Post:
    """Sends what a signed-in user does with the account."""
    csrf = sign_in(client, **more).json()["csrf"]

    def post(path: str, **body: str) -> Any:
        return client.post(f"/desk/api/account/{path}", json=body, headers={"X-CSRF-Token": csrf})

    return post


def set_up(client: TestClient, clock: Clock) -> tuple[pyotp.TOTP, list[str]]:
    """The app and the recovery codes of somebody who has turned it on; the code that confirmed it is used up."""
    post = account(client)
    app = pyotp.parse_uri(post("second-factor", password=PASSWORD).json()["uri"])
    assert isinstance(app, pyotp.TOTP)
    codes = post("second-factor/confirm", code=app.at(int(clock.now))).json()["recovery"]
    clock.now += STEP_S
    return app, codes


def test_code_is_asked_for_after_the_password(client: TestClient, clock: Clock) -> None:
    app, _ = set_up(client, clock)

    assert code_of(client, password="wrong") == "wrong_password"
    assert code_of(client, password="wrong", code=app.at(int(clock.now))) == "wrong_password"
    assert code_of(client) == "code_needed"
    assert "handrail_desk" not in client.cookies
    assert code_of(client, code="000000") == "wrong_code"
    assert code_of(client, code=app.at(int(clock.now))) == "in"
    assert code_of(client, email="bob@example.com") == "in"


def test_nothing_is_asked_for_before_a_code_has_confirmed_the_app(client: TestClient, clock: Clock) -> None:
    post = account(client)
    given = post("second-factor", password=PASSWORD).json()
    refused = post("second-factor/confirm", code="000000")

    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "wrong_code")
    assert code_of(client) == "in"
    assert client.get("/desk/api/account").json() == {"password": True, "second_factor": False, "recovery_left": 0}
    post = account(client)
    assert post("second-factor/confirm", code=pyotp.TOTP(given["secret"]).at(int(clock.now))).status_code == 200
    assert code_of(client) == "code_needed"


def test_code_is_taken_once(client: TestClient, clock: Clock) -> None:
    app, _ = set_up(client, clock)
    code = app.at(int(clock.now))

    assert [code_of(client, code=code) for _ in range(2)] == ["in", "wrong_code"]
    clock.now += STEP_S
    assert code_of(client, code=app.at(int(clock.now))) == "in"
    assert code_of(client, code=app.at(int(clock.now) - STEP_S)) == "wrong_code"


def test_clocks_may_differ_by_half_a_minute(client: TestClient, clock: Clock) -> None:
    app, _ = set_up(client, clock)
    clock.now += 1000

    assert code_of(client, code=app.at(int(clock.now) - 2 * STEP_S)) == "wrong_code"
    assert code_of(client, code=app.at(int(clock.now) - STEP_S)) == "in"
    assert code_of(client, code=app.at(int(clock.now) + STEP_S)) == "in"


def test_recovery_code_lets_in_once(client: TestClient, clock: Clock) -> None:
    _, codes = set_up(client, clock)

    assert len(set(codes)) == 10
    assert [code_of(client, code=codes[0].upper()) for _ in range(2)] == ["in", "wrong_code"]
    assert code_of(client, code=codes[1].replace("-", " ")) == "in"
    assert client.get("/desk/api/account").json()["recovery_left"] == 8


@pytest.mark.anyio
async def test_of_many_sign_ins_with_one_code_at_once_one_gets_in(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)

    async def prepare() -> tuple[str, str]:
        database = await open_database(settings.storage)
        user = await People(database, "default").add(ADA, "Ada", "agent", await hash_password(PASSWORD), 1.0)
        made = await SecondFactors(SecondFactorRecords(database, "default"), "Tillwick", lambda: 0.0).turn_on(user)
        await database.close()
        assert made is not None
        return pyotp.TOTP(made[0].secret).now(), made[1][0]

    code, recovery = await prepare()
    desk = {"sign_in_failures": 100}
    async with (
        serving(tmp_path, ScriptedAssistant(), desk=desk) as here,
        serving(tmp_path, ScriptedAssistant(), desk=desk) as there,
    ):
        for given in (code, recovery):
            body = {"email": ADA, "password": PASSWORD, "code": given}
            sent = ((here, there)[n % 2].post("/desk/api/sign-in", json=body) for n in range(20))
            statuses = Counter(answer.status_code for answer in await asyncio.gather(*sent))
            assert statuses == {200: 1, 401: 19}


def test_wrong_codes_count_like_wrong_passwords(client: TestClient, clock: Clock) -> None:
    app, _ = set_up(client, clock)

    assert [code_of(client, code=f"00000{n}") for n in range(6)] == ["wrong_code"] * 5 + ["rate_limited"]
    assert code_of(client, code=app.at(int(clock.now))) == "rate_limited"
    clock.now += 901
    assert code_of(client, code=app.at(int(clock.now))) == "in"


def test_where_it_is_required_nothing_else_can_be_done_before_it_is_set_up(
    serve: Serve, client: TestClient, clock: Clock
) -> None:
    strict = serve(desk={"second_factor": "required"})
    post = account(strict)
    assert strict.get("/desk/api/me").json()["second_factor_missing"] is True

    refused = set()
    for path in ("conversations", "users", "canned", "now", "reports/overview", "events"):
        answer = strict.get(f"/desk/api/{path}")
        refused.add((answer.status_code, answer.json()["error"]["code"]))
    assert refused == {(403, "second_factor_required")}
    given = post("second-factor", password=PASSWORD).json()
    assert given["qr"]["size"] > 30 and set(given["qr"]["path"]) <= set("Mhvz- 0123456789")
    assert post("second-factor/confirm", code=pyotp.TOTP(given["secret"]).at(int(clock.now))).status_code == 200

    assert strict.get("/desk/api/me").json()["second_factor_missing"] is False
    assert strict.get("/desk/api/conversations").status_code == 200


def test_being_asked_for_a_code_counts_as_no_failure(client: TestClient, clock: Clock) -> None:
    set_up(client, clock)

    assert {code_of(client) for _ in range(10)} == {"code_needed"}


def test_turning_it_off_takes_password_and_code(client: TestClient, clock: Clock) -> None:
    app, codes = set_up(client, clock)
    post = account(client, code=app.at(int(clock.now)))
    off = "second-factor/off"

    assert post(off, password=PASSWORD).json()["error"]["code"] == "code_needed"
    assert post(off, password="wrong", code=codes[0]).json()["error"]["code"] == "wrong_password"
    assert post("second-factor", password=PASSWORD, code=codes[1]).status_code == 409
    assert code_of(client) == "code_needed"
    post = account(client, code=codes[2])
    assert post(off, password=PASSWORD, code=codes[3]).status_code == 204
    assert code_of(client) == "in"


def test_own_password_is_changed_with_the_old_one_and_other_sessions_end(client: TestClient) -> None:
    elsewhere = sign_in(client).cookies["handrail_desk"]
    post = account(client)

    wrong = post("password", password="wrong", new=OTHER)
    short = post("password", password=PASSWORD, new="short")
    changed = post("password", password=PASSWORD, new=OTHER)

    assert (wrong.status_code, short.status_code, changed.status_code) == (403, 422, 200)
    assert client.get("/desk/api/me").json()["csrf"] == changed.json()["csrf"]
    client.cookies.clear()
    assert client.get("/desk/api/me", headers={"Cookie": f"handrail_desk={elsewhere}"}).status_code == 401
    assert code_of(client) == "wrong_password"
    assert code_of(client, password=OTHER) == "in"


def test_passwords_guessed_in_an_open_session_are_counted(client: TestClient) -> None:
    post = account(client)
    tried = [post("password", password=f"guess {n}", new=OTHER).status_code for n in range(7)]

    assert tried == [403] * 5 + [429] * 2


@pytest.mark.anyio
async def test_recovery_codes_are_hashed(tmp_path: Path) -> None:
    database = await open_database(settings_in(tmp_path).storage)
    user = await People(database, "default").add(ADA, "Ada", "agent", "x", 1.0)
    made = await SecondFactors(SecondFactorRecords(database, "default"), "Tillwick", lambda: 0.0).turn_on(user)
    async with database.read_session() as session:
        kept = str((await session.execute(text("SELECT * FROM second_factors WHERE tenant = 'default'"))).all())
    await database.close()

    assert made is not None and made[0].secret in kept
    assert not any(code in kept or code.replace("-", "") in kept for code in made[1])


def handrail(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["desk", "user", "totp", *arguments])


def test_command_turns_it_on_and_off(
    client: TestClient, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", settings_in(tmp_path).storage.database_url or "")

    secret, uri, *codes = handrail(ADA).stdout.split()
    assert pyotp.parse_uri(uri).secret == secret
    assert code_of(client) == "code_needed"
    assert code_of(client, code=pyotp.TOTP(secret).at(int(clock.now))) == "in"
    assert code_of(client, code=codes[-1]) == "in"
    assert handrail(ADA).exit_code != 0
    assert handrail("nobody@example.com").exit_code != 0

    assert handrail(ADA, "--off").exit_code == 0
    assert code_of(client) == "in"
    assert handrail(ADA, "--off").exit_code != 0
