"""Getting in and out of the desk."""

from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.desk_records import ME
from tests.browser.desk_site import PASSWORD


def test_a_wrong_password_is_explained_and_a_right_one_opens_the_desk(desk: Desk) -> None:
    desk.site.add("c1")
    desk.visit()
    expect(desk.page.get_by_label("E-mail")).to_be_focused()
    desk.page.get_by_label("E-mail").fill(str(ME["email"]))
    desk.page.get_by_label("Password").fill("guess")
    desk.page.get_by_role("button", name="Sign in").click()
    expect(desk.page.get_by_role("alert")).to_have_text("The e-mail or password is wrong.")
    expect(desk.page.get_by_label("Password")).to_be_focused()

    desk.page.get_by_label("Password").fill(PASSWORD)
    desk.page.keyboard.press("Enter")

    expect(desk.rows).to_have_count(1)


def test_too_many_attempts_say_when_to_come_back(desk: Desk) -> None:
    desk.site.refuse["sign-in"] = 429
    desk.visit()
    desk.page.get_by_label("E-mail").fill("a@example.com")
    desk.page.get_by_label("Password").fill("guess")
    desk.page.keyboard.press("Enter")

    expect(desk.page.get_by_role("alert")).to_have_text("Too many attempts. Try again in 1 min.")


def test_a_session_that_ended_goes_back_to_the_sign_in(desk: Desk) -> None:
    desk.site.add("c1")
    desk.sign_in()
    expect(desk.rows).to_have_count(1)
    desk.page.context.clear_cookies()

    desk.rows.first.click()

    expect(desk.page.get_by_role("heading", name="Sign in to the desk")).to_be_visible()


def test_signing_out_leaves_nothing_behind(desk: Desk) -> None:
    desk.site.add("c1")
    desk.sign_in()
    desk.page.get_by_role("button", name="Sign out").click()

    expect(desk.page.get_by_role("heading", name="Sign in to the desk")).to_be_visible()
    expect(desk.rows).to_have_count(0)


def test_only_admins_see_the_users(desk: Desk) -> None:
    desk.site.role = "agent"
    desk.sign_in("#/settings")

    expect(desk.page.get_by_role("heading", name="Canned replies")).to_be_visible()
    expect(desk.page.get_by_role("heading", name="Users")).to_have_count(0)


def test_an_admin_adds_a_user(desk: Desk) -> None:
    desk.sign_in("#/settings")
    desk.page.get_by_role("button", name="New user").click()
    dialog = desk.page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Noor")
    dialog.get_by_label("E-mail").fill("noor@tillwick.example")
    dialog.get_by_label("First password").fill("a long enough one")
    dialog.get_by_role("button", name="Save").click()

    expect(desk.page.locator(".rows").get_by_text("Noor", exact=True)).to_be_visible()
    assert desk.site.written("users")[0]["role"] == "agent"


def test_company_accounts_stand_beside_the_password_or_alone(desk: Desk) -> None:
    desk.site.ways = {"password": True, "oidc": "Sign in with Acme"}
    desk.visit()
    link = desk.page.get_by_role("link", name="Sign in with Acme")
    expect(link).to_have_attribute("href", f"{desk.site.url}/desk/api/oidc/start")
    expect(desk.page.get_by_label("Password")).to_be_visible()

    desk.site.ways["password"] = False
    desk.visit()
    expect(link).to_be_focused()
    expect(desk.page.get_by_label("Password")).to_be_hidden()


def test_why_the_company_sent_somebody_back_is_said_once(desk: Desk) -> None:
    desk.visit("?problem=no_role")
    expect(desk.page.get_by_role("alert")).to_contain_text("has no role at this desk")
    desk.page.reload()

    expect(desk.page.get_by_label("Password")).to_be_visible()
    expect(desk.page.locator(".problem")).to_be_empty()
