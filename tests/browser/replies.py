"""Replies as the contract has them, one for each routing, found by a keyword in the question."""

import copy
from typing import Any

Json = dict[str, Any]

HELP = "https://help.tillwick.example"

CONFIG: Json = {
    "widget_id": "demo",
    "brand": {"name": "Tillwick", "assistant": "Tillwick assistant", "accent": "#0b6e5f"},
    "lang": "en",
    "disclosure": "You are chatting with an AI assistant. "
    "It answers from Tillwick's help articles and can make mistakes.",
    "welcome": "Hi! Ask me anything about Tillwick.",
    "suggestions": [
        "How do I connect my own domain?",
        "How are deposits for bookings refunded?",
        "What does the Studio plan include?",
    ],
    "topics": ["Bookings", "Website", "Domains", "Store", "Payments", "Plans and billing"],
    "person": {"available": True, "expectation": "A person replies within one working day."},
    "limits": {"max_question_chars": 4000},
    "link_hosts": ["help.tillwick.example"],
    "strings": {},
}

CONNECT: Json = {
    "index": 1,
    "id": "domains:connect/2",
    "title": "Connect a domain you own",
    "url": f"{HELP}/domains/connect#records",
    "excerpt": "Add an **A** record for `@` with the value `203.0.113.20`, and a **CNAME** record for `www` "
    "that points to `sites.tillwick.example`. Changes usually take less than two hours, and at most 48.",
    "score": 0.93,
    "support": "supported",
}
CERTIFICATE: Json = {
    "index": 2,
    "id": "domains:certificate/0",
    "title": "Certificates for your domain",
    "url": f"{HELP}/domains/certificate",
    "excerpt": "Once the records are found, Tillwick asks for a TLS certificate. It is ready within an hour.",
    "score": 0.81,
    "support": "supported",
}
CANCEL: Json = {
    "index": 1,
    "id": "billing:cancel/1",
    "title": "Cancel or pause your plan",
    "url": f"{HELP}/billing/cancel",
    "excerpt": "You can cancel at any time. The plan stays until the end of the paid period, "
    "then the account moves to Free.",
    "score": 0.9,
    "support": "supported",
}


def source(citation: Json) -> Json:
    return {"title": citation["title"], "url": citation["url"]}


def reply(routing: str, answer: str, **changes: Any) -> Json:
    """A complete response of POST /ask."""
    full: Json = {
        "answer": answer,
        "routing": routing,
        "refused": False,
        "refusal_reason": None,
        "disclaimer": None,
        "citations": [],
        "sources": [],
        "suggestions": [],
        "escalation": {"offer": "none", "reason": None},
        "confidence": 0.9,
        "conversation_id": "c-1",
        "turn_id": "t-1",
        "trace_id": "tr-1",
        "meta": {"provider": "extractive", "model": None},
    }
    full.update(changes)
    return full


REPLIES: dict[str, Json] = {
    "domain": reply(
        "answered",
        "Connect it by records, so that your e-mail keeps working [1]:\n\n"
        "1. Open **Settings** and choose **Domains**.\n2. Add an A record for `@` with the value `203.0.113.20` [1].\n"
        "3. Add a CNAME record for `www` that points to `sites.tillwick.example` [1].\n\n"
        "The certificate is ready within an hour after that [2].",
        citations=[CONNECT, CERTIFICATE],
        sources=[source(CONNECT), source(CERTIFICATE), {"title": "A third article", "url": f"{HELP}/third"}],
        suggestions=["How long does DNS take?", "What happens to my e-mail?"],
    ),
    "deposit": reply(
        "partially_answered",
        "A refund goes back to the card it came from and takes 5 to 10 business days [1].",
        citations=[{**CANCEL, "title": "Refund a customer", "url": f"{HELP}/payments/refund"}],
        sources=[{"title": "Refund a customer", "url": f"{HELP}/payments/refund"}, source(CANCEL)],
        escalation={"offer": "link", "reason": "partly_answered"},
    ),
    "maybe": reply(
        "low_confidence",
        "Waitlists seem to work for group classes [1]. See [the article](https://help.tillwick.example/waitlist).",
        disclaimer="I am not sure this fits your question. Please check it before you rely on it.",
        citations=[CONNECT],
        sources=[source(CONNECT)],
    ),
    "calendar": reply(
        "followup",
        "Do you mean the calendar in Tillwick, or one that you sync with it?",
        refused=True,
        refusal_reason="no_relevant_context",
        suggestions=["The calendar in Tillwick", "Google Calendar", "Outlook"],
    ),
    "fax": reply(
        "cannot_answer",
        "The help articles do not say whether invoices can be sent by fax.",
        refused=True,
        refusal_reason="low_evidence",
        escalation={"offer": "button", "reason": "low_evidence"},
    ),
    "furious": reply(
        "high_stakes",
        "I am sorry that you were charged twice. That should not have happened, and a person should look at it.\n\n"
        "You can cancel at any time; the plan stays until the end of the paid period [1].",
        citations=[CANCEL],
        sources=[source(CANCEL)],
        escalation={"offer": "button", "reason": "billing_dispute"},
    ),
    "lawyer": reply(
        "out_of_scope",
        "I cannot give legal advice. Someone on the team can tell you whom to ask.",
        refused=True,
        refusal_reason="policy",
        escalation={"offer": "button", "reason": "policy"},
    ),
    "weather": reply(
        "irrelevant",
        "I only know about Tillwick. Here is what I can help with:",
        refused=True,
        refusal_reason="off_topic",
    ),
    "asdf": reply(
        "nonsense",
        "I could not make out a question there. Here is what I can help with:",
        refused=True,
        refusal_reason="no_intent",
    ),
    "owned": reply("handed_off", "Ayla from Tillwick support has this conversation and will reply here or by e-mail."),
    "down": reply(
        "unavailable",
        "I cannot look things up at the moment. You can try again later, or leave a message for the team.",
        refused=True,
        refusal_reason="provider_unavailable",
        escalation={"offer": "button", "reason": "provider_unavailable"},
    ),
    "novel": reply("a_routing_from_the_future", "A plain answer, whatever the **routing** is called."),
}


def reply_to(question: str) -> Json:
    """The reply whose keyword is in the question; else an echo, so that any Markdown can be shown."""
    for keyword, found in REPLIES.items():
        if keyword in question.lower():
            return copy.deepcopy(found)
    return reply("answered", question)
