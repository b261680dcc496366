# SPDX-License-Identifier: BSD-3-Clause
# test_site.py - the pages as a static site: every link in what is built leads somewhere, what is searched for is found, versions
# lie side by side.

import html.parser
import http.server
import re
import shutil
import sys
import threading
import time
import urllib.parse
from functools import partial

import pytest
from cairn_testing import SOURCE, run

sys.path.append(str(SOURCE / "tests" / "web"))
from browser import PROGRAM, Browser

VERSION = re.search(r"^project\(cairn VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(), re.M)[1]
PYTHON = "/usr/bin/python3"  # the one that Debian's MkDocs is for

pytestmark = pytest.mark.skipif(run(PYTHON, "-c", "import mkdocs").code != 0, reason="not installed: mkdocs")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """With an older version that lies there already."""
    out = tmp_path_factory.mktemp("site")
    (out / "0.0.9").mkdir()
    (out / "0.0.9" / "index.html").write_text("<!doctype html>an older one")
    result = run(PYTHON, SOURCE / "web/site/build.py", out)
    assert result.code == 0, result.err
    assert result.out == f"versions: {VERSION}, 0.0.9\nto read them: python3 -m http.server --directory {out}\n"
    return out


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.anchors |= {named[name] for name in ("id", "name") if named.get(name)}
        self.links += [named[name] for name in ("href", "src") if named.get(name)]


def test_every_link_leads_to_a_file_and_a_heading(site):
    pages = {path.resolve(): Page(path) for path in (site / VERSION).rglob("*.html")}
    assert len(pages) > 40
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            there = there / "index.html" if there.is_dir() else there
            if not there.exists() or parts.fragment and there in pages and parts.fragment not in pages[there].anchors:
                broken.append(f"{path.relative_to(site / VERSION)}: {link}")
    assert broken == []


def test_nothing_comes_from_elsewhere(site):
    for path in (site / VERSION).rglob("*.html"):
        assert re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?//[^"]*"', path.read_text()) == [], path


@pytest.fixture
def address(site):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.skipif(PROGRAM is None, reason="not installed: chromium")
def test_a_browser_finds_what_is_searched_for_and_another_version(address, tmp_path):
    def wait_for(page, expression):
        for _ in range(300):
            if page.value(expression):
                return
            time.sleep(0.1)
        raise AssertionError(expression)

    with Browser(tmp_path) as page:
        page.open_address(f"{address}/{VERSION}/search.html?q=oversubscribed")
        wait_for(page, "document.querySelectorAll('#mkdocs-search-results a').length > 0")
        page.open_address(f"{address}/{VERSION}/docs/guide.html")
        assert page.value("document.querySelector('h1').textContent").startswith("User's guide")
        assert page.value("[...document.querySelectorAll('select[aria-label=version] option')].map(one => one.text).join()") == f"{VERSION},0.0.9"
        page.choose("version", "0.0.9")
        wait_for(page, "document.body && document.body.textContent.includes('an older one')")
        page.open_address(address)
        wait_for(page, f"location.pathname === '/{VERSION}/index.html'")


@pytest.fixture
def sources(tmp_path):
    """A copy, to be changed."""
    copy = tmp_path / "sources"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build*", ".git", ".cache"))
    shutil.copytree(SOURCE / "web/site", copy / "web/site", dirs_exist_ok=True)
    return copy


def build(sources, *words):
    return run(PYTHON, sources / "web/site/build.py", sources.parent / "out", *words)


def test_a_link_that_leads_nowhere_is_an_error(sources):
    with (sources / "docs/guide.md").open("a") as page:
        page.write("\n[gone](nowhere.md)\n")
    result = build(sources)
    assert result.code != 0
    assert "'docs/guide.md' contains a link to 'docs/nowhere.md'" in result.err


def test_a_page_without_a_place_is_an_error(sources):
    (sources / "docs/new.md").write_text("# New\n")
    assert build(sources).err == "site: error: CONTENTS of web/site/build.py and the pages differ: docs/new.md\n"


def test_a_revision_that_is_not_there_is_told(sources):
    run("git", "init", "-q", cwd=sources)
    result = build(sources, "v9")
    assert (result.code, result.err) == (1, "site: error: fatal: not a valid object name: v9\n")


def test_older_revisions_are_versions_of_their_own(sources):
    cmake = sources / "CMakeLists.txt"
    cmake.write_text(cmake.read_text().replace(f"VERSION {VERSION}", "VERSION 0.0.5", 1))
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "old"], ["tag", "old"]):
        assert run("git", *words, cwd=sources).code == 0
    cmake.write_text(cmake.read_text().replace("VERSION 0.0.5", "VERSION 0.0.10", 1))
    assert build(sources, "old").out.startswith("versions: 0.0.10, 0.0.5\n")
    assert "0.0.5" in (sources.parent / "out/0.0.5/index.html").read_text()
