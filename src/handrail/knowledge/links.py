"""Where a page stands on the site that its generator makes, and the anchors of its headings there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from handrail.text.markdown import ANCHOR_MARK, NEWLINE, OWN_ANCHOR, TAB_MARK, headings, plain, slug

if TYPE_CHECKING:
    from handrail.knowledge.formats import Document

NUMBERED = re.compile(r"^\d+\s*[-_.]+\s*(?=\S)(?!\d)")
"""`02-install`, as Docusaurus orders pages; `2024-05-01` is no such number."""
POST = re.compile(r"^(\d{4})-(\d{2})-(\d{2})-(.+)$")
HEADING = re.compile(r"[ \t]*(#{1,6}[ \t]+)(\S.*?)(?:[ \t]+#+)?[ \t]*$")
INDEX = ("index", "readme")
SAFE = "/:@!$&'()*+,;=-._~"


def address(document: Document, fields: Mapping[str, Any]) -> str:
    """By the rules of the page's site; empty where neither `url_base` nor the site's configuration names a host."""
    site = document.site
    if said := _text(fields, "url"):
        known = said if said.startswith(("http:", "https:")) or site is None or site.generator != "hugo" else ""
        if known:
            return known
    if site is None or site.generator not in RULES:
        return document.url
    base = document.url_base
    # An address that is given is that of the folder that is read, unless that is more than the site's pages.
    whole = site.generator == "jekyll" or not base or site.content.is_relative_to(document.root)
    within = whole and document.path.is_relative_to(site.content)
    relative = document.path.relative_to(site.content) if within else document.relative
    path = RULES[site.generator](PurePosixPath(relative.as_posix()), fields, site.config)
    if not base:
        base = _host(site.generator, site.config)
    elif site.generator == "docusaurus" and document.root == site.root != site.content:
        base += "/" + str(site.config.get("routeBasePath", "docs")).strip("/")
    return f"{base.rstrip('/')}/{quote(path.lstrip('/'), safe=SAFE + '%')}" if base else ""


def page_path(url: str) -> str:
    """Of an address, the same for `/a`, `/a/`, `/a.html` and `/a/index.html`."""
    path = unquote(urlsplit(url).path)
    for end in ("/index.html", "/index.htm", ".html", ".htm"):
        path = path.removesuffix(end)
    return path.rstrip("/").lower() or "/"


def anchored(body: str, generator: str) -> str:
    """With the anchors of headings written down where the site makes others than `slug`, or has made one before."""
    made = MAKERS.get(generator, slug)
    joint = "_" if generator == "mkdocs" else "-"
    used: dict[str, int] = {}

    def named(mark: str, said: str) -> str:
        if said.endswith(TAB_MARK):
            return f"{mark}{said}"
        if own := OWN_ANCHOR.search(said):
            used.setdefault(own[1], 0)
            return f"{mark}{said}"
        words = plain(said)
        anchor = base = made(words)
        while anchor in used:
            used[base] += 1
            anchor = f"{base}{joint}{used[base]}"
        used[anchor] = 0
        return f"{mark}{said}" if anchor == slug(words) or not anchor else f"{mark}{said} {{#{anchor}}}"

    return headings_changed(body, named)


def owned(prose: str) -> str:
    """With anchors that elements name above or in a heading as the heading's own; the others are dropped."""
    if "<a id=" not in prose:
        return prose
    lines: list[str] = []
    last = ""
    for line in NEWLINE.split(prose):
        bare = ANCHOR_MARK.sub("", line)
        last = next(reversed(ANCHOR_MARK.findall(line)), last)
        heading = HEADING.match(bare)
        if heading and last and not OWN_ANCHOR.search(heading[2]) and not heading[2].endswith(TAB_MARK):
            bare = f"{heading[1]}{heading[2]} {{#{last}}}"
        if bare.strip():
            last = ""
        lines.append(bare)
    return "\n".join(lines)


def headings_changed(body: str, changed: Callable[[str, str], str]) -> str:
    """With each heading as `changed` makes it of its mark, such as `## `, and of what it says."""
    lines = NEWLINE.split(body)
    made = [(start, end, changed(f"{'#' * level} ", said)) for start, end, level, said in headings(body) if said]
    for start, end, heading in reversed(made):
        lines[start:end] = [heading]
    return "\n".join(lines)


