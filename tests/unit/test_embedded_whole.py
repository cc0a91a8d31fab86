"""Questions that one sentence answers whole, in documents whose title the question does not name."""

from __future__ import annotations

import re

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.protocol import MergeRequest, Synthesis
from ddax.types import Passage

DESKS = (
    "# Who does what\n\nWelcome to the list of the desks, rooms and people of the house, by the porter.\n\n"
    "## Service desks\n\nWages is led by Annika Brandt. Her deputy is Tomasz Lis. It is open on Mondays.\n\n"
    "The safety board was founded by Greta Hallorsen. It is chaired by Dorota Wilk today. "
    "The code of the gate has not changed.\n\n"
    "## Rooms\n\n- **Lyon** is the sales room, with 60 chairs.\n- Private car: 0.38 euros a kilometre.\n\n"
    "Clean the filter of the fountain once a month. Turn the tap off and clean the filter where it drips.\n\n"
    "## Meals\n\nAlcohol is not paid for. Passwords have 14 signs. They do not expire.\n"
)
PARTS = (
    "# Velm Bridge\n\nThe Velm Bridge crosses the Orra. It was designed by Oda Brandeis.\n\n"
    "# Halden Lighthouse\n\nThe Halden Lighthouse stands at the cape. It is 48 metres high.\n\n"
    "# Mount Arkan\n\nMount Arkan is the highest of the range. It is 2,874 metres high.\n\n"
    "# Temmen\n\nLake Temmen is 12 metres deep.\n\n"
    "# Oda Brandeis\n\nOda Brandeis (3 March 1889 – 20 October 1964) was an engineer. "
    "She was born in Lindholm.\n"
)
MARCH = (
    "Minutes of the meeting, 4 March\n\n1. Summer party. The party will be held on 21 June 2025. "
    "The budget is 800 euros.\n\n2. Fence. It was put off.\n"
)
MAY = (
    "Minutes of the meeting, 6 May\n\n1. Summer party. Correction: the party will be held on 28 June 2025, "
    "not on 21 June.\n\nNext meeting: 1 July 2025, 19:00.\n"
)
MAIL = (
    "From: Hanna Voss\nTo: Ulla Brecht\nSubject: Re: Key to the shed\n\nHi Ulla,\n\n"
    "the compost place opens at 10.\n\nThe key to the shed hangs in the hall.\n"
)
NOTES = (
    "Release notes\n\nVersion 4.2.0 (12 May 2025)\n\n- Adds an export.\n\n"
    "Version 4.1.0 (18 November 2024)\n\n- Adds a dark theme.\n"
)
CODE = (
    "# Tutorial\n\nRun it so:\n\n```console\n# Ines Calder\n$ ddax run port\n```\n\n"
    "The server needs no\n   network and no key. The port of the server is 2024.\n"
)


async def asked(reasoner: EmbeddedReasoner, task: str, *texts: tuple[str, str]) -> Synthesis:
    passages = tuple(Passage(name, f"{name}.md", name, text, 0, len(text)) for name, text in texts)
    return await reasoner.merge(MergeRequest(task, task, (), passages, final=True))


@pytest.mark.parametrize(
    ("task", "begins", "short"),
    [
        ("Who leads Wages?", "desks: Wages is led by Annika Brandt.", "Annika Brandt"),
        ("Could you please tell me who leads Wages, please?", "desks: Wages is led by", "Annika Brandt"),
        ("Who is the deputy of Annika Brandt?",
         "desks: Wages is led by Annika Brandt. Her deputy is Tomasz Lis.", "Tomasz Lis"),
        ("Who chairs the safety board?",
         "desks: The safety board was founded by Greta Hallorsen. It is chaired by Dorota Wilk today.",
         "Dorota Wilk"),
        ("How many chairs does the sales room in Lyon have?",
         "desks: Rooms: Lyon is the sales room, with 60 chairs.", "60"),
        ("How much is paid per kilometre for a private car?", "desks: Rooms: Private car: 0.38",
         "0.38 euros"),
        ("How often is the filter cleaned?", "desks: Clean the filter of the fountain once a month.", ""),
        ("Is alcohol paid for?", "desks: Alcohol is not paid for.", ""),
        ("Do passwords expire?", "desks: Passwords have 14 signs. They do not expire.", ""),
        ("What is the code of the gate?", "Not found in the sources", ""),
        ("Who leads the kitchen?", "Not found in the sources", ""),
    ],
)  # fmt: skip
async def test_a_sentence_that_says_all_that_is_asked_answers(
    reasoner: EmbeddedReasoner, task: str, begins: str, short: str
) -> None:
    reply = await asked(reasoner, task, ("desks", DESKS))
    assert reply.text.startswith(begins)
    assert reply.short == short


