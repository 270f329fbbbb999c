"""Two hundred texts that want to be more than text, and what a page must not have done with them."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Page

RUNS = "window.pwned=1"
VECTORS = (
    f"<script>{RUNS}</script>",
    f"<img src=x onerror={RUNS}>",
    f"<svg/onload={RUNS}>",
    f"<iframe srcdoc='<script>parent.{RUNS}</script>'></iframe>",
    f"<details open ontoggle={RUNS}>",
    f"<input autofocus onfocus={RUNS}>",
    f"<style>@import 'https://evil.example/s.css'</style><b onclick={RUNS}>",
    "<link rel=stylesheet href=https://evil.example/l.css>",
    "<img src=https://evil.example/i.png>",
    "<object data=https://evil.example/o></object>",
    f"<a href=javascript:{RUNS}>press</a>",
    "![pixel](https://evil.example/p.png)",
    f"[press](javascript:{RUNS})",
    f"[press](data:text/html,<script>{RUNS}</script>)",
    f"<math><mtext><script>{RUNS}</script>",
    f"<template><script>{RUNS}</script></template>",
    f"{{{{constructor.constructor('{RUNS}')()}}}}",
)
AROUND = (
    "{}", "**{}**", "`{}`", "```html\n{}\n```", "> {}", "- {}\n- {}", "| a |\n|---|\n| {} |", "# {}", "[{}](https://help.tillwick.example/)",
    '"><{}', "</p></div>{}", "&lt;b&gt;{}",
)  # fmt: skip
TEXTS = [around.replace("{}", vector) for vector in VECTORS for around in AROUND]
ADDRESSES = (
    f"javascript:{RUNS}",
    f"JaVaScript:{RUNS}",
    f"java\tscript:{RUNS}",
    f"data:text/html,<script>{RUNS}</script>",
    f'https://help.tillwick.example/"onmouseover="{RUNS}',
    f"vbscript:{RUNS}",
)
MADE = (
    "[onerror], [onload], [onfocus], [onclick], [ontoggle], [onmouseover], [srcdoc], [src*='evil'], [data*='evil'], "
    "link[href*='evil'], math, template:not([shadowrootmode]), object, iframe, "
    "[href^='javascript' i], [href^='vbscript' i], [href^='data:text' i], [href^='java\tscript' i]"
)
"""What only a text could have made of a page."""
FIND = """made => {
  const found = [], roots = [document];
  for (const root of roots) {
    found.push(...root.querySelectorAll(made));
    for (const one of root.querySelectorAll("*")) if (one.shadowRoot) roots.push(one.shadowRoot);
  }
  return found.map(one => one.outerHTML.slice(0, 200));
}"""


class Watch:
    """Sees what a page runs and asks for, from now on."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.asked: list[str] = []
        self.dialogs: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("dialog", lambda dialog: self.dialogs.append(dialog.message))

    def nothing_happened(self, *own: str) -> None:
        """No script ran, nobody else than those whose addresses begin with `own` was asked, and all texts are texts."""
        assert self._page.evaluate("window.pwned") is None
        assert self.dialogs == []
        assert [url for url in self.asked if not url.startswith(own)] == []
        assert made_of(self._page) == []


def made_of(page: Page) -> Sequence[str]:
    """Elements that a text has made, in the page and in every open shadow root."""
    found: list[str] = page.evaluate(FIND, MADE)
    return found
