"""What everyday pages say by a label, in brackets, by a form, or by a word that only looks like a verb."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

MUSEUM = """# Visiting the Harbour Museum

The Harbour Museum stands at 14 Quay Street, 2040 Norrvik, next to the ferry terminal.

## Prices

| Ticket | Price |
|---|---|
| Children under 16 | 2 euros |
| Family (2 adults, 3 children) | 25 euros |

## Getting here

There is parking for 40 cars behind the building; it costs 2 euros an hour.

## Contact

Phone: +46 8 555 0199
Email: hello@harbourmuseum.example
Director: Signe Alm

## Café

Manager: Ole Krag
"""
HOUSE = """# Guest house

- Wifi: network Seagull, password tern-42-nest
- **Caretaker:** Mrs. Dahl
- Check-in from 15:00, check-out until 11:00
- Rubbish is collected on Thursdays
- Caretaker in winter: Mr. Lund
"""
CONCERT = """# Spring concert

The spring concert of the Norrvik choir takes place on 9 May 2027 at 19:30 in St Olaf's Church. Doors open at
18:45. The programme lasts about 90 minutes with one interval of 20 minutes.
"""
API = """# Tidewater API

## Errors

- 400: a parameter is missing
- 401: the token is missing or has expired

## Data

| | |
|---|---|
| Colours | black, sand |
| Highest load | 130 kg |
"""
BOARD = "# Minutes\n\nPresent: Ida Holm (chair), Jon Berg, Siri Lund, Per Aas\nApologies: Nina Dahl\n"
CLINIC = """# Lakeside Dental Clinic

Tel.: 01632 960 511

## Our team

- Dr Helen Marsh, principal dentist
- Dr Amir Saleh, orthodontist
- Reception: Joanne Pike

## Fees

Check-up: £28
Filling: from £60

## Guide

Guide: Rui Matos, +351 912 000 111

Dinner at 20:00 in the hall. It requires Python 3.9 or newer.

Day 1: arrival
Day 3: train from platform 4
"""
TWICE = "# Clubs\n\n## Chess\n\nPhone: 111 222\n\n## Rowing\n\nPhone: 333 444\n"
TALK = "# Minutes\n\nAnna: I bring the key.\nBen: the boat is painted.\n"


@pytest.mark.parametrize(
    ("text", "task", "short"),
    [
        (MUSEUM, "What is the phone number of the museum?", "+46 8 555 0199"),
        (MUSEUM, "What is the e-mail address of the Harbour Museum?", "hello@harbourmuseum.example"),
        (MUSEUM, "Who is the director of the museum?", "Signe Alm"),
        (MUSEUM, "Who is the manager of the café?", "Ole Krag"),
        (HOUSE, "What is the wifi password?", "tern-42-nest"),
        (HOUSE, "What is the name of the wi-fi network?", "Seagull"),
        (HOUSE, "Who is the caretaker of the guest house?", "Mrs. Dahl"),
        (CONCERT, "What time do the doors open?", "18:45"),
        (CONCERT, "How long is the interval?", "20 minutes"),
        (API, "Which colours are there?", "black, sand"),
        (API, "What is the highest load?", "130 kg"),
        (BOARD, "Who was present?", "Ida Holm (chair), Jon Berg, Siri Lund, Per Aas"),
        (BOARD, "Who sent apologies?", "Nina Dahl"),
        (BOARD, "Who was absent?", "Nina Dahl"),
        (CLINIC, "What is the telephone number of the clinic?", "01632 960 511"),
        (CLINIC, "Who is the orthodontist?", "Dr Amir Saleh"),
        (CLINIC, "Who works at reception?", "Joanne Pike"),
        (CLINIC, "How much is a check-up?", "£28"),
        (CLINIC, "What does a filling cost?", "from £60"),
        (CLINIC, "Who is the guide?", "Rui Matos"),
        (CLINIC, "What is the phone number of the guide?", "+351 912 000 111"),
        (TWICE, "What is the phone number of the rowing club?", "333 444"),
    ],
)
async def test_the_value_is_told(reasoner: EmbeddedReasoner, text: str, task: str, short: str) -> None:
    said = await asked(reasoner, task, page=text)
    assert (said.short, said.found) == (short, True), said.text
    assert all(quote.quote in text for quote in said.citations)


@pytest.mark.parametrize(
    ("text", "task", "told"),
    [
        (MUSEUM, "What is the address of the Harbour Museum?", "14 Quay Street"),
        (HOUSE, "When is check-out?", "check-out until 11:00"),
        (HOUSE, "On which day is the rubbish collected?", "on Thursdays"),
        (CLINIC, "When is dinner?", "Dinner at 20:00"),
        (CLINIC, "Which Python version is required?", "Python 3.9"),
        (API, "What does error 401 mean?", "the token is missing or has expired"),
        (CONCERT, "When does the spring concert start?", "9 May 2027"),
    ],
)
async def test_what_a_form_says_is_told(reasoner: EmbeddedReasoner, text: str, task: str, told: str) -> None:
    said = await asked(reasoner, task, page=text)
    assert said.found and told in said.text, said.text


@pytest.mark.parametrize(
    ("text", "task"),
    [
        (MUSEUM, "When was the museum built?"),
        (MUSEUM, "Who is the deputy director of the museum?"),
        (MUSEUM, "Who is the manager of the museum?"),
        (MUSEUM, "When was the director of the museum born?"),
        (API, "What does error 500 mean?"),
        (CLINIC, "Who is the dentist at the clinic in Torsby?"),
        (CLINIC, "What does a crown cost?"),
        (CLINIC, "When is breakfast?"),
        (CLINIC, "What is on day 4?"),
        (TWICE, "What is the phone number of the tennis club?"),
        (TALK, "What did Ben bring?"),
    ],
)
async def test_the_value_of_another_one_is_not_told(reasoner: EmbeddedReasoner, text: str, task: str) -> None:
    said = await asked(reasoner, task, page=text)
    assert said.short == "" and not said.found, said.text


async def test_a_row_is_not_called_by_what_it_says_in_brackets(reasoner: EmbeddedReasoner) -> None:
    said = await asked(reasoner, "How much do children pay?", page=MUSEUM)
    assert "25 euros" not in said.text


CLUB = """# Rowing club Nordsee

