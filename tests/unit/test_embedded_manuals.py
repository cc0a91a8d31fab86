"""What runbooks, references, minutes and notices say: limits, codes, ports, roles, and what came instead."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

RUNBOOK = """# Runbook: payment gateway

## Escalation

After 30 minutes without progress call the head of engineering, Jonas Wieland. Do not call the bank.
"""
CONFIG = """# Configuration of larkd

| Key | Type | Default | Meaning |
|---|---|---|---|
| `listen` | address | `127.0.0.1:7070` | where the server listens |
| `workers` | int | 4 | number of worker processes |
"""
CHANGES = """# Changelog of quillkit

## 3.1.0 (2025-11-02)

- Deprecated: `Client.fetch_all`; use `Client.stream`.

## 3.0.0 (2025-06-20)

- The package was renamed from `pyquill` to `quillkit`.
"""
API = """# Orders API

## POST /orders

Creates an order. The fields `customer` and `lines` are required; `note` is optional.

## Rate limits

60 requests a minute per token; 429 is returned beyond, with the header `Retry-After`.
"""
MINUTES = """# Minutes, architecture board

Present: Ines Moreau (chair), Tobias Lindqvist, Sam Oduya (minutes)

1. Message broker. Tobias compared NATS and RabbitMQ. The board decided for NATS with three votes to one.
2. Budget. 48,000 euros are left for this year, 12,000 of them are reserved for training.
3. Next meeting: 4 March, 14:00, room Ada.
"""
SURVEY = """# A survey of tidal turbines

Journal of Marine Energy 12 (2023), pp. 101–118.

Data were sampled at 4 Hz and stored on board. The work was funded under grant 2019-0442. The cost of one
inspection was 14,500 pounds.
"""
SKEIN = """# skein

`Queue.get` waits `wait` seconds and raises `Empty` when nothing has come.

## Licence

Apache 2.0. Report security problems to security@skein.example, not on the issue tracker.
"""
TRIP = """# Lisbon trip

- Tuesday 13: day trip to Sintra by train, leaves 08:41 from Rossio
- Requests are made in the tool Absently at least two weeks ahead.

## Plan

Travel insurance: Europa Assist, policy 88-2231.
"""
PAGES = {
    "runbook": RUNBOOK, "config": CONFIG, "changes": CHANGES, "api": API, "minutes": MINUTES,
    "survey": SURVEY, "skein": SKEIN, "trip": TRIP,
}  # fmt: skip
"""All are read for each question, as from a folder."""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who is the head of engineering?", "Jonas Wieland"),
        ("Which port does larkd listen on by default?", "127.0.0.1:7070"),
        ("What should I use instead of Client.fetch_all?", "use `Client.stream`"),
        ("What was quillkit called before?", "renamed from `pyquill`"),
        ("Which fields are required to create an order?", "`customer` and `lines` are required"),
        ("How many requests a minute are allowed?", "60 requests a minute"),
        ("Which status code is returned beyond the rate limit?", "429 is returned"),
        ("Which broker did the board choose?", "decided for NATS"),
        ("How much money is left for this year?", "48,000 euros are left"),
        ("At what rate were data sampled?", "4 Hz"),
        ("What is the grant number?", "grant 2019-0442"),
        ("How much did one inspection cost?", "14,500 pounds"),
        ("In which journal was the survey published?", "Journal of Marine Energy"),
        ("What does Queue.get raise when nothing has come?", "raises `Empty`"),
        ("Where do I report security problems?", "security@skein.example"),
        ("In which tool are requests made?", "the tool Absently"),
        ("From which station does the train to Sintra leave?", "08:41 from Rossio"),
        ("What is the policy number of the travel insurance?", "policy 88-2231"),
    ],
)
async def test_what_stands_there_is_told(reasoner: EmbeddedReasoner, question: str, said: str) -> None:
    assert said in (await asked(reasoner, question, **PAGES)).text


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Who chaired the meeting?", "Ines Moreau"),
        ("Who took the minutes?", "Sam Oduya"),
        ("When is the next meeting?", "4 March, 14:00, room Ada"),
        ("How much did one inspection cost?", "14,500 pounds"),
        ("What is the policy number of the travel insurance?", "88-2231"),
    ],
)
async def test_its_value_is_the_short_answer(reasoner: EmbeddedReasoner, question: str, short: str) -> None:
    assert (await asked(reasoner, question, **PAGES)).short == short


@pytest.mark.parametrize(
    "question",
    [
        "Who is the head of sales?",
        "How many minutes does a call to the bank take?",
        "What was larkspur called before?",
        "What should I use instead of Client.stream_all?",
        "How many orders a minute are allowed?",
        "Which status code is returned for a missing token?",
        "Which vendor did the board choose?",
        "How much money is reserved for travel?",
        "Who chaired the finance board?",
        "How much did the survey cost?",
        "What is the serial number of the gauge?",
        "From which station does the train to Porto leave?",
        "What is the policy number of the car insurance?",
    ],
)
async def test_what_only_resembles_it_is_refused(reasoner: EmbeddedReasoner, question: str) -> None:
    told = await asked(reasoner, question, **PAGES)
    assert told.text.startswith("Not found in the sources"), told.text


async def test_below_a_heading_that_alone_says_what_is_asked_the_first_sentence_leads(
    reasoner: EmbeddedReasoner,
) -> None:
    told = await asked(reasoner, "What is the licence of skein?", **PAGES)
    assert told.text.startswith("Licence: Apache 2.0."), told.text


ADR = """# ADR 17: Store events in PostgreSQL

