"""Near misses: what says nearly what is asked, of another number, another kind or another thing."""

from __future__ import annotations

import pytest

from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.embedded.evidence import fit_of_title, weigh
from ddax.text.question import analyse
from ddax.types import Passage
from tests.unit.embedded_asking import asked

MEALS = (
    "# House book\n\n## Meals\n\nThe daily allowance for meals is 24 EUR on domestic trips. On trips abroad "
    "it is 41 EUR.\n\n## Beds\n\nThe allowance for beds is 90 EUR.\n"
)


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("How much is the daily allowance for meals on trips abroad?", ""),
        ("How much is the daily allowance for meals on domestic trips?", "24 EUR"),
        ("How much is the allowance for beds?", "90 EUR"),
    ],
)
async def test_no_number_is_told_beside_one_of_what_is_asked(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    reply = await asked(reasoner, task, **{"House book": MEALS})
    assert reply.found and reply.short == short, reply


NOTES = (
    "# Release notes of Quillfeed\n\n## 3.2.0 (2024-11-05)\n\n"
    "- The command `quill sync` keeps its connection open and is twice as fast.\n"
    "- The default time-out was raised from 10 to 25 seconds.\n- Support for Python 3.8 was removed.\n\n"
    "## 3.1.2 (2024-08-19)\n\n- Fixed a crash when a feed has no title.\n"
    "- The option `--quiet` hides the progress bar again.\n\n## 3.1.0 (2024-06-30)\n\n"
    "- New command `quill export`, which writes all articles as Markdown.\n\n## 3.0.0 (2024-01-22)\n\n"
    "- The configuration file is now TOML. YAML files are no longer read.\n"
)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Which version of Quillfeed removed support for Python 3.8?", "3.2.0"),
        ("Which version of Quillfeed removed support for Python 3.9?", ""),
    ],
)
async def test_a_name_with_another_number_is_another_one(
    reasoner: EmbeddedReasoner, task: str, said: str
) -> None:
    reply = await asked(reasoner, task, **{"Release notes of Quillfeed": NOTES})
    assert reply.found == bool(said) and said in reply.text, reply.text
    assert said or "nothing read mentions 3.9." in reply.text


VIADUCT = (
    "Survey of the Ashdown Viaduct\nThe Ashdown Viaduct carries the railway over the valley of the Teign.\n"
    "It has 19 arches. The stone came from the quarry at Merrow Hill.\nCondition in 2021\n"
    "Arches 4 and 5 show cracks. The parapet on the east side was renewed in\n2009. The repair of the cracks "
    "is estimated at 1.4 million pounds. No\ntrain may pass the viaduct faster than 40 km/h.\n"
)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("What does the repair of the parapet cost?", ""),
        ("How long does the repair of the parapet take?", ""),
        ("What does the repair of the cracks cost?", "1.4 million pounds"),
    ],
)
async def test_the_cost_of_one_thing_is_not_that_of_another(
    reasoner: EmbeddedReasoner, task: str, said: str
) -> None:
    reply = await asked(reasoner, task, survey=VIADUCT)
    assert reply.found == bool(said) and said in reply.text, reply.text


