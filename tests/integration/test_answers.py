"""Answers of the embedded reasoner on ordinary documents: the right page cited first, or a refusal.

The graph runs as a user would run it: a source is read, searched and cited; nothing is scripted.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ddax import Context, open_agent
from ddax.actions.sources import SourceLibrary, open_library
from ddax.graph.results import RunResult
from ddax.graph.services import Parts
from ddax.memory.embed.cache import CachedEmbedder
from ddax.memory.embeddings import open_embedder

PAGES = {
    "leave.md": (
        "# Leave policy\n\nEvery employee has 25 days of paid leave a year. After five years of service "
        "the entitlement rises to 28 days. Leave that is not taken by 31 March of the next year lapses.\n\n"
        "## Parental leave\n\nParents may take up to 40 weeks. The first 12 weeks are paid in full.\n"
    ),
    "travel.md": (
        "# Travel policy\n\nBusiness trips are approved by Priya Raman. Trips that cost more than 2,000 "
        "euros also need the signature of the finance director.\n\n## Hotels\n\nThe highest price of a night "
        "that is refunded depends on the city:\n\n| City | Highest price |\n|---|---|\n| London | 180 "
        "euros |\n| Lisbon | 120 euros |\n| Oslo | 165 euros |\n\nReceipts must be "
        "handed in within 14 days.\n"
    ),
    "people.md": (
        "# Who is who\n\n- Priya Raman: office manager, room 2.08, extension 417\n"
        "- Tomas Lind: head of support, room 1.11, extension 305\n"
        "- Aiko Mori: data protection officer, room 3.02, extension 256\n"
    ),
    "CHANGELOG.md": (
        "# Changelog of Ledgerline\n\n## 2.3.0 (2024-06-03)\n\n- Added: export of reports to CSV\n"
        "- Fixed: totals were rounded twice\n\n## 2.2.1 (2024-03-14)\n\n- Fixed: the login page kept "
        "loading on Safari\n\n## 2.2.0 (2024-02-20)\n\n- Added: two-factor authentication\n"
        "- Removed: support for Internet Explorer\n"
    ),
    "faq.html": (
        "<html><head><title>Questions and answers</title><script>var x = 'password';</script></head><body>"
        "<h1>Questions and answers</h1><h2>How do I reset my password?</h2><p>Choose <b>Forgot password</b> "
        "on the sign-in page and follow the link in the message we send you. The link works for 30 minutes."
        "</p><h2>Which file formats can be imported?</h2><p>Ledgerline imports CSV, OFX and QIF files of up "
        "to 20 MB.</p><h2>Is there a free trial?</h2><p>Yes, every plan can be tried for 21 days without a "
        "credit card.</p></body></html>"
    ),
    "backup.rst": (
        "Backups\n=======\n\nThe databases are backed up every night at 02:30. Copies are kept for 35 days "
        "in the data centre in Gothenburg.\n\nTo restore a copy, run::\n\n    "
        "ledger-restore --from 2024-06-01\n\n"
        "The command asks before it overwrites anything.\n"
    ),
    "canteen.txt": (
        "The canteen is open from 11:30 to 14:00 on working days. A warm meal costs 6.50 euros for staff and "
        "9 euros for guests. On Fridays there is fish.\n"
    ),
    "returns-zh.md": (
        "# 退货政策\n\n顾客可以在收到商品后三十天内申请退货。退款会在七个工作日内到账。特价商品不能退货。\n"
    ),
    "library-ar.md": (
        "# مكتبة المدينة\n\nتفتح المكتبة أبوابها من الساعة التاسعة صباحا حتى الثامنة مساء. "
        "يوم الجمعة تعمل المكتبة من الثانية ظهرا حتى السادسة مساء. يمكن استعارة خمسة كتب لمدة ثلاثة أسابيع.\n"
    ),
}  # fmt: skip


class Case(NamedTuple):
    """A question over a source, the document to be cited first and a string the answer must hold."""

    source: str
    question: str
    title: str
    key: str


FOLDER, STATISTICS, PYTHON = "folder", "python:statistics", "python:"

ANSWERED = [
    Case(STATISTICS, "Which function returns the geometric mean?",
         "statistics.geometric_mean", "geometric_mean"),
    Case(PYTHON, "Which function finds the n largest elements in a dataset?", "heapq.nlargest", "nlargest"),
    Case(PYTHON, "Which class counts hashable items?", "collections.Counter", "Counter"),
    Case(PYTHON, "Which function merges multiple sorted inputs into a single sorted output?",
         "heapq.merge", "heapq.merge"),
    Case(FOLDER, "How many days of leave does an employee have after five years of service?",
         "Leave policy", "28 days"),
    Case(FOLDER, "What is the highest price of a hotel night in London?", "Travel policy", "180 euros"),
    Case(FOLDER, "Who approves business trips?", "Travel policy", "Priya Raman"),
    Case(FOLDER, "Which file formats can be imported?", "Questions and answers", "OFX"),
    Case(FOLDER, "How much does a warm meal cost for guests?", "canteen", "9 euros"),
    Case(FOLDER, "Which room does the data protection officer have?", "Who is who", "3.02"),
    Case(FOLDER, "How long are backups kept?", "Backups", "35 days"),
    Case(PYTHON, "Which function computes the greatest common divisor?", "math.gcd", "math.gcd"),
    Case(PYTHON, "Which module reads and writes CSV files?", "csv", "csv"),
    Case(FOLDER, "收到商品后多少天内可以申请退货？", "退货政策", "三十天"),
    Case(FOLDER, "متى تعمل المكتبة يوم الجمعة؟", "مكتبة المدينة", "السادسة"),
]  # fmt: skip
SHOWN = [
    Case(FOLDER, "Where are the copies of the databases kept?", "Backups", "Gothenburg"),
    Case(
        FOLDER, "In which version was the export of reports to CSV added?", "Changelog of Ledgerline", "2.3.0"
    ),
    Case(
        STATISTICS,
        "Which function computes the median of a list of numbers?",
        "statistics.median",
        "statistics.median",
    ),
    Case(
        STATISTICS,
        "Which function of the statistics module calculates the median of grouped continuous data?",
        "statistics.median_grouped",
        "median_grouped",
    ),
    Case(PYTHON, "Which module wraps text to lines of a given width?", "textwrap", "textwrap"),
    Case(PYTHON, "What does shutil.copytree do?", "shutil.copytree", "Recursively copy"),
    Case(FOLDER, "How do I reset my password?", "Questions and answers", "Forgot password"),
    Case(FOLDER, "When was version 2.2.1 released?", "Changelog of Ledgerline", "2024-03-14"),
    Case(FOLDER, "Which browser is no longer supported?", "Changelog of Ledgerline", "Internet Explorer"),
    Case(PYTHON, "Which module implements binary search on sorted lists?", "bisect", "bisect"),
]
"""Answered by a reader of the passages; the scorer is not sure enough of them to claim it."""
UNANSWERABLE = [
    Case(FOLDER, "What is the highest price of a hotel night in Paris?", "", ""),
    Case(STATISTICS, "Who won the football world cup in 2014?", "", ""),
    Case(STATISTICS, "Which function trains a neural network?", "", ""),
    Case(FOLDER, "How many parking spaces does the office have?", "", ""),
    Case(FOLDER, "Who is the chief executive of the company?", "", ""),
    Case(FOLDER, "What is the price of the enterprise plan?", "", ""),
    Case(FOLDER, "When was version 3.1.0 released?", "", ""),
    Case(FOLDER, "公司的总部在哪个城市？", "", ""),
]


class Desk:
    """Asks questions over sources that are opened once."""

    def __init__(self, place: Path) -> None:
        self.home, self.folder = place / "home", place / "pages"
        self.folder.mkdir()
        for name, text in PAGES.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        self.embedder = CachedEmbedder(open_embedder(threads=1), place / "vectors.sqlite")
        self.libraries: dict[str, SourceLibrary] = {}
        self.asked = 0

    def library(self, source: str) -> SourceLibrary:
        """Open a source at its first use."""
        if source not in self.libraries:
            spec = str(self.folder) if source == FOLDER else source
            opening = open_library([spec], embedder=self.embedder, cache_dir=self.home / "cache")
            self.libraries[source] = asyncio.run(opening)
        return self.libraries[source]

    def ask(self, case: Case) -> RunResult:
        """Run the graph on a question, in a namespace of its own."""
        self.asked += 1
        library = self.library(case.source)
        context = Context(sources=library.specs, namespace=f"answers-{self.asked}")
        parts = Parts(embedder=self.embedder, library=library)
        with open_agent(context, home=self.home, parts=parts) as agent:
            return agent.run_sync(case.question)

    def holds(self, case: Case, source: str, quote: str) -> bool:
        """Tell whether a quote stands verbatim in a document."""
        return quote in asyncio.run(self.library(case.source).read(source)).text


WHOLE_LIBRARY = [case for case in ANSWERED if case.source == PYTHON]
LONG = pytest.mark.long


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    yield Desk(tmp_path_factory.mktemp("answers"))


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.question[:60], marks=LONG if case in WHOLE_LIBRARY[1:] else ())
        for case in ANSWERED
    ],
)
def test_the_right_document_is_cited_first_and_the_answer_holds_the_key(desk: Desk, case: Case) -> None:
    result = desk.ask(case)
    assert result["status"] == "done", result["answer"]
    assert case.key in result["answer"], result["answer"]
    assert result["citations"][0]["title"] == case.title, [c["title"] for c in result["citations"]]
    assert len(result["answer"].split()) <= 60
    assert not re.search(r"[=+-]{4,}|(?:\S {3,}\S.*){2}", result["answer"]), "a ruler or a table row"
    assert all(desk.holds(case, c["source"], c["quote"]) for c in result["citations"])


@pytest.mark.timeout(120)
@pytest.mark.parametrize("case", SHOWN, ids=lambda case: case.question[:60])
def test_an_answer_that_is_not_sure_enough_is_shown(desk: Desk, case: Case) -> None:
    result = desk.ask(case)
    assert result["status"] == "not_found"
    assert case.key in result["answer"] and "\n> — " in result["answer"]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("case", UNANSWERABLE, ids=lambda case: case.question[:60])
def test_what_the_sources_do_not_say_is_refused(desk: Desk, case: Case) -> None:
    result = desk.ask(case)
    assert result["status"] == "not_found", result["answer"]
    assert result["stop_reason"] == "not found in the sources"
    assert not result["citations"]


@pytest.mark.timeout(120)
def test_of_separated_values_the_row_that_answers_is_quoted_with_its_header_and_no_other(desk: Desk) -> None:
    depots = desk.home.parent / "depots.csv"
    depots.write_text("depot,opened,manager,town\nD1,1994,Ute Brandt,Malmo\nD2,2003,Ivan Petrov,Turku\n")
    result = desk.ask(Case(str(depots), "In which town is the depot D2?", "depots", "Turku"))
    assert result["answer"] == "depots: D2: opened 2003, manager Ivan Petrov, town Turku."
    assert [citation["quote"] for citation in result["citations"]] == [
        "| D2 | 2003 | Ivan Petrov | Turku |",
        "| depot | opened | manager | town |",
    ]
    assert result["short"] == "Turku"
