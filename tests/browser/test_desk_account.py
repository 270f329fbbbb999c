"""What everybody does with their own account: the password, and the second factor."""

from playwright.sync_api import Locator, expect

from handrail.accounts.qr import drawn
from tests.browser.desk import Desk
from tests.browser.desk_records import ME
from tests.browser.desk_site import PASSWORD


def account(desk: Desk) -> Locator:
    return desk.page.locator(".card").filter(has=desk.page.get_by_role("heading", name="Your account"))


def dialog(desk: Desk) -> Locator:
    return desk.page.get_by_role("dialog")


def test_code_is_asked_for_once_the_password_is_right(desk: Desk) -> None:
    desk.site.code = "123456"
    desk.visit()
    expect(desk.page.get_by_label("Code")).to_be_hidden()
    desk.page.get_by_label("E-mail").fill(str(ME["email"]))
    desk.page.get_by_label("Password").fill(PASSWORD)
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_label("Code")).to_be_focused()
    expect(desk.page.get_by_role("alert")).to_have_text(
        "Enter the code from your authenticator app, or a recovery code."
    )

    desk.page.keyboard.type("000000\n")
    expect(desk.page.get_by_role("alert")).to_contain_text("This code is wrong")
    expect(desk.page.get_by_label("Code")).to_be_focused()
    desk.page.keyboard.type("123456\n")

    expect(desk.page.get_by_role("navigation", name="Pages")).to_be_visible()


def test_second_factor_is_set_up_confirmed_and_turned_off(desk: Desk) -> None:
    desk.sign_in("#/settings")
    account(desk).get_by_role("button", name="Set up").click()
    dialog(desk).get_by_label("Current password").fill("guess")
    desk.page.keyboard.press("Enter")
    expect(dialog(desk).get_by_role("alert")).to_contain_text("password is wrong")
    dialog(desk).get_by_label("Current password").fill(PASSWORD)
    desk.page.keyboard.press("Enter")

    expect(dialog(desk)).to_contain_text("JBSW Y3DP EHPK 3PXP")
    modules, path = drawn("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP")
    code = dialog(desk).get_by_role("img", name="QR code for an authenticator app")
    expect(code).to_have_attribute("viewBox", f"0 0 {modules} {modules}")
    expect(code.locator("path")).to_have_attribute("d", path)
    assert (box := code.bounding_box()) and box["width"] == box["height"] == 200
    expect(dialog(desk).get_by_label("Code", exact=True)).to_be_focused()
    dialog(desk).get_by_label("Code", exact=True).fill("000000")
    desk.page.keyboard.press("Enter")
    expect(dialog(desk).get_by_role("alert")).to_have_text("The code is wrong.")
    expect(account(desk)).to_contain_text("You sign in with your password only.")
    dialog(desk).get_by_label("Code", exact=True).fill("123456")
    desk.page.keyboard.press("Enter")
    expect(dialog(desk)).to_contain_text("aaaaa-bbbbb-ccccc-ddddd")
    dialog(desk).get_by_role("button", name="I’ve saved them").click()

    expect(account(desk)).to_contain_text("2 recovery codes are left")
    account(desk).get_by_role("button", name="Turn off").click()
    dialog(desk).get_by_label("Current password").fill(PASSWORD)
    dialog(desk).get_by_label("Code", exact=True).fill("123456")
    desk.page.keyboard.press("Enter")
    expect(account(desk).get_by_role("button", name="Set up")).to_be_visible()
    assert desk.site.writes[-1] == ("account/second-factor/off", {"password": PASSWORD, "code": "123456"})


def test_own_password_is_changed(desk: Desk) -> None:
    desk.sign_in("#/settings")
    account(desk).get_by_role("button", name="Change password").click()
    dialog(desk).get_by_label("Current password").fill(PASSWORD)
    dialog(desk).get_by_label("New password").fill("another long password")
    desk.page.keyboard.press("Enter")

    expect(desk.notice).to_have_text("Your password has changed. Other sessions have ended.")
    assert desk.site.writes[-1] == ("account/password", {"password": PASSWORD, "new": "another long password"})


def test_whoever_has_no_second_factor_is_led_to_set_one_up_where_it_is_required(desk: Desk) -> None:
    desk.site.factor_required = True
    desk.visit()
    desk.page.get_by_label("E-mail").fill(str(ME["email"]))
    desk.page.get_by_label("Password").fill(PASSWORD)
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_role("heading", name="Set up a second factor")).to_be_visible()
    expect(desk.page.get_by_role("navigation", name="Pages")).to_have_count(0)

    desk.page.get_by_role("button", name="Set up").click()
    dialog(desk).get_by_label("Current password").fill(PASSWORD)
    desk.page.keyboard.press("Enter")
    dialog(desk).get_by_label("Code", exact=True).fill("123456")
    desk.page.keyboard.press("Enter")
    dialog(desk).get_by_role("button", name="I’ve saved them").click()

    expect(desk.page.get_by_role("navigation", name="Pages")).to_be_visible()


def test_an_administrator_changes_roles_and_disables_accounts_of_others(desk: Desk) -> None:
    desk.site.role = "admin"
    desk.sign_in("#/settings")
    users = desk.page.locator(".card").filter(has=desk.page.get_by_role("heading", name="Users"))
    expect(users.get_by_role("button", name="Change Mira")).to_have_count(0)
    users.get_by_role("button", name="Change Ayla").click()
    dialog(desk).get_by_label("Role").select_option("lead")
    dialog(desk).get_by_label("Access").select_option("no")
    dialog(desk).get_by_role("button", name="Save").click()

    expect(users.get_by_role("listitem").filter(has_text="Ayla")).to_contain_text("Disabled")
    assert desk.site.writes[-1] == ("users/u2", {"role": "lead", "active": False})
