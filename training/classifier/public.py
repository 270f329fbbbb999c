"""Public intent sets, read by path and mapped onto the five labels where the mapping is beyond doubt.

CLINC150 (CC BY 3.0), BANKING77 (CC BY 4.0), Bitext customer intents (CDLA-Sharing 1.0), BIPIA and PurpleLlama
CyberSecEval (MIT). Only weights derived from them ship, never their sentences.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path

from handrail.types import Label
from training.classifier.rows import ANY, Row

SOURCES = {
    "clinc150-oos": "CC BY 3.0",
    "banking77": "CC BY 4.0",
    "bitext-customer-intents": "CDLA-Sharing 1.0",
    "bipia-text-attacks": "MIT",
    "purplellama-cyberseceval": "MIT",
}
BANK, SHOP = "dunholm", "fernmoor"
ELSEWHERE = ("kitchen_and_dining", "auto_and_commute", "utility", "small_talk", "home", "work", "travel")
"""CLINC150 domains that are nobody's help centre, but for the intents below."""
LEFT_OUT = {"greeting", "thank_you", "goodbye", "what_can_i_ask_you", "calendar", "calendar_update", "order_status",
            "order", "are_you_a_bot", "accept_reservations", "cancel_reservation", "confirm_reservation"}  # fmt: skip
BANKING = {
    Label.HIGH_STAKES: """card_payment_not_recognised cash_withdrawal_not_recognised compromised_card
        direct_debit_payment_not_recognised lost_or_stolen_card request_refund terminate_account
        transaction_charged_twice""",
    Label.OUT_OF_SCOPE: "card_arrival Refund_not_showing_up transfer_not_received_by_recipient",
    Label.ANSWERABLE: """activate_my_card age_limit apple_pay_or_google_pay atm_support automatic_top_up
        card_acceptance card_delivery_estimate card_linking change_pin contactless_not_working country_support
        disposable_card_limits edit_personal_details exchange_charge exchange_via_app fiat_currency_support
        get_disposable_virtual_card get_physical_card getting_spare_card getting_virtual_card order_physical_card
        passcode_forgotten pin_blocked receiving_money supported_cards_and_currencies top_up_by_bank_transfer_charge
        top_up_by_card_charge top_up_by_cash_or_cheque top_up_limits transfer_timing unable_to_verify_identity
        verify_my_identity verify_source_of_funds virtual_card_not_working visa_or_mastercard why_verify_identity""",
}
SHOPPING = {
    Label.HIGH_STAKES: "cancel_order delete_account complaint get_refund",
    Label.OUT_OF_SCOPE: "contact_human_agent track_order track_refund",
    Label.ANSWERABLE: """recover_password check_payment_methods delivery_options delivery_period create_account
        check_cancellation_fee check_refund_policy newsletter_subscription registration_problems review
        set_up_shipping_address edit_account""",
}


def public_rows(folder: Path, rng: random.Random) -> Iterator[Row]:
    """A bounded, seeded sample of each set."""
    yield from _clinc(folder / "clinc150-oos", rng)
    yield from _mapped(folder / "banking77" / "train.csv", "text", "category", BANKING, BANK, 14, rng)
    yield from _mapped(folder / "bitext-customer-intents" / "train.csv", "utterance", "intent", SHOPPING, SHOP, 22, rng)
    yield from _attacks(folder, rng)


def _clinc(folder: Path, rng: random.Random) -> Iterator[Row]:
    data = json.loads((folder / "data_full.json").read_text(encoding="utf-8"))
    domains = json.loads((folder / "domains.json").read_text(encoding="utf-8"))
    foreign = [text for split in ("oos_train", "oos_val", "oos_test") for text, _ in data[split]]
    for n, text in enumerate(rng.sample(foreign, 500)):
        yield Row(text, Label.IRRELEVANT, ANY, f"clinc-oos/{n % 8}", 0.4)
    wanted = {intent for domain in ELSEWHERE for intent in domains[domain]} - LEFT_OUT
    by_intent: dict[str, list[str]] = {}
    for text, intent in data["train"]:
        if intent in wanted:
            by_intent.setdefault(intent, []).append(text)
    for intent, texts in sorted(by_intent.items()):
        for text in rng.sample(texts, 7):
            yield Row(text, Label.IRRELEVANT, ANY, f"clinc/{intent}", 0.35)


def _mapped(
    path: Path, text: str, intent: str, labels: dict[Label, str], company: str, each: int, rng: random.Random
) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for label, intents in labels.items():
        for name in intents.split():
            texts = sorted({row[text] for row in rows if row[intent] == name})
            for found in rng.sample(texts, min(each, len(texts))):
                yield Row(found, label, company, f"{path.parent.name}/{name}", 0.3)


def _attacks(folder: Path, rng: random.Random) -> Iterator[Row]:
    tasks = json.loads((folder / "bipia-text-attacks" / "text_attack_train.json").read_text(encoding="utf-8"))
    for name, texts in sorted(tasks.items()):
        for text in texts:
            yield Row(text, Label.IRRELEVANT, ANY, f"bipia/{name}", 0.4)
    injections = json.loads((folder / "purplellama-cyberseceval" / "prompt_injection.json").read_text(encoding="utf-8"))
    short = sorted({row["user_input"] for row in injections if len(row["user_input"]) < 600})
    for n, text in enumerate(rng.sample(short, min(140, len(short)))):
        yield Row(text, Label.IRRELEVANT, ANY, f"purplellama/{n % 8}", 0.5)
    benign = json.loads((folder / "purplellama-cyberseceval" / "mitre_frr.json").read_text(encoding="utf-8"))
    prompts = sorted({row["mutated_prompt"] for row in benign})
    for n, text in enumerate(rng.sample(prompts, 60)):
        yield Row(text, Label.IRRELEVANT, ANY, f"mitre/{n % 8}", 0.3)
