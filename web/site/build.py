#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# build.py - the pages of this repository as a static site with search and versions, by MkDocs
#
#   build.py OUT [REVISION...]     the sources here as the version of CMakeLists.txt; each revision as the version of its own
#
# OUT/VERSION/ is one version, OUT/index.html leads to the newest; versions that are there already stay. A link that leads
# nowhere is an error.

import html
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent

# What a reader wants, and the pages for it. A page that is missing here is an error.
CONTENTS = {
    "Start": ["README.md", "docs/guide.md", "docs/install.md", "examples/heat3d/README.md"],
    "Where does time go?": ["tools/profile/README.md", "docs/report.md", "docs/regions.md", "docs/python.md", "docs/mpip.md"],
    "Who waits for whom?": ["tools/waits/README.md", "docs/waits.md", "tools/trace/README.md", "docs/trace-format.md"],
    "Who talks to whom?": ["tools/comm/README.md", "docs/placement.md", "tools/reorder/README.md"],
    "What hangs, what runs now?": ["docs/hangs.md", "tools/where/README.md", "docs/ends.md", "docs/live.md", "tools/steer/README.md"],
    "What should I change?": ["docs/advice.md", "docs/settings.md", "docs/tuning.md", "docs/policies.md", "tools/policy/README.md", "tools/set/README.md",
                              "docs/variables.md", "tools/vars/README.md"],
    "Tools together": ["docs/filters.md", "docs/pnmpi.md", "docs/qmpi.md", "docs/write-a-tool.md", "docs/limits.md"],
    "For a site": ["docs/site.md", "tools/usage/README.md", "docs/mpi-libraries.md", "docs/abi.md", "docs/scale.md", "SECURITY.md"],
    "Look up": ["docs/messages.md", "docs/run-folder.md", "docs/environment.md", "docs/comparison.md", "docs/peers.md", "docs/experiments.md", "bench/README.md"],
    "How it works": ["docs/tour.md", "CONTRIBUTING.md", "tests/conformance/README.md", "CHANGELOG.md"],
}
CODE = re.compile(r"^```.*?^```|^    .*?$", re.M | re.S)
LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]+)?\)")


def slug(heading, separator):
    """As on GitHub, for which links into pages are written."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", separator)


def version_of(source):
    return re.search(r"^project\(\S+ VERSION (\S+)", (source / "CMakeLists.txt").read_text(), re.M)[1]


def contents_of(source, is_here):
    """Pages of an older revision may be fewer; one that is new must have its place."""
    listed = {name for names in CONTENTS.values() for name in names}
    pages = {str(path.relative_to(source)) for folder in ("docs", "tools", "examples", "bench", "tests") for path in (source / folder).rglob("*.md")}
    pages |= {path.name for path in source.glob("*.md")}
    if is_here and pages != listed:
        raise SystemExit(f"site: error: CONTENTS of web/site/build.py and the pages differ: {', '.join(sorted(pages ^ listed))}")
    known = {section: [name for name in names if name in pages] for section, names in CONTENTS.items()}
    return {section: names for section, names in known.items() if names}


def listing(folder, source):
    """A page for a link to a folder."""
    files = sorted(path.name for path in folder.iterdir() if path.is_file())
    return f"# {folder.relative_to(source)}\n\n" + "".join(f"- [{name}]({name})\n" for name in files)


def copy_page(name, source, pages):
    """With what it links to; links to folders lead to a listing."""
    page = source / name
    text = page.read_text()
    for target, _ in LINK.findall(CODE.sub("", text)):
        there = (page.parent / target).resolve()
        if there.is_dir():
            text = text.replace(f"]({target})", f"]({target.rstrip('/')}/index.md)")
            put(pages / there.relative_to(source) / "index.md", listing(there, source))
        files = [path for path in there.iterdir() if path.is_file()] if there.is_dir() else [there]
        for file in files:
            if file.is_file() and file.suffix != ".md":
                put(pages / file.relative_to(source), file.read_bytes())
    put(pages / name, text)


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def title_of(source, name):
    if name == "README.md":
        return "Cairn"
    return re.search(r"^# (.*)$", (source / name).read_text(), re.M)[1].replace("`", "")


def build(source, out, is_here):
    """One version."""
    from mkdocs.commands.build import build as make
    from mkdocs.config import load_config

    version = version_of(source)
    with tempfile.TemporaryDirectory(prefix="cairn-site-") as folder:
        pages = Path(folder) / "pages"
        contents = contents_of(source, is_here)
        for names in contents.values():
            for name in names:
                copy_page(name, source, pages)
        for file in ("site.css", "versions.js"):
            put(pages / file, (HERE / file).read_bytes())
        put(Path(folder) / "mkdocs.yml", "{}\n")
        shutil.rmtree(out / version, ignore_errors=True)
        make(load_config(str(Path(folder) / "mkdocs.yml"), site_name=f"Cairn {version}", docs_dir=str(pages), site_dir=str(out / version), strict=True,
                         theme={"name": "readthedocs", "highlightjs": False, "include_homepage_in_sidebar": False}, use_directory_urls=False, plugins=["search"],
                         extra_css=["site.css"], extra_javascript=["version_list.js", "versions.js"],
                         markdown_extensions=["tables", "fenced_code", {"toc": {"slugify": slug, "permalink": False}}],
                         nav=[{section: [{title_of(source, name): name} for name in names]} for section, names in contents.items()]))
    complete(out / version)
    return version


def complete(site):
    """Debian's theme has jQuery by the name of an older release than its pages ask for, and leaves a script out."""
    (site / "404.html").unlink(missing_ok=True)  # for servers that have the site as their root
    scripts = set(re.findall(r'<script src="js/([^"]+)"', (site / "index.html").read_text()))
    for missing in [name for name in scripts if not (site / "js" / name).exists()]:
        family = [path for path in (site / "js").glob(missing.split("-")[0] + "-*.js") if "-" in missing]
        put(site / "js" / missing, family[0].read_bytes() if family else "// not in Debian's package\n")


def number(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def list_versions(out):
    """In each version, so that pages of old ones lead to new ones."""
    versions = sorted((path.name for path in out.iterdir() if (path / "index.html").is_file()), key=number, reverse=True)
    for version in versions:
        put(out / version / "version_list.js", f"const versions = {versions!r};\nconst shownVersion = {version!r};\n")
    newest = html.escape(versions[0])
    put(out / "index.html", f'<!doctype html>\n<meta charset="utf-8">\n<meta http-equiv="refresh" content="0; url={newest}/index.html">\n'
                            f'<title>Cairn</title>\n<a href="{newest}/index.html">Cairn {newest}</a>\n')
    return versions


def build_revision(revision, out):
    archive = subprocess.run(["git", "-C", SOURCE, "archive", revision], capture_output=True, check=False)
    if archive.returncode != 0:
        raise SystemExit(f"site: error: {archive.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory(prefix="cairn-site-") as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder)
        build(Path(folder).resolve(), out, False)


def main():
    if len(sys.argv) < 2:
        raise SystemExit("usage: build.py OUT [REVISION...]")
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    for revision in sys.argv[2:]:
        build_revision(revision, out)
    build(SOURCE, out, True)
    print(f"versions: {', '.join(list_versions(out))}\nto read them: python3 -m http.server --directory {out}")


if __name__ == "__main__":
    main()