def anchors(body: str) -> set[str]:
    """Of the headings of an article's body."""
    found: set[str] = set()

    def noted(mark: str, said: str) -> str:
        own = OWN_ANCHOR.search(said)
        found.add(own[1] if own else slug(plain(said)))
        return f"{mark}{said}"

    headings_changed(body, noted)
    return found


def github(heading: str) -> str:
    """github-slugger, which Docusaurus, Starlight and kramdown's GFM follow."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def gitbook(heading: str) -> str:
    """As `github`, but a stop within a word stays: `Rocket.Chat 6.x` is `rocket.chat-6.x`."""
    return re.sub(r"(?<!\w)\.|\.(?!\w)|[^\w\-. ]", "", heading.lower()).replace(" ", "-")


def python_markdown(heading: str) -> str:
    """The `toc` extension of Python-Markdown, which MkDocs has on."""
    ascii_only = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())


def _docusaurus(path: PurePosixPath, fields: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    folders = [NUMBERED.sub("", part) for part in path.parts[:-1]]
    name = NUMBERED.sub("", path.stem)
    own = _text(fields, "slug") or ""
    if own.startswith("/"):
        return own
    if own:
        return urljoin("/".join((*folders, "")), own)
    index = name.lower() in INDEX or (folders[-1:] == [name])
    name = _text(fields, "id") or name
    end = "/" if config.get("trailingSlash") is True else ""
    return "/".join(folders if index else (*folders, name)) + end


def _jekyll(path: PurePosixPath, fields: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    collection = path.parts[0][1:] if path.parts[0].startswith("_") and len(path.parts) > 1 else ""
    collections = config.get("collections")
    rule = collections.get(collection) if isinstance(collections, dict) else None
    pattern = _text(fields, "permalink") or (_text(rule, "permalink") if isinstance(rule, dict) else None)
    pattern = pattern or _default(path, collection, config)
    if pattern is None:
        pattern = {"pretty": "/:collection/:path/", None: "/:collection/:path:output_ext"}.get(
            _text(config, "permalink"), "/:collection/:path:output_ext"
        )
    inner = PurePosixPath(*path.parts[1:]) if collection else path
    name = inner.stem
    post = POST.match(name) if collection == "posts" else None
    values = {"collection": collection, "path": inner.with_suffix("").as_posix(), "output_ext": ".html"}
    values |= {"title": post[4] if post else name, "name": name, "basename": name, "slug": name, "categories": ""}
    if post:
        values |= {"year": post[1], "month": post[2], "day": post[3], "path": post[4], "name": post[4]}
    said = re.sub(r":(\w+)", lambda one: values.get(one[1], one[0]), pattern)
    said = re.sub(r"/{2,}", "/", said)
    return re.sub(r"(^|/)(?:index|README)(?:\.html|/)$", r"\1", said)


def _default(path: PurePosixPath, collection: str, config: Mapping[str, Any]) -> str | None:
    """The permalink that `defaults` of the configuration give a path; the longest scope counts."""
    best, size = None, -1
    for one in config.get("defaults") or [] if isinstance(config.get("defaults"), list) else []:
        scope, values = (one.get("scope") or {}, one.get("values") or {}) if isinstance(one, dict) else ({}, {})
        if not isinstance(scope, dict) or not isinstance(values, dict) or not values.get("permalink"):
            continue
        folder = str(scope.get("path") or "")
        fits = path.as_posix().startswith(folder) and scope.get("type") in (
            None,
            collection,
            "pages" if not collection else "",
        )
        if fits and len(folder) > size:
            best, size = str(values["permalink"]), len(folder)
    return best


def _mkdocs(path: PurePosixPath, fields: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    index = path.stem.lower() in INDEX
    folder = "/".join((*path.parts[:-1], ""))
    if config.get("use_directory_urls") is False:
        return folder + ("index.html" if index else f"{path.stem}.html")
    return folder if index else f"{folder}{path.stem}/"


def _plain_path(path: PurePosixPath, fields: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    return "/".join(path.parts[:-1] if path.stem.lower() in INDEX else (*path.parts[:-1], path.stem))


def _starlight(path: PurePosixPath, fields: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    if own := _text(fields, "slug"):
        return own.strip("/") + "/"
    parts = [github(part) for part in path.with_suffix("").parts]
    parts = parts[:-1] if parts[-1] == "index" else parts
    return "/".join((*parts, "")) if parts else ""


def _hugo(path: PurePosixPath, fields: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    if own := _text(fields, "url"):
        return own
    parts = [part if config.get("disablepathtolower") else part.lower() for part in path.with_suffix("").parts]
    parts = [part.replace(" ", "-") for part in parts]
    parts = parts[1:] if parts[0] == "content" else parts
    parts = _in_language(parts, config)
    parts = parts[:-1] if parts[-1] in ("index", "_index") else [*parts[:-1], _text(fields, "slug") or parts[-1]]
    return "/".join((*parts, "")) if parts else ""


def _in_language(parts: list[str], config: Mapping[str, Any]) -> list[str]:
    """A path of Hugo behind the address of its language, which a folder or the end of the name tells."""
    said = config.get("languages")
    languages = {str(key).lower(): one for key, one in said.items()} if isinstance(said, dict) else {}
    name, dot, ending = parts[-1].rpartition(".")
    lang = ""
    if dot and ending in languages:
        lang, parts = ending, [*parts[:-1], name]
    for key, one in languages.items():
        folder = (
            next((str(one[k]) for k in ("contentDir", "contentdir") if one.get(k)), "") if isinstance(one, dict) else ""
        )
        inner = list(PurePosixPath(folder.lower()).parts)
        inner = inner[1:] if inner[:1] == ["content"] else inner
        if inner and parts[: len(inner)] == inner:
            lang, parts = key, parts[len(inner) :]
            break
    main = str(config.get("defaultcontentlanguage", "en")).lower()
    return [lang, *parts] if lang and (lang != main or config.get("defaultcontentlanguageinsubdir")) else parts


def _vitepress(path: PurePosixPath, fields: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """Without `cleanUrls` an address ends in `.html`."""
    if own := _text(fields, "permalink"):
        return own
    folder = "/".join((*path.parts[:-1], "")) if path.parts[:-1] else ""
    if path.stem.lower() in INDEX:
        return folder
    return f"{folder}{path.stem}" + ("" if config.get("cleanUrls") is True else ".html")


def _nuxt(path: PurePosixPath, fields: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """Nuxt Content: numbers in front of names are their order."""
    if own := _text(fields, "path"):
        return own
    parts = [re.sub(r"^\d+\.", "", part).replace(" ", "-").lower() for part in path.with_suffix("").parts]
    return "/".join(parts[:-1] if parts[-1] == "index" else parts)


def _html(path: PurePosixPath, fields: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    return path.with_suffix(".html").as_posix()


def _host(generator: str, config: Mapping[str, Any]) -> str:
    """What the site's own configuration says that it stands at."""
    if generator == "docusaurus":
        host = _text(config, "url") or ""
        path = f"{str(config.get('baseUrl', '/')).strip('/')}/{str(config.get('routeBasePath', 'docs')).strip('/')}"
        return f"{host.rstrip('/')}/{path.strip('/')}" if host else ""
    if generator == "jekyll":
        host = _text(config, "url") or ""
        return host.rstrip("/") + "/" + (_text(config, "baseurl") or "").strip("/") if host else ""
    return _text(config, {"mkdocs": "site_url", "sphinx": "html_baseurl", "hugo": "baseurl"}.get(generator, "")) or ""


def _text(fields: Mapping[str, Any], key: str) -> str | None:
    said = fields.get(key)
    return said.strip() if isinstance(said, str) and said.strip() else None


RULES: Mapping[str, Callable[[PurePosixPath, Mapping[str, Any], Mapping[str, Any]], str]] = {
    "docusaurus": _docusaurus,
    "jekyll": _jekyll,
    "mkdocs": _mkdocs,
    "gitbook": _plain_path,
    "starlight": _starlight,
    "vitepress": _vitepress,
    "mintlify": _plain_path,
    "nuxt": _nuxt,
    "hugo": _hugo,
    "sphinx": _html,
    "mdbook": _html,
}
MAKERS: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("docusaurus", "jekyll", "starlight", "hugo", "vitepress", "mdbook", "mintlify", "nuxt"), github),
    "gitbook": gitbook,
    "mkdocs": python_markdown,
}
