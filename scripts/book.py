"""Completes the book of the documentation, and checks it.

As mdBook's preprocessor (book.toml) it adds the pages that are generated from the program, and turns links to files
outside the book into links to the repository. `book.py check FOLDER` checks a built book: every link leads to a page and
a heading, every picture is there, and nothing is loaded from another site.
"""

import html.parser
import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Built by `make book`.
PROGRAM = os.environ.get("CENTIPAWN_BIN", os.fspath(ROOT / "target/debug/centipawn"))
OPENAPI = os.fspath(ROOT / "target/debug/examples/openapi")
METHODS = ["get", "put", "post", "delete", "patch"]


def command_pages() -> dict[str, str]:
    """Returns the text of each command's page by the command's name, in the order of the program's help."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, "man", "--markdown", folder], check=True, env={**os.environ, "COLUMNS": "100"})
        order = Path(folder, "order.txt").read_text().split()
        return {name: Path(folder, f"{name}.md").read_text() for name in order}


def type_name(schema: dict) -> str:
    """Returns the type of a schema in words, with links to the named types of the page."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    for key in ["oneOf", "anyOf", "allOf"]:
        if key in schema:
            parts = [type_name(part) for part in schema[key] if part.get("type") != "null"]
            optional = ", or null" if any(part.get("type") == "null" for part in schema[key]) else ""
            return " or ".join(dict.fromkeys(parts)) + optional
    kind = schema.get("type", "any value")
    if isinstance(kind, list):
        rest = [name for name in kind if name != "null"]
        return type_name({**schema, "type": rest[0] if rest else "null"}) + (", or null" if "null" in kind else "")
    if "prefixItems" in schema:
        return f"list of {', '.join(type_name(item) for item in schema['prefixItems'])}"
    if kind == "array":
        return f"list of {type_name(schema.get('items', {}))}"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {type_name(schema['additionalProperties'])} by name"
    return {"integer": "whole number", "boolean": "true or false", "string": "text"}.get(kind, kind)


def cell(text: str | None) -> str:
    """Returns a text for a cell of a table."""
    return " ".join((text or "").split()).replace("|", "\\|")


def table_of_properties(schema: dict) -> list[str]:
    properties = schema.get("properties", {})
    if not properties:
        return []
    lines = ["| key | type | meaning |", "| --- | --- | --- |"]
    for key, value in properties.items():
        optional = "" if key in schema.get("required", []) else " (optional)"
        lines.append(f"| `{key}`{optional} | {type_name(value)} | {cell(value.get('description'))} |")
    return [*lines, ""]


def interface_page() -> str:
    """Returns the requests and types of the page's interface, from its description (OpenAPI)."""
    described = json.loads(subprocess.run([OPENAPI], check=True, capture_output=True).stdout)
    lines = ["", "## Requests", ""]
    for path, methods in described["paths"].items():
        for method in METHODS:
            if method not in methods:
                continue
            about = methods[method]
            lines += [f"### `{method.upper()} {path}`", ""]
            texts = dict.fromkeys(filter(None, [about.get("summary"), about.get("description")]))
            lines += [line for text in texts for line in (text, "")]
            for parameter in about.get("parameters", []):
                kind = type_name(parameter.get("schema", {}))
                text = cell(parameter.get("description"))
                lines.append(f"- `{parameter['name']}` ({parameter['in']}): {kind}{'. ' + text if text else ''}")
            bodies = [("body", about.get("requestBody", {}))]
            bodies += [(f"answer {status}", answer) for status, answer in about.get("responses", {}).items()]
            for name, body in bodies:
                kinds = [type_name(content["schema"]) for content in body.get("content", {}).values() if "schema" in content]
                text = cell(body.get("description"))
                if kinds or text:
                    lines.append(f"- {name}: {' or '.join(dict.fromkeys(kinds))}{'. ' if kinds and text else ''}{text}")
            lines.append("")
    lines += ["## Types", ""]
    for name, schema in sorted(described["components"]["schemas"].items()):
        lines += [f"### {name}", ""]
        if schema.get("description"):
            lines += [schema["description"], ""]
        variants = schema.get("oneOf") or schema.get("anyOf") or schema.get("allOf") or []
        if schema.get("properties"):
            lines += table_of_properties(schema)
        elif not variants:
            lines += [f"{type_name(schema).capitalize()}.", ""]
        for variant in variants:
            if variant.get("properties"):
                lines += [cell(variant.get("description")), "", *table_of_properties(variant)]
            else:
                text = cell(variant.get("description"))
                lines += [f"- {type_name(variant)}{': ' + text if text else ''}", ""]
    return "\n".join(lines) + "\n"


