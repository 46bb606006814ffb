"""What the site adds to the pages: files of the repository that they link to, the command's help, and the glossary.

The pages are read in the repository too, so nothing here changes what they say. A link to a file outside docs/ leads to
a page with that file; the first use of each term of the glossary on a page becomes a link to it; and the pictures are
those that the code on the pages drew while the site was built.
"""

from __future__ import annotations

import os
import posixpath
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import commands  # noqa: E402
import glossary  # noqa: E402

from tests.pages.run import EXECUTED, run_page  # noqa: E402

ROOT_PAGES = {
    name: f"{name.removesuffix('.md').lower()}.md" for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
}
LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]+)(#[^)]*)?(?=\))")
LANGUAGES = {".py": "python", ".json": "json", ".R": "r", ".cff": "yaml", ".toml": "toml"}
COMMANDS = "<!-- the commands -->"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are files of the repository, and the pictures of this run."""
    for name, page in ROOT_PAGES.items():
        files.append(File.generated(config, page, content=_moved(_read(name), "", config, files, page)))
    for page in [file for file in files.documentation_pages() if file.generated_by is None]:
        folder = posixpath.join("docs", posixpath.dirname(page.src_uri))
        _moved(page.content_string, folder, config, files, page.src_uri)
    for name in EXECUTED:
        with tempfile.TemporaryDirectory() as place:
            run_page(name, Path(place)).require_as_shown()
            for picture in [*Path(place).glob("*.png"), *Path(place).glob("*.svg")]:
                uri = f"images/{picture.name}"
                if (old := files.get_file_from_path(uri)) is not None:
                    files.remove(old)
                    files.append(File.generated(config, uri, content=picture.read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead links out of docs/ to the pages of those files, and fill in what the command says of itself."""
    if page.file.generated_by is not None:
        return markdown
    folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))
    text = _moved(markdown, folder, config, files, page.file.src_uri)
    return text.replace(COMMANDS, commands.reference()) if COMMANDS in text else text


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Link the terms of the glossary."""
    uri = page.file.src_uri
    if uri == glossary.PAGE or uri.startswith("files/"):
        return html
    return glossary.linked(html, posixpath.relpath("glossary.html", posixpath.dirname(uri) or "."))


def _moved(markdown: str, folder: str, config: Any, files: Files, uri: str) -> str:
    """The same text, where each link to a file outside docs/ leads to a page with it, which is made if need be."""

    def target(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        if path.startswith("docs/") and not path.startswith("docs/examples/"):
            there = path.removeprefix("docs/")
        elif path in ROOT_PAGES:
            there = ROOT_PAGES[path]
        elif (ROOT / path).is_file():
            there = _file_page(path, config, files)
        else:
            return match[0]  # a dead link, which the build reports
        return os.path.relpath(there, posixpath.dirname(uri) or ".") + (match[2] or "")

    return LINK.sub(target, markdown)


def _file_page(path: str, config: Any, files: Files) -> str:
    uri = f"files/{path.replace('/', '-')}.md"
    if files.get_file_from_path(uri) is None:
        text = _read(path).replace("````", "` ` ` `")
        language = LANGUAGES.get(Path(path).suffix, "text")
        shown = f"---\nsearch:\n  exclude: true\n---\n# {path}\n\n````{language}\n{text}\n````\n"
        files.append(File.generated(config, uri, content=shown))
    return uri


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
