# SPDX-License-Identifier: BSD-3-Clause
# test_documents.py - what the documents name is there, what users must know is in them, and every page is found from the README.

import re

import pytest
from cairn_testing import SOURCE
from literals import all_pieces, is_there

PAGES = sorted(page for page in SOURCE.rglob("*.md") if not any(part.startswith("build") for part in page.relative_to(SOURCE).parts[:1]))
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)")
SOURCE_PATH = re.compile(r"`((?:src|cli|tools|services|include|tests|spec|web|bench|examples|docs|cmake)/[\w./+-]+)`")
READS_ENVIRONMENT = re.compile(r'(?:getenv|\b(?:from_)?environment|setting|setting_on|asker_of|explained|folders_of_setting)\([^;]*?"([A-Z][A-Z0-9_]+)"')
NAMES_OF_LAUNCHERS = re.compile(r'"((?:OMPI_COMM|PMI|PMIX|MPI_LOCAL|SLURM|PBS|LSB|FLUX|JOB)_?[A-Z0-9_]*[A-Z])"')  # read from lists, too


CODE = re.compile(r"^```.*?^```|^    .*?$", re.M | re.S)


def names(page):
    return str(page.relative_to(SOURCE))


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_every_link_leads_to_a_file(page):
    targets = [target for target in LINK.findall(CODE.sub("", page.read_text())) if "://" not in target]
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def anchors(page):
    """The headings of a page, as GitHub links to them."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_every_link_into_a_page_leads_to_a_heading(page):
    targets = re.findall(r"\[[^\]]*\]\(([^)#\s:]*)#([^)\s]+)\)", CODE.sub("", page.read_text()))
    assert [f"{file}#{anchor}" for file, anchor in targets if anchor not in anchors(page.parent / file if file else page)] == []


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_every_source_path_in_quotes_is_there(page):
    if page.name == "CHANGELOG.md":
        pytest.skip("tells of what has gone, too")
    missing = [path for path in SOURCE_PATH.findall(page.read_text())
               if "NAME" not in path and not (SOURCE / path).exists() and not list((SOURCE / path).parent.glob((SOURCE / path).name + "*"))]
    assert missing == []


def test_every_environment_variable_that_is_read_stands_in_the_table():
    table = (SOURCE / "docs" / "environment.md").read_text()
    read = set()
    for folder in ("src", "cli", "tools", "services", "include"):
        for source in [*(SOURCE / folder).rglob("*.cc"), *(SOURCE / folder).rglob("*.hpp")]:
            text = source.read_text()
            read.update(READS_ENVIRONMENT.findall(text) + NAMES_OF_LAUNCHERS.findall(text))
    assert {"CAIRN_TOOLS", "CAIRN_OUT", "CXX", "HOME", "SLURM_LOCALID", "JOB_ID"} <= read
    assert sorted(name for name in read if f"`{name}`" not in table) == []


def linked_pages(page):
    targets = (target for target in LINK.findall(CODE.sub("", page.read_text())) if "://" not in target and target.endswith(".md"))
    return {(page.parent / target).resolve() for target in targets}


def test_every_page_is_at_most_two_clicks_from_the_readme():
    near = linked_pages(SOURCE / "README.md")
    near |= {further for page in near for further in linked_pages(page)}
    users = [page for page in PAGES if page.parent == SOURCE / "docs" or page.name == "README.md" and page.parts[-3] in ("tools", "examples")
             or page in (SOURCE / "CONTRIBUTING.md", SOURCE / "CHANGELOG.md", SOURCE / "bench/README.md")]
    far = [names(page) for page in users if page not in near]
    assert far == [], "to be linked from README.md or a page that it links"


# ------------------------------------------------------------ docs/messages.md

MESSAGE = re.compile(r"^\*\*`(.*)`\*\*$", re.M)
FILLED_IN = re.compile(r"\b(?:CODE|COMMAND|CONDITION|COUNT|FILE|FILTER|FOLDER|FORMAT|HOW|LIBRARY|LIBRARIES|N|NAME|NODE|OPTION|OTHER|POLICY|PROGRAM|RANKS|RIGHTS|RUN|SCOPE|"
                       r"SETTING|TITLE|TOOL|TOOLS|TYPE|VALUE|WHAT|WHERE|WHY)\b|(?<=\bSIG)NAL\b|(?<=^tool ')[a-z]+(?=': )")
EXPLAINED = MESSAGE.findall((SOURCE / "docs" / "messages.md").read_text())


@pytest.fixture(scope="module")
def sources():
    return all_pieces()


def what_nobody_says(message, sources):
    """The words between two fillings that are in no source."""
    return [text for text in FILLED_IN.split(message) if text and not is_there(text, sources)]


@pytest.mark.parametrize("message", EXPLAINED)
def test_every_message_that_is_explained_is_in_the_sources(message, sources):
    assert max(len(text) for text in FILLED_IN.split(message)) > 10
    assert what_nobody_says(message, sources) == []


def test_messages_are_explained_once():
    assert len(EXPLAINED) > 50
    assert sorted(EXPLAINED) == sorted(set(EXPLAINED))


@pytest.mark.parametrize("message, words", [
    ("tool 'TOOL' not loaded: it is installed for LIBRARY, but not for LIBRARY", ", but not for "),
    ("'FOLDER' is in use: results are written to 'OTHER'", "' is in use: results are written to '"),
    ("RANKS run without Cairn: results are those of the others", " run without Cairn: results are those of the others"),
    ("no report: no results of a run are in 'FOLDER'", "no report: no results of a run are in '"),
])
def test_a_message_in_other_words_is_in_no_source(message, words, sources):
    assert what_nobody_says(message, sources) == [words]