TOOL = (
    "# tidepool\n\n`tidepool` is a command-line tool that watches folders and copies files to a server.\n\n"
    "## Use\n\n| Command | What it does |\n|---|---|\n| `tidepool list` | lists the snapshots |\n"
    "| `tidepool restore ID` | restores a snapshot |\n"
)


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("Which command of tidepool restores a snapshot?", "`tidepool restore ID`"),
        ("Which command restores a snapshot?", "`tidepool restore ID`"),
        ("Which command uploads a single file?", ""),
        ("Which tool watches folders and copies files?", "tidepool"),
    ],
)
async def test_a_document_is_named_for_what_its_opening_says(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    reply = await asked(reasoner, task, tidepool=TOOL)
    assert reply.short == short, reply
    assert short or not reply.text.startswith("`tidepool` is"), reply


@pytest.mark.parametrize(
    ("task", "fit"),
    [
        ("Which exception is raised when a file does not exist?", 0.0),
        ("Which exception is raised when a file already exists?", 1.0),
        ("Which exception is raised when a file is not read?", 1.0),
    ],
)
def test_what_says_the_contrary_of_what_is_asked_names_nothing(task: str, fit: float) -> None:
    text = "builtins.FileExistsError\n\nFile already exists."
    page = Passage("f", "builtins.FileExistsError", "builtins.FileExistsError", text)
    weighed = weigh(analyse(task), [page], Vectors(HashEmbedder()))
    assert max(fit_of_title(analyse(task), item.sentence) for item in weighed) == fit


SENSORS = (
    "# Sensors\n\n| id | measures | maker |\n|---|---|---|\n| T1 | air temperature | Velden |\n"
    "| H1 | humidity | Velden |\n| W2 | wind speed | Anker |\n"
)
BOATS = (
    "# boats\n\n| Boat | Berth | Owner |\n|---|---|---|\n| Petrel | A7 | M. Osei |\n| Avocet | B1 | Trust |\n"
)
MUSEUM = (
    "Tickets\n\nPrices\n\n# Kestrel Clock Museum\n\nThe museum shows clocks.\n\n## Halls\n\n"
    "| Hall | Theme | Clocks | Guide |\n|---|---|---|---|\n| North hall | Tower clocks | 34 | Joanna Pike |\n"
    "| South hall | Pocket watches | 410 | Tomas Reyl |\n"
)


@pytest.mark.parametrize(
    ("task", "title", "text", "said"),
    [
        ("Who makes the sensor that measures air pressure?", "Sensors", SENSORS, ""),
        ("Who makes the sensor that measures wind speed?", "Sensors", SENSORS, "Anker"),
        ("Which boat lies at berth B1?", "boats", BOATS, "Avocet"),
        ("What is the weight of the boat Petrel at berth A7?", "boats", BOATS, ""),
        ("What is the price of a ticket of the Kestrel Clock Museum?", "Kestrel Clock Museum", MUSEUM, ""),
        ("What is the price of the hall?", "Kestrel Clock Museum", MUSEUM, ""),
        ("Who is the guide of the south hall?", "Kestrel Clock Museum", MUSEUM, "Tomas Reyl"),
    ],
)
async def test_a_row_is_no_answer_where_its_table_lacks_what_is_asked(
    reasoner: EmbeddedReasoner, task: str, title: str, text: str, said: str
) -> None:
    reply = await asked(reasoner, task, **{title: text})
    assert reply.found == bool(said) and said in reply.text, reply.text


FILMS = {
    "The Silver Oar": "The Silver Oar is a 1951 drama film directed by Harriet Voss. It tells of a rower. "
    "The music was written by Leo Brandt.",
    "Harriet Voss": "Harriet Voss (born 1914 in Bergen) was a Norwegian film director. She won a prize.",
}
INSPECTED = "The viaduct was inspected in 1998 by Ruth Adeyemi and in 2010 by Samuel Holt."


@pytest.mark.parametrize(
    ("task", "said", "short"),
    [
        ("Where was the director of The Silver Oar born?", "born 1914 in Bergen", ""),
        ("Where was the composer of The Silver Oar buried?", "", ""),
    ],
)
async def test_a_place_is_told_of_who_did_what_is_named(
    reasoner: EmbeddedReasoner, task: str, said: str, short: str
) -> None:
    reply = await asked(reasoner, task, **FILMS)
    assert reply.found == bool(said) and said in reply.text and reply.short == short, reply


async def test_a_name_ends_before_the_next_clause(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Who inspected the viaduct in 1998?", viaduct=INSPECTED)
    assert reply.short == "Ruth Adeyemi", reply


PRIZE = (
    "The prize is for engineers. It was first awarded in 1950 to Ada Crowe. "
    "It was not awarded from 1960 to 1964."
)


@pytest.mark.parametrize(
    ("task", "found"),
    [
        ("Who was awarded the prize in 1950?", True),
        ("Who was awarded the prize in 1951?", False),
    ],
)
async def test_what_is_said_of_other_years_is_no_answer(
    reasoner: EmbeddedReasoner, task: str, found: bool
) -> None:
    reply = await asked(reasoner, task, **{"Merton Prize": PRIZE})
    assert reply.found == found, reply.text


BRIDGE = "The Calder Bridge is built of stone. It was opened in 1768. The Calder Bridge is 96 metres long."


@pytest.mark.parametrize(
    ("task", "short"),
    [("How high is the Calder Bridge?", ""), ("How long is the Calder Bridge?", "96 metres")],
)
async def test_how_long_a_thing_is_does_not_say_how_high(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    reply = await asked(reasoner, task, **{"Calder Bridge": BRIDGE})
    assert (reply.found, reply.short) == (bool(short), short), reply


def test_a_name_may_begin_with_a_small_letter() -> None:
    assert analyse("Which version dropped support for macOS 12?").names == ("macOS 12",)


async def test_a_heading_with_a_year_is_no_date_of_something_else(reasoner: EmbeddedReasoner) -> None:
    text = (
        "# Survey of the Ashdown Viaduct\n\nIt was built in 1846.\n\n## Condition in 2021\n\nThe arches are "
        "sound. The viaduct was never electrified.\n"
    )
    pages = {"Survey of the Ashdown Viaduct": text}
    reply = await asked(reasoner, "When was the Ashdown Viaduct electrified?", **pages)
    assert not reply.text.startswith("Survey of the Ashdown Viaduct: Condition in 2021."), reply.text