The club was founded on 4 May 1911 by eleven students. 412 customers were affected.

## Board

| Office | Holder | Since |
|---|---|---|
| Chair | Meike Janssen | 2019 |
| Treasurer | Onno Harms | 2022 |
| Youth officer | vacant | |

| Boat | Type | Weight |
|---|---|---|
| Kormoran | double | 27 kg |

- 1.2 litres of vegetable stock
- 3 carrot sticks
"""


@pytest.mark.parametrize(
    ("task", "short", "told"),
    [
        ("Who is the chair?", "Meike Janssen", "Chair"),
        ("Who is the treasurer of the club?", "Onno Harms", "Treasurer"),
        ("Who is the youth officer?", "", "vacant"),
        ("What type is the Kormoran?", "double", "Kormoran"),
        ("How much stock is needed?", None, "1.2 litres"),
        ("Who founded the club?", "", "eleven students"),
    ],
)
async def test_who_holds_an_office_is_told(
    reasoner: EmbeddedReasoner, task: str, short: str | None, told: str
) -> None:
    said = await asked(reasoner, task, club=CLUB)
    assert said.found and told in said.text and short in (said.short, None), (said.text, said.short)


@pytest.mark.parametrize(
    "task", ["Who is the secretary?", "Who is the Kormoran?", "How many carrots are needed?"]
)
async def test_who_holds_another_office_is_not_told(reasoner: EmbeddedReasoner, task: str) -> None:
    said = await asked(reasoner, task, club=CLUB)
    assert said.short == ""


POOL = """# Outdoor pool Waldsee

Season: 15 May to 10 September

| Day | Hours |
|---|---|
| Mon–Fri | 7:00–20:00 |
| Sat, Sun | 9:00–19:00 |

## 3. Tickets

| | Single | Ten |
|---|---|---|
| Adults | 5.50 € | 48 € |
| Under 6 | free | |

The deep basin has a depth of 3.80 metres. A deposit is two monthly fees.

Manager: Petra Simonsen, 0171 555 02 03

## How do I contact support?

Write to help@waldsee.example or call 0800 555 010.
"""


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("When does the pool open on Tuesday?", "7:00–20:00"),
        ("When does the pool close on Sunday?", "9:00–19:00"),
        ("How deep is the deep basin?", "3.80 metres"),
        ("Who is the manager of the pool?", "Petra Simonsen"),
        ("What is the email address of the support?", "help@waldsee.example"),
        ("What is the phone number of the support?", "0800 555 010"),
    ],
)
async def test_a_size_a_season_and_a_number_are_told(
    reasoner: EmbeddedReasoner, task: str, told: str
) -> None:
    said = await asked(reasoner, task, pool=POOL)
    assert said.found and told in said.text, said.text


async def test_how_much_is_no_count_of_something(reasoner: EmbeddedReasoner) -> None:
    said = await asked(
        reasoner, "How much is the deposit?", lease="# Lease\n\nThe deposit is two monthly rents.\n"
    )
    assert said.found and said.short == "", said


@pytest.mark.parametrize(
    ("task", "untold"),
    [("How much is a season ticket?", "Single"), ("How much is the ticket deposit?", "Tickets.")],
)
async def test_neither_another_row_nor_the_number_of_a_heading_is_told(
    reasoner: EmbeddedReasoner, task: str, untold: str
) -> None:
    said = await asked(reasoner, task, pool=POOL)
    assert untold not in said.text, said.text