async def test_beside_a_whole_answer_only_its_neighbours_are_told(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Who leads Wages?", ("desks", DESKS))
    assert reply.text.startswith("desks: Wages is led by Annika Brandt.")
    assert {"Hallorsen", "Alcohol", "porter"}.isdisjoint(reply.text.replace(".", "").split())


@pytest.mark.parametrize(
    ("task", "begins", "short"),
    [
        ("How high is the Halden Lighthouse?",
         "The Halden Lighthouse stands at the cape. It is 48 metres high.", ""),
        ("Where was Oda Brandeis born?", "Oda Brandeis", ""),
        ("When did Oda Brandeis die?", "Oda Brandeis (3 March 1889", "20 October 1964"),
        ("When was Oda Brandeis born?", "Oda Brandeis (3 March 1889", "3 March 1889"),
        ("Who designed the Halden Lighthouse?", "Not found in the sources", ""),
        ("How high is Mount Temmen?", "Not found in the sources", ""),
    ],
)  # fmt: skip
async def test_each_part_of_the_first_level_is_about_what_it_is_headed(
    reasoner: EmbeddedReasoner, task: str, begins: str, short: str
) -> None:
    reply = await asked(reasoner, task, ("Velm Bridge", PARTS))
    assert reply.text.startswith(begins)
    assert reply.short == short


async def test_a_correction_comes_before_what_it_corrects(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "When is the summer party?", ("march", MARCH), ("may", MAY))
    assert reply.text.startswith("may: Summer party: Correction: the party will be held on 28 June 2025")
    assert "21 June 2025" in reply.text
    assert reply.short == ""


async def test_a_day_that_the_question_names_is_no_answer(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(
        reasoner, "When is the meeting after 6 May?", ("meeting", "Next meeting: 6 May 2025, 19:00.")
    )
    assert reply.short == ""


async def test_a_heading_is_told_where_it_says_what_is_asked(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "In which version was the dark theme added?", ("notes", NOTES))
    assert reply.text == "notes: Version 4.1.0 (18 November 2024): Adds a dark theme."
    budget = await asked(reasoner, "What is the budget of the summer party?", ("march", MARCH))
    assert budget.text.startswith("march: Summer party: The budget is 800 euros.")
    text = "## Warranty\n\nFor the pump it is valid for 60 months. For its lamp the pump is valid a year.\n"
    valid = await asked(reasoner, "How long is the warranty of the pump valid?", ("manual", text))
    assert "60 months. For its lamp" in valid.text
    assert valid.text.count("Warranty") == 1


async def test_the_head_of_a_mail_is_no_answer(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Where is the key to the shed?", ("mails", MAIL))
    assert reply.text.startswith("mails: The key to the shed hangs in the hall.")
    assert "Subject" not in reply.text
    assert "Hi Ulla" not in reply.text


async def test_code_heads_nothing_and_an_indented_line_is_no_column(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Does the server need the network?", ("tutorial", CODE))
    assert reply.text.startswith("tutorial: The server needs no network and no key.")
    assert "Ines Calder" not in reply.text


async def test_a_letter_tells_names_apart(reasoner: EmbeddedReasoner) -> None:
    rows = "| LX-10 | Lantern S | 24.90 |\n| LX-20 | Lantern M | 39.50 |\n"
    table = ("prices", f"| id | name | price |\n|---|---|---|\n{rows}")
    assert (await asked(reasoner, "What is the price of Lantern M?", table)).short == "39.50"
    assert (await asked(reasoner, "What is the id of Lantern M?", table)).short == "LX-20"
    assert not (await asked(reasoner, "What is the price of Lantern L?", table)).found


async def test_who_is_named_by_a_row_is_told_from_the_column_of_names(reasoner: EmbeddedReasoner) -> None:
    rows = "| Role | Name | Phone |\n|---|---|---|\n| Finance director | Ruben Castellan | 4410 |\n"
    reply = await asked(reasoner, "Who is the finance director?", ("people", rows))
    assert reply.short == "Ruben Castellan"


async def test_what_a_thing_is_its_own_document_says(reasoner: EmbeddedReasoner) -> None:
    text = (
        "Copy a whole tree of folders.\n\nSince shutil.copytree calls itself, each folder is copied once.\n"
    )
    reply = await asked(reasoner, "What does shutil.copytree do?", ("shutil.copytree", text))
    assert reply.text.startswith("shutil.copytree: Copy a whole tree of folders.")


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("How much does the first hour cost?", ""),
        ("How much does each further hour cost?", "1.50 euros"),
        ("Who is the chief of surgery?", "Dr. Ilse Krantz"),
        ("Who was the chief of surgery before Ilse Krantz?", ""),
    ],
)
async def test_no_short_answer_is_said_of_something_else(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    text = (
        "The first hour is free; each further hour costs 1.50 euros.\n\n"
        "The chief of surgery is Dr. Ilse Krantz. Dr. Omar Haddad was chief of surgery before her.\n"
    )
    assert (await asked(reasoner, task, ("clinic", text))).short == short


async def test_a_sentence_that_says_isnt_answers_no_more_than_one_that_says_not(
    reasoner: EmbeddedReasoner,
) -> None:
    text = "Wages isn't led by Annika Brandt. Since the merger Wages has a head, and it is led by Ole Krag.\n"
    reply = await asked(reasoner, "Who leads Wages?", ("desks", text))
    assert reply.text.startswith("desks: Since the merger")


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("Oda Lund painted ships. She was born in 1902.", "1902"),
        ("Oda Lund lived in New Belmark. She was born in 1902.", "1902"),
        ("Oda Lund married Per Moss. He was born in 1902.", ""),
        ("Oda Lund was born in 1902. Oda Lund was born in 1904.", ""),
    ],
)
async def test_whom_he_or_she_is_has_to_be_clear(reasoner: EmbeddedReasoner, text: str, short: str) -> None:
    assert (await asked(reasoner, "When was Oda Lund born?", ("people", text))).short == short


async def test_two_sentences_that_say_different_numbers_give_none(reasoner: EmbeddedReasoner) -> None:
    text = "The ticket costs 5 euros for adults. The ticket costs 3 euros for children.\n"
    assert (await asked(reasoner, "How much does the ticket cost?", ("fees", text))).short == ""
    one = text.replace(" 3 ", " 5 ")
    assert (await asked(reasoner, "How much does the ticket cost?", ("fees", one))).short == "5 euros"


async def test_what_is_set_aside_is_told_with_its_heading(reasoner: EmbeddedReasoner) -> None:
    text = "# Desks\n\n## Former heads\n\nWages is led by Oda Lund.\n"
    reply = await asked(reasoner, "Who leads Wages?", ("desks", text))
    assert (reply.text, reply.short) == ("desks: Former heads: Wages is led by Oda Lund.", "")
    assert [quote.quote for quote in reply.citations] == ["Wages is led by Oda Lund.", "## Former heads"]
    plain = await asked(reasoner, "Who leads Wages?", ("desks", text.replace("Former h", "H")))
    assert (plain.text, plain.short) == ("desks: Wages is led by Oda Lund.", "Oda Lund")


async def test_a_refusal_is_in_words_and_its_support_beside_them(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Who painted the bridge of the harbour?", ("desks", DESKS))
    assert not re.search(r"\d", reply.text) and 0 < reply.support < 0.76


async def test_a_sentence_that_names_no_city_is_no_answer_to_which_city(reasoner: EmbeddedReasoner) -> None:
    task = "In which city was the architect of the Corvane Tower born?"
    said = await asked(
        reasoner,
        task,
        ("cafe", "The architect of the Corvane Tower was born in a city, says the cafe.\n"),
        ("tower", "The Corvane Tower is a lookout tower in Belmark. Ilse Maran was its architect in 1931.\n"),
        (
            "Ilse Maran",
            "Ilse Maran was an architect. She was born in the city of Trondby.\n",
        ),
    )
    assert "Trondby" in said.text


CRANE = "A new crane was delivered on 17 May by Liebig Works. The sea wall cost 3 million euros.\n"


async def test_a_number_of_a_date_is_no_amount_nor_is_what_another_thing_cost(
    reasoner: EmbeddedReasoner,
) -> None:
    reply = await asked(reasoner, "How much did the new crane cost?", ("news", CRANE))
    assert not reply.found
    reply = await asked(reasoner, "How much did the sea wall cost?", ("news", CRANE))
    assert (reply.text, reply.short) == ("news: The sea wall cost 3 million euros.", "3 million euros")


async def test_what_was_changed_later_is_told_first_and_gives_no_short_answer(
    reasoner: EmbeddedReasoner,
) -> None:
    told = "The summer fair will be held on 14 June in the orchard."
    moved = "The summer fair was moved from 14 June to 21 June."
    texts = (("april", f"{told}\n"), ("later", f"{moved}\n"))
    reply = await asked(reasoner, "When will the summer fair be held?", *texts)
    assert reply.short == "" and reply.text == f"later: {moved} april: {told}"
    assert (await asked(reasoner, "When will the summer fair be held?", texts[0])).short == "14 June"


@pytest.mark.parametrize(("other", "short"), [("1,482", ""), ("1,510", "1,510")])
async def test_documents_that_say_different_numbers_give_none_where_one_says_the_name_above(
    reasoner: EmbeddedReasoner, other: str, short: str
) -> None:
    report = f"HARBOUR OF KESTREL BAY\nANNUAL REPORT\n\nIn 2024 the harbour received {other} vessels.\n"
    news = "The harbour of Kestrel Bay received 1,510 vessels in 2024, says the port authority.\n"
    task = "How many vessels did the harbour of Kestrel Bay receive in 2024?"
    reply = await asked(reasoner, task, ("news", news), ("report", report))
    assert reply.short == short and "1,510" in reply.text and other in reply.text


async def test_what_two_documents_of_one_name_say_is_said_once_and_quoted_twice(
    reasoner: EmbeddedReasoner,
) -> None:
    text = "The Velm Bridge was opened in 1931."
    passages = tuple(
        Passage(source, source, "Velm Bridge", text, 0, len(text)) for source in ("new.md", "old.md")
    )
    task = "When was the Velm Bridge opened?"
    said = await reasoner.merge(MergeRequest(task, task, (), passages, final=True))
    assert (said.text, said.short, len(said.citations)) == (text, "1931", 2)