- MongoDB was rejected: its licence is not approved by Legal.
- EventStoreDB was rejected.

The migration takes three weeks. The handover lasts a week.
"""
INCIDENT = """# Incident 2026-07: checkout down

Severity: 1
Duration: 84 minutes (14:12–15:36 UTC)

On 7 July 2026 customers could not pay. About 2,300 orders were lost.

- 14:40 Support reports failed payments to the platform team.
- 15:05 Jan Bakker finds the expired certificate.
"""
AGREEMENT = """# Service agreement

between Norddata AG ("Provider") and Bakery Lindholm (the "Customer")

Urgent faults are answered within two hours.
"""
DESK = """# Kvist 40 standing desk

| Property | Value |
|---|---|
| Warranty | 5 years (motors: 10 years) |
| Noise | under 48 dB |

If it shows E04, the motors are too hot: wait 18 minutes. The drawer is sold separately for 59 euros.
"""
CLUB = """# Rowing club Havel

The club was founded in 1921 by eleven teachers. It has 240 members and 34 boats. Beginners row on Tuesdays
with the coach Malte Rieck. Each outing is written down in the logbook before the start. Adults pay 22 euros a
month, families 45 euros.

## Board

- Chair: Sabine Thoms
- Boats: Yusuf Aydin (0151 555 0133)
"""
SHELF = {"adr": ADR, "incident": INCIDENT, "agreement": AGREEMENT, "desk": DESK, "club": CLUB}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Why was MongoDB rejected?", "its licence is not approved"),
        ("How long does the migration take?", "three weeks"),
        ("Who found the expired certificate?", "Jan Bakker"),
        ("What happened at 14:40?", "Support reports failed payments"),
        ("How fast are urgent faults answered?", "within two hours"),
        ("What does E04 mean?", "the motors are too hot"),
        ("How much does the drawer cost?", "59 euros"),
        ("Who founded the club?", "by eleven teachers"),
        ("Where are outings written down?", "in the logbook"),
        ("How much does a family pay?", "families 45 euros"),
        ("What is the phone number of Yusuf Aydin?", "0151 555 0133"),
    ],
)
async def test_what_stands_on_the_shelf_is_told(reasoner: EmbeddedReasoner, question: str, said: str) -> None:
    assert said in (await asked(reasoner, question, **SHELF)).text


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How long did the incident last?", "84 minutes (14:12–15:36 UTC)"),
        ("How severe was the incident?", "1"),
        ("How loud is the desk?", "under 48 dB"),
        ("How long is the warranty?", "5 years (motors: 10 years)"),
        ("Who is the provider?", "Norddata AG"),
        ("Who is the customer?", "Bakery Lindholm"),
        ("Who is the coach?", "Malte Rieck"),
        ("How many boats does the club have?", ""),  # not the one who looks after the boats
    ],
)
async def test_the_value_of_the_shelf_is_the_short_answer(
    reasoner: EmbeddedReasoner, question: str, short: str
) -> None:
    assert (await asked(reasoner, question, **SHELF)).short == short


@pytest.mark.parametrize(
    "question",
    [
        "Why was EventStoreDB rejected?",
        "How long does the audit take?",
        "Who found the lost orders?",
        "What happened at 16:40?",
        "How fast are letters answered?",
        "What does E05 mean?",
        "How much does the lamp cost?",
        "Who is the lawyer?",
        "How long is the drawer?",
        "Who is the doctor?",
    ],
)
async def test_what_the_shelf_does_not_say_is_refused(reasoner: EmbeddedReasoner, question: str) -> None:
    told = await asked(reasoner, question, **SHELF)
    assert told.text.startswith("Not found in the sources"), told.text