def chapters(items: list) -> list[dict]:
    """Returns all chapters of a book, those below others too."""
    own = [item["Chapter"] for item in items if isinstance(item, dict) and "Chapter" in item]
    return own + [below for chapter in own for below in chapters(chapter["sub_items"])]


def with_links_of_the_book(chapter: dict, titles: dict[str, str], repository: str) -> str:
    """Returns the text of a chapter, in which links lead to pages of the book, and others to the repository.

    A link whose text is the name of a file has the title of the page instead. ``titles`` are those of all pages by path.
    """
    folder = posixpath.dirname(chapter["path"])

    def name(match: re.Match) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[2].partition("#")[0]))
        return f"[{titles.get(target, match[1])}]({match[2]})"

    def lead(match: re.Match) -> str:
        target, hash_, fragment = match[1].partition("#")
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if not target or "://" in target:
            return match[0]
        if path.startswith("docs/"):
            # mdBook writes a README.md as the index of its folder.
            target = re.sub(r"README\.md$", "index.md", target)
            return f"]({target}{hash_}{fragment})"
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"]({repository}/{kind}/main/{path}{hash_}{fragment})"

    named = re.sub(r"\[([\w-]+\.md)\]\(([^()\s]+)\)", name, chapter["content"])
    return re.sub(r"\]\(([^()\s]+)\)", lead, named)


def complete(context: dict, book: dict) -> dict:
    """Returns the book with its generated pages."""
    repository = context["config"]["output"]["html"]["git-repository-url"]
    titles = {chapter["path"]: chapter["name"] for chapter in chapters(book["items"]) if chapter["path"]}
    for chapter in chapters(book["items"]):
        if chapter["path"] is None:
            continue
        chapter["content"] = with_links_of_the_book(chapter, titles, repository)
        if chapter["path"] == "commands.md":
            for place, (name, text) in enumerate(command_pages().items(), 1):
                chapter["sub_items"].append({"Chapter": {
                    "name": f"centipawn {name}", "content": text, "number": [*chapter["number"], place], "sub_items": [],
                    "path": f"commands/{name}.md", "source_path": None,
                    "parent_names": [*chapter["parent_names"], chapter["name"]],
                }})
        if chapter["path"] == "interface.md":
            chapter["content"] += interface_page()
    return book


class Page(html.parser.HTMLParser):
    """The links of a built page, the files that it loads, and the ids of its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.ids.update(filter(None, [values.get("id"), values.get("name") if tag == "a" else None]))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link" and values.get("rel") not in ["canonical", "edit"]:
            self.loads.append(values.get("href", ""))
        if tag in ["img", "script", "iframe", "source", "video", "audio", "embed"] and values.get("src"):
            self.loads.append(values["src"])


def check(book: Path) -> list[str]:
    """Returns what is wrong in a built book."""
    pages = {path: Page(path.read_text()) for path in sorted(book.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        for target in page.loads:
            address = urllib.parse.urlsplit(target)
            if address.scheme == "data":
                continue
            file = (path.parent / urllib.parse.unquote(address.path)).resolve()
            if address.scheme or address.netloc or not file.is_file():
                wrong.append(f"{path.relative_to(book)} loads {target}")
        for target in page.links:
            address = urllib.parse.urlsplit(target)
            if address.scheme or address.netloc:
                continue
            file = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
            fragment = urllib.parse.unquote(address.fragment)
            if not file.exists() or (fragment and file in pages and fragment not in pages[file].ids):
                wrong.append(f"{path.relative_to(book)} has a link to {target}, which leads nowhere")
    for path in sorted(book.rglob("*.css")):
        wrong += [f"{path.relative_to(book)} loads {target}" for target in re.findall(r"url\([\"']?(https?:[^)\"']*|//[^)\"']*)", path.read_text())]
    return wrong


def main() -> None:
    match sys.argv[1:]:
        case ["supports", _]:
            return
        case ["check", folder]:
            wrong = check(Path(folder).resolve())
            sys.exit("\n".join(wrong) or None)
        case []:
            context, book = json.load(sys.stdin)
            json.dump(complete(context, book), sys.stdout)
        case _:
            sys.exit("usage: book.py check FOLDER (without arguments: a preprocessor of mdBook)")


main()
